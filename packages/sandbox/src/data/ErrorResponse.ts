/** Errors of the data API as responses, where no endpoint of the contract encodes them (§7). */
import { type ApiError, type ErrorCode, statusOfErrorCode } from "@game-data/contract";
import { HttpServerResponse } from "effect/http";

/** An error body under the status that belongs to its code. */
export const errorBody = (
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error: { code, message } },
    { status: statusOfErrorCode[code], headers: { "cache-control": "no-store", ...headers } },
  );

/** An error of the contract as its endpoint would send it. */
export const errorResponse = ({ error }: ApiError): HttpServerResponse.HttpServerResponse =>
  errorBody(error.code as ErrorCode, error.message);

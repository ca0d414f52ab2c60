/**
 * Requests that do not fit the contract, answered in its error shape:
 * `{"error":{"code","message"}}` (§7, "not shown").
 *
 * What the schemas of an endpoint refuse is 400 and names the part that is wrong; the framework's
 * own answer, an empty 400, would leave a client to guess. It runs outside of the bearer check:
 * whoever has no token hears that first.
 */
import { InternalServerError, InvalidQueryError, RequestErrors } from "@game-data/contract";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";

const PARTS: Readonly<Record<string, string>> = {
  Params: "path",
  Query: "query",
  Payload: "body",
  Headers: "headers",
};

/** The middleware that the contract asks for. */
export const RequestErrorsLive = HttpApiMiddleware.layerSchemaErrorTransform(
  RequestErrors,
  (error) => {
    const part = PARTS[error.kind];
    return part === undefined
      ? InternalServerError.because()
      : InvalidQueryError.because(`Invalid ${part}: ${error.cause.message}`);
  },
);

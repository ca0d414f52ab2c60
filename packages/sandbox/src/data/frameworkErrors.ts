/**
 * The edge of the data API: the framework's own refusals in the error shape of the contract.
 *
 * A body of another type is 415, one that is too large 413, and whatever breaks inside 500. Paths
 * and methods that nobody answers are the gate's (`NoAnswer`).
 */
import { ErrorCode, errorCodeOfStatus } from "@game-data/contract";
import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import type * as HttpServerResponse from "effect/http/HttpServerResponse";
import { dataError, isRouteNotFound } from "../http/fallbacks.ts";
import { listenerOf } from "../http/Listener.ts";

const MESSAGES: Readonly<Record<number, string>> = {
  413: "The body is too large.",
  415: "The body has to be application/json.",
};

/** A global middleware right around the endpoints. */
export const FrameworkErrors = HttpRouter.middleware(
  (handle) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      listenerOf(request.url) === "data"
        ? Effect.catchCause(Effect.map(handle, inShape), answerFailure)
        : handle,
    ),
  { global: true },
);

/** The framework refuses a body in plain text, or with nothing at all. */
const inShape = (response: HttpServerResponse.HttpServerResponse) => {
  const message = MESSAGES[response.status];
  const isOurs = response.headers["content-type"]?.startsWith("application/json") === true;
  if (message === undefined || isOurs) return response;
  return dataError(
    response.status,
    errorCodeOfStatus(response.status) ?? ErrorCode.UnprocessableEntity,
    message,
  );
};

const answerFailure = <E>(
  cause: Cause.Cause<E>,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  const isAborted = cause.reasons.some((reason) => reason._tag === "Interrupt");
  if (isAborted || isRouteNotFound(cause)) return Effect.failCause(cause);
  return Effect.as(
    Effect.logError("a request to the data API failed", cause),
    dataError(500, ErrorCode.InternalError, "Internal error"),
  );
};

/**
 * The outer edge of the data API: what no endpoint answers.
 *
 * An unknown path is 404, a known path with another method 405 with `Allow`, a method that the sandbox does not implement
 * at all 501, a body in another format 415, and whatever breaks inside 500: all in the error shape of the contract, on the
 * data face alone.
 */
import { DataApi, ErrorCode } from "@game-data/contract";
import { Cause, Effect, Option } from "effect";
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http";
import { surfaceOf } from "../internal/surfaces.ts";
import { errorBody } from "./ErrorResponse.ts";

/** Methods that HTTP clients use; of these an endpoint allows some, any other one is not implemented here. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** One pattern per path of the contract, with the methods that it answers. */
const PATHS: ReadonlyArray<{ readonly pattern: RegExp; readonly method: string }> = Object.values(
  DataApi.groups,
).flatMap((group) =>
  Object.values(group.endpoints).map((endpoint) => ({
    pattern: patternOf(endpoint.path),
    method: endpoint.method,
  })),
);

/** `/x/:realm(a|b)/:id?` as a regular expression over a path. */
function patternOf(path: string): RegExp {
  const source = path
    .split("/")
    .slice(1)
    .map((segment) => {
      const parameter = /^:\w+(\([^)]*\))?(\?)?$/u.exec(segment);
      if (parameter === null) return `/${segment}`;
      const [, words, optional] = parameter;
      return optional === undefined ? `/${words ?? "[^/]+"}` : `(?:/${words ?? "[^/]+"})?`;
    })
    .join("");
  return new RegExp(`^${source}$`, "u");
}

/** The methods that a path answers; empty for an unknown path. */
export const allowedMethods = (url: string): ReadonlyArray<string> => {
  const path = /^[^?#]*/u.exec(url)![0];
  const found = new Set(
    PATHS.flatMap(({ pattern, method }) => (pattern.test(path) ? [method] : [])),
  );
  if (found.has("GET")) found.add("HEAD");
  return [...found].sort();
};

const unanswered = (request: HttpServerRequest.HttpServerRequest) => {
  if (!METHODS.has(request.method)) {
    return HttpServerResponse.jsonUnsafe(
      {
        error: {
          code: ErrorCode.MethodNotAllowed,
          message: `The sandbox does not implement ${request.method}.`,
        },
      },
      { status: 501 },
    );
  }
  const allowed = allowedMethods(request.url);
  return allowed.length === 0
    ? errorBody(ErrorCode.ResourceNotFound, "No such path.")
    : errorBody(ErrorCode.MethodNotAllowed, `Method not allowed; use ${allowed.join(", ")}.`, {
        allow: allowed.join(", "),
      });
};

/** The framework answers a body of another type in plain text. */
const inShape = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 415 && response.headers["content-type"]?.startsWith("text/plain") === true
    ? errorBody(ErrorCode.UnexpectedContentType, "The body has to be application/json.")
    : response;

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound";

/** The innermost global middleware of the data face. */
export const DataEdge = HttpRouter.middleware(
  (handle) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      surfaceOf(request.url) !== "data"
        ? handle
        : Effect.catchCause(Effect.map(handle, inShape), (cause) => {
            const error = Option.getOrUndefined(Cause.findErrorOption(cause));
            if (isRouteNotFound(error)) return Effect.succeed(unanswered(request));
            if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause);
            return Effect.as(
              Effect.logError("A data endpoint failed", cause),
              errorBody(ErrorCode.InternalError, "Internal error"),
            );
          }),
    ),
  { global: true },
);

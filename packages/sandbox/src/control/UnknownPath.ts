/**
 * Answers to paths of the control plane and the OAuth server that nobody serves; Effect's own answer to them has no body.
 * (The data API has its own, in the shape of its errors.)
 */
import { Cause, Effect } from "effect";
import { HttpServerError, HttpServerResponse } from "effect/http";

/** What the control plane says: where to read on. */
export const onControl = HttpServerResponse.jsonUnsafe(
  { reason: "no such path; /docs/control lists what there is" },
  { status: 404 },
);

/** What the OAuth server says. */
export const onAuth = HttpServerResponse.text("no such path on the auth address\n", {
  status: 404,
});

/** `service`, with `answer` where no route was found. */
export const orElse =
  (answer: HttpServerResponse.HttpServerResponse) =>
  <E, R>(service: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.catchCause(service, (cause) =>
      isRouteNotFound(Cause.squash(cause)) ? Effect.succeed(answer) : Effect.failCause(cause),
    );

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound";

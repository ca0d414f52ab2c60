/** Retries for requests that can be sent twice: client credentials, revoke, introspect. */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type { RequestError } from "../Errors.ts";

/** If the server asks for a longer pause, the request fails and the caller decides. */
const MAX_WAIT = Duration.seconds(30);

const retryAfter = (error: RequestError) =>
  (error._tag === "ServerUnavailable" && error.retryAfter) || Duration.zero;

const backoff = Schedule.exponential("250 millis").pipe(
  Schedule.setInputType<RequestError>(),
  Schedule.upTo({ times: 2 }),
  Schedule.modifyDelay(({ duration, input }) =>
    Effect.succeed(Duration.max(duration, retryAfter(input))),
  ),
);

/** Retries transient failures, at most twice, and never sooner than `Retry-After` asks. */
export const retryTransient = <A, R>(
  request: Effect.Effect<A, RequestError, R>,
): Effect.Effect<A, RequestError, R> =>
  Effect.retry(request, {
    schedule: backoff,
    while: (error) =>
      error._tag === "OAuthTransportError" ||
      (error._tag === "ServerUnavailable" &&
        Duration.isLessThanOrEqualTo(retryAfter(error), MAX_WAIT)),
  });

/**
 * Retries for requests that do no harm twice: client credentials, revoke, introspect. Never for
 * codes and refresh tokens.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type { RequestError } from "../Errors.ts";

/**
 * A server that asks for a longer pause is not waited for: the caller knows better what to do with
 * the time.
 */
const MAX_WAIT_MILLIS = 30_000;

/** The pause that the server asks for; `undefined` for a failure that stays. */
const askedPause = (error: RequestError): number | undefined => {
  if (error._tag === "ServerUnavailable") return Duration.toMillis(error.retryAfter ?? 0);
  return error._tag === "OAuthTransportError" ? 0 : undefined;
};

/**
 * Runs `attempt` again after a transient failure, at most twice, and never sooner than
 * `Retry-After` asks.
 */
export const retryIdempotent = <A, R>(
  attempt: Effect.Effect<A, RequestError, R>,
): Effect.Effect<A, RequestError, R> =>
  Effect.retry(attempt, {
    times: 2,
    schedule: Schedule.exponential("250 millis").pipe(
      Schedule.setInputType<RequestError>(),
      Schedule.modifyDelay(({ duration, input }) =>
        Effect.succeed(Duration.max(duration, Duration.millis(askedPause(input) ?? 0))),
      ),
    ),
    while: (error) => (askedPause(error) ?? Infinity) <= MAX_WAIT_MILLIS,
  });

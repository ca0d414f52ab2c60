/**
 * Retries for requests that do no harm twice: client credentials, revoke, introspect. Never for
 * codes and refresh tokens. Effect's schedules would be a kilobyte of every program.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { RequestError } from "../Errors.ts";

const RETRIES = 2;
const FIRST_WAIT_MILLIS = 250;

/**
 * A server that asks for a longer pause is not waited for: the caller knows better what to do with
 * the time.
 */
const MAX_WAIT_MILLIS = 30_000;

/**
 * Runs `attempt` again after a transient failure, at most twice, and never sooner than
 * `Retry-After` asks.
 */
export const retryIdempotent = <A, R>(
  attempt: Effect.Effect<A, RequestError, R>,
  done = 0,
): Effect.Effect<A, RequestError, R> =>
  attempt.pipe(
    Effect.catch((error) => {
      const wait = done < RETRIES ? waitFor(error, done) : undefined;
      return wait === undefined || wait > MAX_WAIT_MILLIS
        ? Effect.fail(error)
        : Effect.andThen(Effect.sleep(wait), retryIdempotent(attempt, done + 1));
    }),
  );

const waitFor = (error: RequestError, done: number): number | undefined => {
  const backoff = FIRST_WAIT_MILLIS * 2 ** done;
  if (error._tag === "ServerUnavailable")
    return Math.max(backoff, Duration.toMillis(error.retryAfter ?? 0));
  return error._tag === "OAuthTransportError" ? backoff : undefined;
};

/**
 * What a single call may be told, and what it can tell about its answer.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Duration from "effect/Duration";

/** Options of one call; what is left out is as the client says. */
export interface CallOptions {
  /** For one request, from sending to the last byte. */
  readonly timeout?: Duration.Input | undefined;
  /** For the whole call, waits and retries included. */
  readonly totalTimeout?: Duration.Input | undefined;
  /**
   * Fails with `RateLimited` at once when its turn comes later than this, and does not wait for a
   * longer `Retry-After`.
   */
  readonly maxWait?: Duration.Input | undefined;
  /** Higher goes first among calls that wait. Default: 0. */
  readonly priority?: number | undefined;
  /** Further attempts after the first. */
  readonly retries?: number | undefined;
  /**
   * Aborts the call, also while it waits for its turn. In Effect, interrupting the fiber does the
   * same.
   */
  readonly signal?: AbortSignal | undefined;
  /** Repeats a POST too. Say so only where doing it twice does no harm. */
  readonly retryUnsafe?: boolean | undefined;
}

/** What is known about an answer beside its value. */
export interface ResponseInfo {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Requests sent, this one included. */
  readonly attempts: number;
  /** Milliseconds spent waiting for the rate limit. */
  readonly waited: number;
  /** The rate-limit policy, once known. */
  readonly policy: string | undefined;
  /** What the service calls the request. */
  readonly requestId: string | undefined;
}

/** Who wants to know about answers; see `withResponse`. */
export const ResponseListener = /*#__PURE__*/ Context.Reference<
  ((info: ResponseInfo) => void) | undefined
>("@game-data/api-client/ResponseListener", { defaultValue: () => undefined });

/**
 * The value of a call together with its answer: status, headers, attempts, waits.
 *
 * Around several calls it tells about the last answer; `response` is `undefined` when none came.
 */
export const withResponse = <A, E, R>(
  call: Effect.Effect<A, E, R>,
): Effect.Effect<{ readonly data: A; readonly response: ResponseInfo | undefined }, E, R> =>
  Effect.suspend(() => {
    let response: ResponseInfo | undefined;
    return call.pipe(
      Effect.provideService(ResponseListener, (info) => {
        response = info;
      }),
      Effect.map((data) => ({ data, response })),
    );
  });

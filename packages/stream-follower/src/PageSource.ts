/**
 * Where pages come from: a narrow port between the follower and whatever speaks HTTP.
 *
 * Use `GameApiSource` to read through the API client; write your own for another transport or a
 * recorded history. A source hands out the answer's status, headers and body bytes and judges
 * nothing: ids, emptiness, limits and retries are the follower's.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import type {
  Forbidden,
  RateLimited,
  ServerError,
  Timeout,
  TransportError,
  Unauthorized,
} from "./Errors.ts";
import type { StreamKey } from "./Model.ts";

/** One request of a stream. */
export interface PageRequest extends StreamKey {
  /** The id to continue with; `undefined` asks for the beginning of the history. */
  readonly id: string | undefined;
  /** Wait for the status line at most, counted from when the request is sent. */
  readonly ttfbMillis: number;
}

/** One answer, its body still on the way. */
export interface PageResponse {
  /** HTTP status. */
  readonly status: number;
  /**
   * Header values by lower-case name. `content-encoding` names what the bytes of `body` still are:
   * a transport that has inflated them must leave out `content-encoding` and `content-length`.
   */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as they arrive. An iteration that throws is a broken connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * What a source may fail with before there is an answer, or instead of one when it judges statuses
 * itself.
 */
export type OpenError =
  | TransportError
  | Timeout
  | RateLimited
  | Unauthorized
  | Forbidden
  | ServerError;

/** The functions of a source. */
export interface PageSourceService {
  /** Sends the request; closing the scope aborts it. */
  readonly open: (request: PageRequest) => Effect.Effect<PageResponse, OpenError, Scope.Scope>;
  /**
   * The source lets requests wait their turn (under a rate limit) and applies `ttfbMillis` itself;
   * the follower must not count the time in the queue.
   */
  readonly queues?: boolean;
  /** Gets a new access token after a 401. Left out where the source renews by itself. */
  readonly renew?: Effect.Effect<void, OpenError>;
}

/** The source of pages that a follower reads from. */
export class PageSource extends Context.Service<PageSource, PageSourceService>()(
  "@game-data/stream-follower/PageSource",
) {}

/**
 * Makes one source safe to share between realms: a 429 of one follower holds back all, and a burst
 * of 401s renews the token once. Layers of this package apply it already.
 */
export const shared = (source: PageSourceService): PageSourceService => {
  let notBefore = 0;
  let generation = 0;
  const oneAtATime = Semaphore.makeUnsafe(1);
  const wait = Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => (now < notBefore ? Effect.sleep(notBefore - now) : Effect.void)),
  );
  const holdBack = (millis: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      notBefore = Math.max(notBefore, now + millis);
    });
  const open: PageSourceService["open"] = (request) =>
    Effect.andThen(wait, source.open(request)).pipe(
      Effect.tap((response) =>
        response.status === 429 ? holdBack(retryAfterOf(response.headers) ?? 0) : Effect.void,
      ),
      Effect.tapError((error) =>
        error._tag === "RateLimited" ? holdBack(error.retryAfterMillis ?? 0) : Effect.void,
      ),
    );
  const queues = source.queues === true;
  if (source.renew === undefined) return { open, queues };
  const renewOnce = source.renew;
  const renew = Effect.suspend(() => {
    const seen = generation;
    const renewal = Effect.suspend(() =>
      seen === generation
        ? Effect.tap(renewOnce, () =>
            Effect.sync(() => {
              generation += 1;
            }),
          )
        : Effect.void,
    );
    return oneAtATime.withPermit(renewal);
  });
  return { open, renew, queues };
};

/**
 * `Retry-After` in milliseconds: delta seconds or an HTTP date, capped at one hour. `undefined`
 * when absent or unreadable.
 */
export const retryAfterOf = (headers: PageResponse["headers"]): number | undefined => {
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER);
  const date = Date.parse(value);
  const served = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(date) || Number.isNaN(served)) return undefined;
  return Math.min(Math.max(date - served, 0), MAX_RETRY_AFTER);
};

const MAX_RETRY_AFTER = 3_600_000;

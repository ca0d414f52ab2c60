/**
 * Source of pages: a narrow port between the follower and an HTTP client.
 *
 * Use `GameApiSource` to read through the API client; write your own for another transport or a
 * recorded history. A source renews its own token, hands out the answer's status, headers and body
 * bytes and classifies nothing: ids, emptiness, limits and retries are the follower's.
 */
import type { Coding } from "@game-data/contract/inflate";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { type PageRefused, PageTimeout, type PageUnavailable } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import { retryAfter } from "./core/retryAfter.ts";

/** One request of a stream. */
export interface PageRequest extends StreamKey {
  /** The id to continue with; `undefined` asks for the beginning of the history. */
  readonly id: string | undefined;
  /** Wait for the status line at most, counted from when the request is sent. */
  readonly responseTimeoutMillis: number;
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
 * Errors of a source before there is a response. A source that classifies statuses itself fails
 * with them instead of returning the response.
 */
export type OpenError = PageUnavailable | PageTimeout | PageRefused;

/** The functions of a source. */
export interface PageSourceService {
  /** Sends the request; closing the scope aborts it. */
  readonly open: (request: PageRequest) => Effect.Effect<PageResponse, OpenError, Scope.Scope>;
  /**
   * The source lets requests wait their turn (under a rate limit) and applies
   * `responseTimeoutMillis` itself; the follower must not count the time in the queue.
   */
  readonly queues?: boolean;
  /**
   * The content codings that the source asks for; a page in another one is refused unread. Default:
   * gzip.
   */
  readonly codings?: ReadonlyArray<Coding>;
}

/** The source of pages that a follower reads from. */
export class PageSource extends Context.Service<PageSource, PageSourceService>()(
  "@game-data/stream-follower/PageSource",
) {}

/**
 * Makes one source safe to share between realms: a 429 of one follower holds back all. Layers of
 * this package apply it already.
 */
export const shared = (source: PageSourceService): PageSourceService => {
  let notBefore = 0;
  const wait = Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => (now < notBefore ? Effect.sleep(notBefore - now) : Effect.void)),
  );
  const delayAll = (delay: Duration.Duration | undefined) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      notBefore = Math.max(notBefore, now + (delay === undefined ? 0 : Duration.toMillis(delay)));
    });
  // Waiting for the limit that all realms share is no slow response: the timer starts afterwards.
  const timed: PageSourceService["open"] = (request) =>
    source.queues === true
      ? source.open(request)
      : Effect.timeoutOrElse(source.open(request), {
          duration: request.responseTimeoutMillis,
          orElse: () => Effect.fail(new PageTimeout({ kind: "response" })),
        });
  const open: PageSourceService["open"] = (request) =>
    Effect.andThen(wait, timed(request)).pipe(
      Effect.tap((response) =>
        response.status === 429
          ? Effect.flatMap(retryAfter(response.headers), delayAll)
          : Effect.void,
      ),
      Effect.tapError((error) =>
        error._tag === "PageUnavailable" && error.kind === "rateLimited"
          ? delayAll(error.retryAfter)
          : Effect.void,
      ),
    );
  return {
    open,
    queues: true,
    ...(source.codings === undefined ? {} : { codings: source.codings }),
  };
};

/**
 * Interface to an HTTP client that fetches pages.
 *
 * Use `GameApiSource` to read through the API client, or implement `PageSourceService` for another
 * transport or a recorded history. A source renews its own token and returns status, headers and
 * body. The follower chooses the ids, retries, and interprets the responses.
 */
import type { Coding } from "@game-data/contract/inflate";
import { retryAfterMillis } from "@game-data/contract/retryAfter";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type * as Scope from "effect/Scope";
import { openInTime } from "./attempt.ts";
import type { PageRefused, PageTimeout, PageUnavailable } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";

/** One request for a page of a stream. */
export interface PageRequest extends StreamKey {
  /** The change id to request. Without an id, the service returns the first page of the stream. */
  readonly id: string | undefined;
  /** Longest wait for the status line, from the moment when the request is sent. */
  readonly responseTimeoutMillis: number;
}

/** One response whose body is still arriving. */
export interface PageResponse {
  readonly status: number;
  /**
   * Header values by lower-case name. A transport that has inflated the body must leave out
   * `content-encoding` and `content-length`.
   */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as it arrives. An iteration that throws counts as a broken connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Errors of a source that returns no response. */
export type OpenError = PageUnavailable | PageTimeout | PageRefused;

/** Service that requests pages. Implement it for a source of your own. */
export interface PageSourceService {
  /** Sends the request. Closing the scope aborts it. */
  readonly open: (request: PageRequest) => Effect.Effect<PageResponse, OpenError, Scope.Scope>;
  /**
   * Whether the source lets requests wait for a rate limit and applies `responseTimeoutMillis`
   * itself, so that the wait does not count. Default `false`.
   */
  readonly queues?: boolean;
  /** The content codings that the source accepts. Default: gzip. */
  readonly codings?: ReadonlyArray<Coding>;
}

/** Source from which a follower gets its pages: the API client, or a source of your own. */
export class PageSource extends Context.Service<PageSource, PageSourceService>()(
  "@game-data/stream-follower/PageSource",
) {}

/** Shares a source between streams, so that a 429 for one of them delays all. */
export const shared = (source: PageSourceService): PageSourceService => {
  let notBefore = 0;
  return {
    ...source,
    queues: true,
    open: Effect.fnUntraced(function* (request) {
      yield* Effect.sleep(Math.max(0, notBefore - (yield* Clock.currentTimeMillis)));
      const result = yield* Effect.result(openInTime(source, request));
      const now = yield* Clock.currentTimeMillis;
      notBefore = Math.max(notBefore, now + limitMillis(result, now));
      return yield* Effect.fromResult(result);
    }),
  };
};

/**
 * Returns the wait in milliseconds that a 429 requires, else 0. The 429 is a response, or a
 * `PageUnavailable`.
 */
const limitMillis = (result: Result.Result<PageResponse, OpenError>, now: number): number => {
  if (Result.isSuccess(result)) {
    const { headers, status } = result.success;
    return status === 429 ? (retryAfterMillis(headers, now) ?? 0) : 0;
  }
  const error = result.failure;
  const isLimited = error._tag === "PageUnavailable" && error.reason === "rateLimited";
  return isLimited ? Duration.toMillis(error.retryAfter ?? 0) : 0;
};

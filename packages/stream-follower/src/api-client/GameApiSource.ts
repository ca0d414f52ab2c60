/**
 * Pages through the API client: its token, its renewal after a 401, and its rate-limit budget,
 * which all realms of one `GameApi` share.
 *
 * Retries stay with the follower, which knows what a page is worth waiting for; the client is asked
 * to make none.
 */
import { GameApi, type GameApiError, type GameApiService } from "@game-data/api-client";
import { bytes } from "@game-data/api-client/raw";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Stream from "effect/Stream";
import { PageRefused, PageTimeout, PageUnavailable } from "../Errors.ts";
import { type OpenError, PageSource, type PageSourceService, shared } from "../PageSource.ts";

/** A source over a client. */
export const make = (api: GameApiService): PageSourceService =>
  shared({
    queues: true,
    open: ({ source, realm, id, responseTimeoutMillis }) => {
      const options = { retries: 0, timeout: responseTimeoutMillis, accepts: isForTheFollower };
      const inRealm = realm === "pc" ? {} : { realm };
      const call =
        source === "stashes"
          ? api.publicStashTabs.raw(
              { ...(inRealm as { realm?: "console_a" }), ...(id === undefined ? {} : { id }) },
              options,
            )
          : api.currencyExchange.raw(
              { ...inRealm, ...(id === undefined ? {} : { id: Number(id) }) },
              options,
            );
      return call.pipe(
        Effect.map((response) => ({
          status: response.status,
          headers: { ...response.headers, "content-encoding": response.encoding },
          body: Stream.toAsyncIterable(bytes(response)),
        })),
        Effect.catch(translate),
      );
    },
  });

/** The source over the client of the context. */
export const layer: Layer.Layer<PageSource, never, GameApi> = Layer.effect(
  PageSource,
  Effect.map(GameApi, make),
);

/**
 * A page, a rejection of the requested id, or a 403, which may be a firewall's; what concerns the
 * caller stays with the client.
 */
const isForTheFollower = (status: number): boolean =>
  (status >= 200 && status < 300) ||
  (status >= 400 && status < 500 && !CLIENT_STATUSES.has(status));

const CLIENT_STATUSES = new Set([401, 408, 425, 429]);

const translate = Effect.fnUntraced(function* (
  error: GameApiError,
): Effect.fn.Return<never, OpenError> {
  const floor =
    "retryAfter" in error && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {};
  switch (error._tag) {
    case "Unauthorized":
      return yield* new PageRefused({ kind: "unauthorized" });
    case "Forbidden":
      // The limiter holds requests back while a firewall blocks them: nothing was sent.
      return yield* error.kind === "firewall"
        ? new PageUnavailable({ kind: "blocked", status: error.status ?? 403, ...floor })
        : new PageRefused({ kind: "forbidden", scope: error.scopesNeeded.join(" ") });
    case "RateLimited":
      return yield* new PageUnavailable({ kind: "rateLimited", status: 429, ...floor });
    case "ServerError":
      return yield* new PageUnavailable({ kind: "server", status: error.status ?? 500, ...floor });
    case "Timeout":
      return yield* new PageTimeout({ kind: "response" });
    default:
      return yield* new PageUnavailable({ kind: "connection", cause: error });
  }
});

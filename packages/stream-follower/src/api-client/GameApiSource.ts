/**
 * Pages through the API client: its token, its renewal after a 401, and its rate-limit budget,
 * which all realms of one `GameApi` share.
 *
 * Retries stay with the follower, which knows what a page is worth waiting for; the client is asked
 * to make none.
 */
import {
  type CallOptions,
  GameApi,
  type GameApiError,
  type GameApiService,
} from "@game-data/api-client";
import type { Abortable, PromiseApi } from "@game-data/api-client/promise";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { PageRefused, PageTimeout, PageUnavailable } from "../Errors.ts";
import {
  type OpenError,
  type PageResponse,
  PageSource,
  type PageSourceService,
  shared,
} from "../PageSource.ts";

/** A source over a client. */
export const make = (api: GameApiService): PageSourceService =>
  sourceOf(api, (call) =>
    Effect.map(call({}), (response) => ({
      ...response,
      body: Stream.toAsyncIterable(response.bytes),
    })),
  );

/** A source over a client without Effect. */
export const fromPromise = (api: PromiseFollowApi): PageSourceService =>
  sourceOf(api, (call) =>
    Effect.uninterruptibleMask((restore) =>
      restore(
        Effect.tryPromise({
          try: (signal) => call({ signal }),
          catch: (error) => error as GameApiError,
        }),
      ).pipe(
        Effect.tap(({ close }) => Effect.addFinalizer(() => Effect.promise(close))),
        Effect.map((response) => ({ ...response, body: response.bytes })),
      ),
    ),
  );

/** The part of a client without Effect that a follower reads from. */
export type PromiseFollowApi = Pick<PromiseApi, "currencyExchange" | "publicStashTabs">;

/** What either client makes of a request. */
type Raw<Out> = (
  request: { readonly realm?: "console_a"; readonly id?: never },
  options: CallOptions & Abortable,
) => Out;

/** A source over either client; `open` runs the call and gives the body. */
const sourceOf = <Out>(
  api: Readonly<Record<"currencyExchange" | "publicStashTabs", { readonly raw: Raw<Out> }>>,
  open: (
    call: (options: Abortable) => Out,
  ) => Effect.Effect<PageResponse & { readonly encoding: string }, GameApiError, Scope.Scope>,
): PageSourceService =>
  shared({
    queues: true,
    open: ({ source, realm, id, responseTimeoutMillis }) => {
      const options = { retries: 0, timeout: responseTimeoutMillis, accepts: isForTheFollower };
      const isStashes = source === "stashes";
      const request = {
        ...(realm === "pc" ? {} : { realm: realm as "console_a" }),
        // The exchange is asked by number.
        ...(id === undefined ? {} : { id: (isStashes ? id : Number(id)) as never }),
      };
      const { raw } = isStashes ? api.publicStashTabs : api.currencyExchange;
      return open((more) => raw(request, { ...options, ...more })).pipe(
        Effect.map(({ body, encoding, headers, status }) => ({
          status,
          headers: { ...headers, "content-encoding": encoding },
          body,
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
      return yield* error.reason === "firewall"
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

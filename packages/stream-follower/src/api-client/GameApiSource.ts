/**
 * Reads pages through the API client: with its token, and within its rate limits, which all streams
 * of one client share.
 *
 * The client makes no retries, because the follower knows how long a page is worth waiting for.
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
} from "../PageSource.ts";

/** Makes a source from an Effect client of `@game-data/api-client`. */
export const make = (api: GameApiService): PageSourceService =>
  makeSource(api, (call) =>
    Effect.map(call({}), (response) => ({
      ...response,
      body: Stream.toAsyncIterable(response.bytes),
    })),
  );

/** The part of a client without Effect that a follower reads from. */
export type PromiseFollowApi = Pick<PromiseApi, "currencyExchange" | "publicStashTabs">;

/** Makes a source from a Promise client of `@game-data/api-client/promise`. */
export const fromPromise = (api: PromiseFollowApi): PageSourceService =>
  makeSource(api, (call) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: (signal) => call({ signal }),
        catch: (error) => error as GameApiError,
      }),
      ({ close }) => Effect.promise(close),
      { interruptible: true },
    ).pipe(Effect.map((response) => ({ ...response, body: response.bytes }))),
  );

/** Provides a source that sends its requests by the `GameApi` of the context. */
export const layer: Layer.Layer<PageSource, never, GameApi> = Layer.effect(
  PageSource,
  Effect.map(GameApi, make),
);

/** A call of the Effect or the Promise client, which returns an effect or a promise. */
type Raw<Result> = (
  request: { readonly realm?: "console_a"; readonly id?: never },
  options: CallOptions & Abortable,
) => Result;

/** Makes a source. `open` sends a call of the Effect or the Promise client. */
const makeSource = <Result>(
  api: Readonly<Record<"currencyExchange" | "publicStashTabs", { readonly raw: Raw<Result> }>>,
  open: (
    call: (options: Abortable) => Result,
  ) => Effect.Effect<PageResponse & { readonly encoding: string }, GameApiError, Scope.Scope>,
): PageSourceService => ({
  queues: true,
  open: ({ source, realm, id, responseTimeoutMillis }) => {
    const options = { retries: 0, timeout: responseTimeoutMillis, accepts: isForTheFollower };
    const isStashes = source === "stashes";
    const request = {
      ...(realm === "pc" ? {} : { realm: realm as "console_a" }),
      // The exchange takes the hour as a number.
      ...(id === undefined ? {} : { id: (isStashes ? id : Number(id)) as never }),
    };
    const { raw } = isStashes ? api.publicStashTabs : api.currencyExchange;
    return open((more) => raw(request, { ...options, ...more })).pipe(
      Effect.map(({ body, encoding, headers, status }) => ({
        status,
        headers: { ...headers, "content-encoding": encoding },
        body,
      })),
      Effect.mapError(translate),
    );
  },
});

/**
 * Whether the client passes a response on to the follower. The client reports other statuses as its
 * own errors. It passes a 403 on, because the follower recognises the page of a firewall.
 */
const isForTheFollower = (status: number): boolean =>
  (status >= 200 && status < 300) ||
  (status >= 400 && status < 500 && !CLIENT_STATUSES.has(status));

const CLIENT_STATUSES = new Set([401, 408, 425, 429]);

const translate = (error: GameApiError): OpenError => {
  const wait =
    "retryAfter" in error && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {};
  switch (error._tag) {
    case "Unauthorized":
      return new PageRefused({ reason: "unauthorized" });
    case "Forbidden":
      // `firewall`: the limiter sends nothing while a firewall blocks the client.
      return error.reason === "firewall"
        ? new PageUnavailable({ reason: "blocked", status: error.status ?? 403, ...wait })
        : new PageRefused({ reason: "forbidden", scope: error.scopesNeeded.join(" ") });
    case "RateLimited":
      return new PageUnavailable({ reason: "rateLimited", status: 429, ...wait });
    case "ServerError":
      return new PageUnavailable({ reason: "server", status: error.status ?? 500, ...wait });
    case "Timeout":
      return new PageTimeout({ reason: "response" });
    default:
      return new PageUnavailable({ reason: "connection", cause: error });
  }
};

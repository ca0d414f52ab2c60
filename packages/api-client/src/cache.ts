/**
 * An optional cache of GET responses, for each user apart: fresh ones by a time to live for each
 * operation, stale ones by `ETag` where the service sends one.
 *
 * It is off by default. Cached values are shared, so treat them as read-only.
 *
 * @example
 * ```ts
 * import { makeCache } from "@game-data/api-client/cache";
 * import { createGameApi } from "@game-data/api-client/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   cache: makeCache({ ttl: { "leagues.list": "10 minutes" } }),
 * });
 * await api.close();
 * ```
 */
import { routes, type RouteName } from "@game-data/contract/routes";
import { checkOptions, flag, having, positiveInteger } from "@game-data/rate-limit/options";
import type * as Duration from "effect/Duration";
import { checkExtra, duration, named } from "./operations/checkOptions.ts";
import {
  type Call,
  numberUsers,
  type Outcome,
  type ReceivedResponse,
  succeed,
} from "./pipeline/Call.ts";
import { toMillis } from "./pipeline/timer.ts";

/** Options of a cache. */
export interface CacheOptions {
  /** For how long a response of an operation answers calls without a request. Default: 0. */
  readonly ttl?: { readonly [Name in RouteName]?: Duration.Input } | undefined;
  /** Whether to revalidate a stale response by its `ETag`. Default: true. */
  readonly etag?: boolean | undefined;
  /** Responses kept over all users; the least recently used one is dropped. Default: 500. */
  readonly maxEntries?: number | undefined;
}

/** A cache for `GameApiOptions.cache`. */
export interface ResponseCache {
  /** The fresh response of a call, if there is one; else the call's own is kept. For the client. */
  readonly lookUp: (call: Call, now: number) => { readonly value: unknown } | undefined;
  /** Drops all responses. */
  readonly clear: () => void;
  /** Number of responses kept. */
  readonly size: number;
}

interface Entry {
  readonly value: unknown;
  readonly etag: string | undefined;
  readonly freshUntil: number;
}

/** Makes a cache in the memory of this process. */
export const makeCache = (options: CacheOptions = {}): ResponseCache => {
  checkExtra(options, { etag: flag, maxEntries: positiveInteger, ttl: having() });
  const { etag = true, maxEntries = 500, ttl = {} } = options;
  const times = Object.fromEntries(Object.keys(routes).map((name) => [name, duration]));
  named("", () => checkOptions(ttl, times, "ttl"));
  const entries = new Map<string, Entry>();
  const numberOf = numberUsers();
  const keyOf = ({ account, request }: Call): string =>
    `${account.identity === undefined ? numberOf(account) : `=${account.identity}`} ${request.url}`;

  const keep = (key: string, entry: Entry) => {
    entries.delete(key);
    entries.set(key, entry);
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value as string);
  };

  const lookUp = (call: Call, now: number) => {
    const { handler, request } = call;
    const life = toMillis(ttl[request.operation as RouteName], 0);
    if (request.method !== "GET" || handler.streams || (life === 0 && !etag)) return undefined;
    const key = keyOf(call);
    const known = entries.get(key);
    if (known && known.freshUntil > now) {
      keep(key, known);
      return known;
    }
    const isKnown = etag && known?.etag !== undefined;
    const read = (received: ReceivedResponse, body: string): Outcome => {
      const { headers, status } = received.info;
      if (isKnown && status === 304) {
        keep(key, { ...known, freshUntil: now + life });
        return succeed(known.value);
      }
      const outcome = handler.read(received, body);
      const tag = etag ? headers["etag"] : undefined;
      if (outcome._tag === "Success" && status === 200 && (life > 0 || tag !== undefined))
        keep(key, { value: outcome.value, etag: tag, freshUntil: now + life });
      return outcome;
    };
    const accepts = (status: number) => (isKnown && status === 304) || handler.accepts(status);
    call.handler = { accepts, read };
    if (isKnown) call.headers = { ...call.headers, "if-none-match": known.etag as string };
    return undefined;
  };
  return {
    lookUp,
    clear: () => entries.clear(),
    get size() {
      return entries.size;
    },
  };
};

/** The data API: its world, item filters and routes, behind CORS and the translation of words. */
import type { Core } from "../Core.ts";
import { listenerOf } from "../http/Listener.ts";
import { empty, type RequestInput, type ResponseOutput, withHeaders } from "../http/messages.ts";
import { RateLimitHeaders } from "../rates/RatePolicy.ts";
import { WorldModel } from "../world/WorldModel.ts";
import { dataRoutes } from "./dataRoutes.ts";
import { filterHandlers } from "./filterHandlers.ts";
import { FilterStore } from "./FilterStore.ts";
import { worldHandlers } from "./worldHandlers.ts";

type Handle = (request: RequestInput) => ResponseOutput;

export type DataPart = ReturnType<typeof makeDataPart>;

export const makeDataPart = (core: Core) => {
  const { accounts, clock, config, parts, store, worldStart } = core;
  const world = new WorldModel({
    seed: config.seed,
    worldStart,
    accounts: accounts.all,
    options: config.world,
    now: clock.now,
  });
  const filters = new FilterStore(store, accounts, world);
  const { log, words } = parts;
  const { tokenOrigins } = config;
  return {
    world,
    routes: dataRoutes({
      handlers: { ...worldHandlers(world, accounts), ...filterHandlers(filters, world, words) },
      words,
      log,
    }),
    /** `handle` behind the deployment's words in URLs and the CORS rules of the data API. */
    front: (handle: Handle): Handle =>
      words === undefined && tokenOrigins.length === 0
        ? handle
        : (request) => {
            if (listenerOf(request.url) !== "data") return handle(request);
            const url = words === undefined ? request.url : words.urlFromWire(request.url);
            const neutral = { ...request, url };
            return tokenOrigins.length === 0
              ? handle(neutral)
              : withDataCors(neutral, tokenOrigins, handle);
          },
  };
};

const RULES = ["ip", "account", "client"];

const EXPOSED = [
  RateLimitHeaders.policy,
  RateLimitHeaders.rules,
  ...RULES.flatMap((rule) => [RateLimitHeaders.rule(rule), RateLimitHeaders.state(rule)]),
  RateLimitHeaders.retryAfter,
].join(", ");

const PREFLIGHT = empty(204, {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-max-age": "600",
});

/**
 * Answers a request with the CORS headers of the configured origins, never with credentials (the
 * Fetch standard's CORS protocol).
 *
 * §5 lets an access token be sent to a browser, so a page may ask for data with it. Preflights are
 * answered before any limit counts them; rate headers are exposed, for a page has to keep to them
 * as well.
 */
const withDataCors = (
  request: RequestInput,
  origins: ReadonlyArray<string>,
  handle: Handle,
): ResponseOutput => {
  const origin = request.header("origin");
  const isPreflight =
    request.method === "OPTIONS" && request.header("access-control-request-method") !== undefined;
  if (origin === undefined || !origins.includes(origin)) return varying(handle(request));
  return withHeaders(varying(isPreflight ? PREFLIGHT : handle(request)), {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED,
  });
};

/** Whether the response names an origin depends on who asks: caches have to know. */
const varying = (response: ResponseOutput): ResponseOutput => {
  const { vary } = response.headers;
  return withHeaders(response, { vary: vary === undefined ? "Origin" : `${vary}, Origin` });
};

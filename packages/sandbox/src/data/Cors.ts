/**
 * The data API from a browser: for the configured origins, and never with credentials (the Fetch
 * standard's CORS protocol).
 *
 * §5 lets an access token be sent to a browser, so a page may ask for data with it. Preflights are
 * answered here, before any limit counts them; rate headers are exposed, for a page has to keep to
 * them as well.
 */
import { RateLimitHeaders } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { SandboxConfig } from "../Config.ts";
import { listenerOf } from "../http/Listener.ts";

const RULES = ["ip", "account", "client"];

const EXPOSED = [
  RateLimitHeaders.policy,
  RateLimitHeaders.rules,
  ...RULES.flatMap((rule) => [RateLimitHeaders.rule(rule), RateLimitHeaders.state(rule)]),
  RateLimitHeaders.retryAfter,
].join(", ");

const PREFLIGHT = HttpServerResponse.empty({
  status: 204,
  headers: {
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": "authorization, content-type",
    "access-control-max-age": "600",
  },
});

/** A global middleware in front of the gate. */
export const DataCors = HttpRouter.middleware(
  Effect.map(SandboxConfig, ({ tokenOrigins }) => (handle) => {
    if (tokenOrigins.length === 0) return handle;
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (listenerOf(request.url) !== "data") return handle;
      const origin = request.headers["origin"];
      const isPreflight =
        request.method === "OPTIONS" &&
        request.headers["access-control-request-method"] !== undefined;
      if (origin === undefined || !tokenOrigins.includes(origin))
        return Effect.map(handle, varying);
      return Effect.map(isPreflight ? Effect.succeed(PREFLIGHT) : handle, (response) =>
        HttpServerResponse.setHeaders(varying(response), {
          "access-control-allow-origin": origin,
          "access-control-expose-headers": EXPOSED,
        }),
      );
    });
  }),
  { global: true },
);

/** Whether the answer names an origin depends on who asks: caches have to know. */
const varying = (response: HttpServerResponse.HttpServerResponse) => {
  const vary = response.headers["vary"];
  return HttpServerResponse.setHeader(
    response,
    "vary",
    vary === undefined ? "Origin" : `${vary}, Origin`,
  );
};

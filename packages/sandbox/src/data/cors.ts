/**
 * The data API from a browser: for the configured origins, and never with credentials (the Fetch
 * standard's CORS protocol).
 *
 * §5 lets an access token be sent to a browser, so a page may ask for data with it. Preflights are
 * answered before any limit counts them; rate headers are exposed, for a page has to keep to them
 * as well.
 */
import { empty, type RequestInput, type ResponseOutput, withHeaders } from "../http/messages.ts";
import { RateLimitHeaders } from "../rates/RatePolicy.ts";

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

/** Answers a request with the CORS headers of the configured origins. */
export const withDataCors = (
  request: RequestInput,
  origins: ReadonlyArray<string>,
  handle: (request: RequestInput) => ResponseOutput,
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

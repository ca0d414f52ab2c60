/**
 * CORS for the configured origins, never with credentials (the Fetch standard's CORS protocol).
 *
 * §5 lets an access token be sent to a browser, so a page may request tokens and data. Rate headers
 * are exposed, because a page has to stay within the limits as well.
 */
import * as Response from "effect/http/HttpServerResponse";
import type { Exchange } from "./Exchange.ts";

const RULES = ["ip", "account", "client"];
const EXPOSED = [
  "x-rate-limit-policy",
  "x-rate-limit-rules",
  ...RULES.flatMap((rule) => [`x-rate-limit-${rule}`, `x-rate-limit-${rule}-state`]),
  "retry-after",
].join(", ");

const DATA_PREFLIGHT = Response.empty({
  status: 204,
  headers: {
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": "authorization, content-type",
    "access-control-max-age": "600",
  },
});

const TOKEN_HEADERS = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "authorization, content-type",
};

export const makeCors = (origins: ReadonlyArray<string>) => {
  const mayRead = ({ headers: { origin } }: Exchange): boolean =>
    origin !== undefined && origins.includes(origin);
  return {
    /** Answers a preflight of the data API; no limit counts it. */
    preflight: (exchange: Exchange): Response.HttpServerResponse | undefined =>
      exchange.listener === "data" &&
      exchange.method === "OPTIONS" &&
      exchange.headers["access-control-request-method"] !== undefined &&
      mayRead(exchange)
        ? DATA_PREFLIGHT
        : undefined,
    /** Lets a page of a configured origin read a response. */
    expose: (exchange: Exchange, response: Response.HttpServerResponse) => {
      const { listener, path } = exchange;
      if (origins.length === 0 || !(listener === "data" || path.startsWith("/oauth/token")))
        return response;
      const { vary } = response.headers;
      const varying = Response.setHeader(
        response,
        "vary",
        vary === undefined ? "Origin" : `${vary}, Origin`,
      );
      if (!mayRead(exchange)) return varying;
      return Response.setHeaders(varying, {
        "access-control-allow-origin": exchange.headers.origin!,
        ...(listener === "data" ? { "access-control-expose-headers": EXPOSED } : TOKEN_HEADERS),
      });
    },
  };
};

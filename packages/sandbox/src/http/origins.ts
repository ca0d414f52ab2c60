/**
 * Access to a sandbox: the names under which it answers (its own, those of this machine, and those
 * that `hosts` adds), and the web pages that may read its responses (CORS).
 *
 * A web page may rebind its own name to 127.0.0.1. It then has the same origin as the sandbox, and
 * could fetch a token and read the data API. It cannot change the `Host` that its browser sends, so
 * every listener refuses a request under a foreign name. A `Host` is only compared: no response is
 * built from it (RFC 9700 §4.13).
 */
import { isLoopbackHost } from "@game-data/contract/SecureUrl";
import type { SandboxConfig } from "../Options.ts";
import * as Response from "effect/http/HttpServerResponse";
import type { Exchange } from "./Exchange.ts";

/** Result of checking a `Host` header: its origin, and the reason if the request is refused. */
interface HostCheckResult {
  /** The origin of the request; undefined if the header is malformed. */
  readonly origin: string | undefined;
  readonly refused: string | undefined;
}

export type HostCheck = (host: string | undefined) => HostCheckResult;

/**
 * Makes the check of `Host` headers of a sandbox.
 *
 * A sandbox that other machines reach (`allowRemote`) cannot know its names, so without `hosts` it
 * accepts every name.
 */
export const makeHostCheck = ({
  authUrl,
  baseUrl,
  controlUrl,
  hosts,
}: Pick<SandboxConfig, "authUrl" | "baseUrl" | "controlUrl" | "hosts">): HostCheck => {
  const own = [authUrl, baseUrl, controlUrl].map((url) => new URL(url));
  const allowed = new Set([
    ...own.map(({ hostname }) => hostname),
    ...(hosts ?? []).map((host) => host.toLowerCase()),
  ]);
  const takesAny = hosts === undefined && own.some(({ hostname }) => !isLoopbackHost(hostname));
  const check = (host: string | undefined): HostCheckResult => {
    // Requests in process and of HTTP/1.0 may have no `Host`; a browser always sends one.
    const url = host === undefined ? own[2] : parse(host);
    if (url === undefined) return { origin: undefined, refused: "the Host header is malformed" };
    const isOurs = takesAny || allowed.has(url.hostname) || isLoopbackHost(url.hostname);
    const refused = isOurs ? undefined : "the Host is not a name of this sandbox";
    return { origin: url.origin, refused };
  };
  // Keep the last result: a client sends one name, and parsing it costs a fiftieth of a request.
  let last: { readonly host: string | undefined; readonly result: HostCheckResult } | undefined;
  return (host) => {
    if (last === undefined || last.host !== host) last = { host, result: check(host) };
    return last.result;
  };
};

const parse = (host: string): URL | undefined => {
  const url = `http://${host}`;
  return URL.canParse(url) && !/[/?#@\\]/u.test(host) ? new URL(url) : undefined;
};

/*
 * CORS for the configured origins, never with credentials (the Fetch standard's CORS protocol). §5
 * lets an access token be sent to a browser, so a page may request tokens and data. Rate headers are
 * exposed, because a page has to stay within the limits as well.
 */

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
    /** Answers a preflight of the data API, which no rate limit counts. */
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

/**
 * Keeps web pages of other sites away from the control plane, which has no authentication.
 *
 * A page that somebody happens to visit can send requests to loopback addresses. Two questions tell them apart: the `Host` has to
 * be a name of this machine (a page that rebinds its own name to 127.0.0.1 still sends that name), and an `Origin`, which browsers
 * send with everything that changes something, has to be the control plane's own. Programs send no `Origin`. No CORS
 * header is ever sent, so nothing can be read across origins either.
 */
import { HttpServerResponse, type HttpServerRequest } from "effect/http";

const LOOPBACK =
  /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/** Why a request to the control plane at `controlUrl` is refused, or undefined. */
export const whyRefused = (
  { headers, url }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "url">,
  controlUrl: string,
): string | undefined => {
  const own = new URL(controlUrl);
  const host = hostOf(headers["host"] ?? authorityOf(url) ?? own.host);
  if (host === undefined) return "the Host header is malformed";
  // Bound to an address that others may reach (`allowRemote`), it goes by names that nobody here can know.
  const isLocal = LOOPBACK.test(own.hostname);
  if (isLocal && !LOOPBACK.test(host.hostname)) return "the Host is not a name of this machine";
  const { origin } = headers;
  if (origin !== undefined && origin !== host.origin)
    return "web pages of other origins may not use the control plane";
  return undefined;
};

/** 403 with the reason. */
export const refuse = (reason: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ reason }, { status: 403 });

const hostOf = (host: string): URL | undefined => {
  const url = `http://${host}`;
  return URL.canParse(url) && !/[/?#@\\]/u.test(host) ? new URL(url) : undefined;
};

/** In process there is no Host header: the request carries its whole address. */
const authorityOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).host : undefined;

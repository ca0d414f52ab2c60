/**
 * Redirect URIs: which may be registered (§5), and when the one of a request is the registered one.
 *
 * Both work on the raw string. A URL parser reads `127.1`, `0x7f.1`, `127.0.0.1\@evil` and a host
 * in upper case as something else than they look like; here what does not look right is wrong (RFC
 * 8252 §8.4, RFC 9700 §2.1).
 */
import type { ClientKind } from "./Model.ts";

/**
 * A loopback literal, any port, a path, perhaps a query (RFC 8252 §7.3). No userinfo, escapes of
 * the host, or fragment.
 */
const LOOPBACK =
  /^http:\/\/(127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(\/[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*)$/u;

/** HTTPS on a host name in lower case with at least two labels. */
const HTTPS =
  /^https:\/\/([^/?#\\@:]+)(?::(\d{1,5}))?(\/[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*)?$/u;

const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/u;

/** The rule that a redirect URI breaks as a registered one, or undefined. */
export const validateRedirectUri = (
  kind: ClientKind,
  uri: string,
  domains: ReadonlyArray<string>,
): string | undefined => (kind === "public" ? loopbackProblem(uri) : domainProblem(uri, domains));

/**
 * Whether the redirect URI of a request is the registered one: the same string, and for a public
 * client's loopback literal any port (RFC 8252 §7.3).
 */
export const redirectMatches = (
  kind: ClientKind,
  registered: string,
  requested: string,
): boolean => {
  if (registered === requested) return true;
  if (kind !== "public") return false;
  const left = LOOPBACK.exec(registered);
  const right = LOOPBACK.exec(requested);
  return (
    left !== null &&
    right !== null &&
    isPort(right[2]) &&
    left[1] === right[1] &&
    left[3] === right[3]
  );
};

/** Adds parameters to a redirect URI, keeping its own query (RFC 6749 §3.1.2). */
export const withParameters = (
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string => {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  return `${uri}${uri.includes("?") ? (/[?&]$/u.test(uri) ? "" : "&") : "?"}${query}`;
};

/** A port as RFC 3986 writes it: without leading zeros, and one that can be connected to. */
const isPort = (port: string | undefined): boolean =>
  port === undefined || (/^[1-9]\d{0,4}$/u.test(port) && Number(port) <= 65_535);

const loopbackProblem = (uri: string): string | undefined => {
  const parts = LOOPBACK.exec(uri);
  if (parts === null) {
    return "a public client's redirect URI is http on 127.0.0.1 or [::1] with a path and no fragment";
  }
  return isPort(parts[2]) ? undefined : "the port of the redirect URI is out of range";
};

const domainProblem = (uri: string, domains: ReadonlyArray<string>): string | undefined => {
  const parts = HTTPS.exec(uri);
  if (parts === null) {
    return "a confidential client's redirect URI is https without userinfo or fragment";
  }
  if (!isPort(parts[2])) return "the port of the redirect URI is out of range";
  const host = parts[1] as string;
  if (host === "localhost" || host.endsWith(".localhost")) return "localhost is not accepted";
  if (/^[\d.]+$/u.test(host) || host.startsWith("[") || /^0x/iu.test(host))
    return "IP addresses are not accepted";
  if (!HOST_NAME.test(host))
    return "the host of the redirect URI is not a domain name in lower case";
  const registered = domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  return registered
    ? undefined
    : "the host of the redirect URI is not a registered domain of the owner";
};

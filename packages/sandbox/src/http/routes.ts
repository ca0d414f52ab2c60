/** Finds the listener, the endpoint and the body limit of a path. */
import { matchPath, oauthRoutes, routes } from "@game-data/contract/routes";
import { LruCache } from "../internal/LruCache.ts";
import type { Exchange, Listener, Match } from "./Exchange.ts";

/** Splits a URL without an origin into path and query. */
export const splitUrl = (url: string): readonly [path: string, query: string] => {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
};

/** First path segments of the listeners that are not the data API. */
const SEGMENTS: Readonly<Record<string, Listener>> = {
  oauth: "auth",
  "sign-in": "auth",
  "sign-out": "auth",
  my: "auth",
  control: "control",
  "openapi.json": "control",
  // The console: a page at the root, its script and its style.
  "": "control",
  "console.js": "control",
  "console.css": "control",
};

/**
 * Returns the listener of a path, with or without a query. Undoes escapes, so that no listener can
 * be reached through another: `/%63ontrol` is `/control`.
 */
export const listenerOf = (path: string): Listener => {
  const segment = unescape(/^\/+([^/?#;]*)/u.exec(path)?.[1] ?? "");
  return Object.hasOwn(SEGMENTS, segment) ? SEGMENTS[segment]! : "data";
};

const unescape = (segment: string): string => {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Endpoints and pages of the OAuth server. */
const AUTH: ReadonlyMap<string, Match> = new Map(
  [
    ...Object.entries(oauthRoutes).map(
      ([name, { method, path }]) => [`${method} ${path}`, name] as const,
    ),
    ["GET /oauth/consent", undefined] as const,
    ["POST /oauth/consent", undefined] as const,
    ["POST /sign-in", undefined] as const,
    ["POST /sign-out", undefined] as const,
    ["GET /my/applications", undefined] as const,
    ["POST /my/applications/revoke", undefined] as const,
  ].map(([address, name]) => [
    address,
    { name, template: address.split(" ")[1]!, params: {}, scopes: [] },
  ]),
);

/** Methods that the sandbox knows. Any other method is answered with 501. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Finds the endpoint of a request; `HEAD` counts as `GET`. */
export const findEndpoint = (
  listener: Exchange["listener"],
  method: string,
  path: string,
): Match | undefined => {
  const wanted = method === "HEAD" ? "GET" : method;
  if (listener === "auth") return AUTH.get(`${wanted} ${path}`);
  return matches.get(`${wanted} ${path}`, () => {
    const found = listenerOf(path) === "data" ? matchPath(wanted, path) : undefined;
    if (found === undefined) return undefined;
    const { path: template, scopes } = routes[found.name];
    return { name: found.name, template, params: found.params, scopes };
  });
};

/** Cached matches by method and path. Matching a path would take a tenth of a request's time. */
const matches = new LruCache<Match | undefined>(1_000);

/** Returns the methods that a path of the data API answers. */
export const allowedMethods = (path: string): ReadonlyArray<string> =>
  METHODS.filter((method) => findEndpoint("data", method, path) !== undefined);

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/**
 * Returns the maximum size of a body in bytes: filters and control 1 MB, snapshots 64 MB, all
 * others 64 kB, of which `readForm` takes 16 kB.
 */
export const bodyLimit = (url: string): number => {
  const [path] = splitUrl(url);
  if (path === "/control/restore") return 64 * MEGABYTE;
  if (path.startsWith("/control/") || path.startsWith("/item-filter")) return MEGABYTE;
  return 64 * KILOBYTE;
};

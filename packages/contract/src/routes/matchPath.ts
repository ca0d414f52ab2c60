/** Finds the operation that a path belongs to: the inverse of `requestTarget`. */
import { identityWords, realmFromWire, realmToWire, type Words } from "../Words.ts";
import type { Route } from "./Route.ts";
import { type RouteName, routes } from "./table.ts";

/** The operation of a path, and its parameters as texts. Realms are the specification's words. */
export interface PathMatch {
  readonly name: RouteName;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Returns the first operation of the table that fits the path. Returns `undefined` if no operation
 * fits, and for a path with a query, a fragment or an origin.
 *
 * @example
 * ```ts
 * import { matchPath } from "@game-data/contract/routes";
 *
 * console.log(matchPath("GET", "/league/Ember"));
 * // { name: 'leagues.get', params: { league: 'Ember' } }
 * ```
 */
export const matchPath = (
  method: string,
  path: string,
  words: Words = identityWords,
): PathMatch | undefined => {
  const canonical = canonicalPath(path);
  for (const [name, route] of Object.entries(routes) as Array<[RouteName, Route]>) {
    const [prefix] = route.path.split("/:");
    if (route.method !== method || !canonical?.startsWith(prefix!)) continue;
    const match = pathPattern(route, words).exec(canonical);
    if (match === null) continue;
    const params: Record<string, string> = {};
    for (const [key, text] of Object.entries(match.groups ?? {})) {
      if (text === undefined) continue;
      const value = decodeURIComponent(text);
      params[key] = key === "realm" ? realmFromWire(value, words) : value;
    }
    return { name, params };
  }
  return undefined;
};

/** Encodes each segment as `requestTarget` does. `undefined` for a query or an invalid encoding. */
const canonicalPath = (path: string): string | undefined => {
  if (/[?#]/u.test(path)) return undefined;
  try {
    return path
      .split("/")
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join("/");
  } catch {
    return undefined;
  }
};

const pathPattern = ({ params, path, pcWhen, route }: Route, words: Words): RegExp => {
  const names = (params["realm"] ?? []) as ReadonlyArray<string>;
  const realms = names.map((realm) => realmToWire(realm, words)).join("|");
  // A path contains `pc` before a name that could be read as a realm.
  const realm = pcWhen === undefined ? realms : `${realms}|pc(?=/(?:${realms})(?:/|$))`;
  const source = path.replaceAll(/\/:(\w+)(\??)/gu, (_, key: string, optional: string) => {
    // If the realm ends the path, any text matches, so that its rule can refuse an unknown realm.
    const isRealm = key === "realm" && !route.endsWith(":realm?");
    return `(?:/(?<${key}>${isRealm ? realm : "[^/]+"}))${optional}`;
  });
  return new RegExp(`^${source}$`, "u");
};

/** Finds the operation that a path belongs to: the inverse of `requestTarget`. */
import { identityWords, realmFromWire, realmToWire, type Words } from "../Words.ts";
import type { Route } from "./Route.ts";
import { type RouteName, routes } from "./table.ts";

/** The operation of a path, and its parameters as texts, in the specification's words. */
export interface PathMatch {
  readonly name: RouteName;
  readonly params: Readonly<Record<string, string>>;
}

type Params = PathMatch["params"];

/**
 * Returns the first operation of the table that the path fits; `undefined` for none. The path has
 * neither query nor address.
 */
export const matchPath = (
  method: string,
  path: string,
  words: Words = identityWords,
): PathMatch | undefined => {
  const values = decodeSegments(path);
  if (values === undefined) return undefined;
  for (const [name, route] of Object.entries(routes) as Array<[RouteName, Route]>) {
    // The first segment of every path is a literal.
    if (route.method !== method || !route.path.startsWith(values[0]!, 1)) continue;
    const params = matchRoute(route, values, words);
    if (params !== undefined) return { name, params };
  }
  return undefined;
};

const decodeSegments = (path: string): ReadonlyArray<string> | undefined => {
  if (!path.startsWith("/")) return undefined;
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return undefined; // a stray % or an encoding that is not UTF-8
  }
};

/** Matches a path with a realm, with `pc` spelled out, or without a realm. */
const matchRoute = (
  { path, route, params: rules, pcWhen }: Route,
  values: ReadonlyArray<string>,
  words: Words,
): Params | undefined => {
  const segments = path.slice(1).split("/");
  const place = segments.indexOf(":realm?");
  if (place === -1) return matchSegments(segments, values);
  // No other operation begins like this one, so an unknown realm is its parameter, and its rule
  // refuses it.
  if (route.endsWith(":realm?")) {
    const params = matchSegments(segments, values);
    const realm = params?.["realm"];
    return realm === undefined ? params : { ...params, realm: realmFromWire(realm, words) };
  }
  const isRealm = (value: string | undefined) =>
    (rules["realm"] as ReadonlyArray<string>).some((realm) => realmToWire(realm, words) === value);
  const value = values[place]!;
  const others = segments.toSpliced(place, 1);
  // The parameter right behind the realm is the one that could be read as a realm.
  const isSpelledOut = pcWhen !== undefined && value === "pc" && isRealm(values[place + 1]);
  const params =
    isRealm(value) || isSpelledOut ? matchSegments(others, values.toSpliced(place, 1)) : undefined;
  return params === undefined
    ? matchSegments(others, values)
    : { realm: isSpelledOut ? "pc" : realmFromWire(value, words), ...params };
};

/** Returns the values of the parameters; `undefined` if the values do not fit the segments. */
const matchSegments = (
  segments: ReadonlyArray<string>,
  values: ReadonlyArray<string>,
): Params | undefined => {
  if (values.length > segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = values[index];
    if (!segment.startsWith(":")) {
      if (value !== segment) return undefined;
    } else if (value === undefined) {
      if (!segment.endsWith("?")) return undefined;
    } else if (value === "") return undefined;
    else params[segment.replace(/^:|\?$/gu, "")] = value;
  }
  return params;
};

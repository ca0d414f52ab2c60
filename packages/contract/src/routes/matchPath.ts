/** Finds the operation that a path belongs to: the way back from `requestTarget`. */
import { type RouteName, routes } from "./table.ts";
import { identityWords, realmFromWire, realmToWire, type Words } from "../Words.ts";
import type { Route } from "./Route.ts";

/** The operation of a path, and its parameters as strings, in neutral words. */
export interface PathMatch {
  readonly name: RouteName;
  readonly params: Readonly<Record<string, string>>;
}

type Params = PathMatch["params"];

/**
 * The operation of the data API that a path belongs to: the first of the table that can be read from
 * it. The path has no query and no address.
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
    const params = readRoute(route, values, words);
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

/** Reads a path with a realm, with `pc` spelled out, or without a realm. */
const readRoute = (
  { path, route, params: rules, pcWhen }: Route,
  values: ReadonlyArray<string>,
  words: Words,
): Params | undefined => {
  const segments = path.slice(1).split("/");
  const place = segments.indexOf(":realm?");
  if (place === -1) return read(segments, values);
  // No other operation begins like this one: an unknown realm is its parameter, and refused as
  // such.
  if (route.endsWith(":realm?")) {
    const { realm, ...found } = read(segments, values) ?? {};
    if (realm === undefined) return read(segments, values);
    return { ...found, realm: realmFromWire(realm, words) };
  }
  const isRealm = (value: string | undefined) =>
    (rules["realm"] as ReadonlyArray<string>).some((realm) => realmToWire(realm, words) === value);
  const value = values[place]!;
  const rest = segments.toSpliced(place, 1);
  // The parameter right behind the realm is the one that could be read as one.
  const isSpelled = pcWhen !== undefined && value === "pc" && isRealm(values[place + 1]);
  const found = isRealm(value) || isSpelled ? read(rest, values.toSpliced(place, 1)) : undefined;
  return found === undefined
    ? read(rest, values)
    : { realm: isSpelled ? "pc" : realmFromWire(value, words), ...found };
};

/** Reads values along segments without a realm. */
const read = (
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

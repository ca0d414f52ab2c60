/** Finds the operation that a path belongs to: the way back from `requestTarget`. */
import { type RouteName, routes } from "./table.ts";
import { identityWords, realmFromWire, realmToWire, type Words } from "../Words.ts";
import type { Route } from "./Route.ts";
import { isWords } from "./rules.ts";

/** The operation of a path, and its parameters as strings, in neutral words. */
export interface PathMatch {
  readonly name: RouteName;
  readonly params: Readonly<Record<string, string>>;
}

/** The closeness of a match: a literal, a word of a list, any value. */
type Rank = 0 | 1 | 2;

interface Candidate {
  readonly params: Readonly<Record<string, string>>;
  readonly ranks: ReadonlyArray<Rank>;
}

/** The operation of the data API that a path belongs to. The path has no query and no address. */
export const matchPath = (
  method: string,
  path: string,
  words: Words = identityWords,
): PathMatch | undefined => {
  const values = decodeSegments(path);
  if (values === undefined) return undefined;
  let best: (PathMatch & Candidate) | undefined;
  for (const [name, route] of Object.entries(routes) as Array<[RouteName, Route]>) {
    // The first segment of every path is a literal.
    if (route.method !== method || !route.path.startsWith(values[0]!, 1)) continue;
    for (const candidate of candidates(route, values, words))
      if (best === undefined || isCloser(candidate.ranks, best.ranks))
        best = { name, ...candidate };
  }
  return best && { name: best.name, params: best.params };
};

const decodeSegments = (path: string): ReadonlyArray<string> | undefined => {
  if (!path.startsWith("/")) return undefined;
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return undefined; // a stray % or an encoding that is not UTF-8
  }
};

/** The readings of a path: with a realm, with `pc` spelled out, and without a realm. */
const candidates = (
  { path, route, params: rules, pcWhen }: Route,
  values: ReadonlyArray<string>,
  words: Words,
): ReadonlyArray<Candidate> => {
  const segments = path.slice(1).split("/");
  const realms = rules["realm"];
  const place = segments.indexOf(":realm?");
  if (place === -1 || realms === undefined || !isWords(realms))
    return [read(segments, values)].filter(isFound);
  // No other operation begins like this one: an unknown realm is its parameter, and refused as
  // such.
  if (route.endsWith(":realm?")) {
    const found = read(segments, values);
    const realm = found?.params["realm"];
    if (found === undefined || realm === undefined) return [found].filter(isFound);
    return [{ ...found, params: { ...found.params, realm: realmFromWire(realm, words) } }];
  }
  const isRealm = (value: string | undefined) =>
    realms.some((realm) => realmToWire(realm, words) === value);
  const value = values[place];
  const rest = segments.toSpliced(place, 1);
  const others = values.toSpliced(place, 1);
  const withRealm = (realm: string, isPcWord: boolean): ReadonlyArray<Candidate> => {
    const found = read(rest, others);
    if (found === undefined) return [];
    const ranks = found.ranks.toSpliced(place, 0, 1);
    if (isPcWord) ranks[place + 1] = 1;
    return [{ params: { realm, ...found.params }, ranks }];
  };
  const withoutRealm = [read(rest, values)].filter(isFound);
  if (isRealm(value)) return [...withRealm(realmFromWire(value!, words), false), ...withoutRealm];
  // The parameter right behind the realm is the one that could be read as one.
  return pcWhen !== undefined && value === "pc" && isRealm(values[place + 1])
    ? [...withRealm("pc", true), ...withoutRealm]
    : withoutRealm;
};

const isFound = (candidate: Candidate | undefined): candidate is Candidate =>
  candidate !== undefined;

/** Reads values along segments without a realm. */
const read = (
  segments: ReadonlyArray<string>,
  values: ReadonlyArray<string>,
): Candidate | undefined => {
  if (values.length > segments.length) return undefined;
  const params: Record<string, string> = {};
  const ranks: Array<Rank> = [];
  for (const [index, segment] of segments.entries()) {
    const value = values[index];
    if (!segment.startsWith(":")) {
      if (value !== segment) return undefined;
      ranks.push(0);
    } else if (value === undefined) {
      if (!segment.endsWith("?")) return undefined;
    } else {
      if (value === "") return undefined;
      params[segment.replace(/^:|\?$/gu, "")] = value;
      ranks.push(2);
    }
  }
  return { params, ranks };
};

/** The order of preference of routers, segment by segment. */
const isCloser = (ranks: ReadonlyArray<Rank>, than: ReadonlyArray<Rank>): boolean => {
  const index = ranks.findIndex((rank, at) => rank !== than[at]);
  return index !== -1 && ranks[index]! < (than[index] ?? 3);
};

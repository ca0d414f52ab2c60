/**
 * What a request that no route is for may have meant: the templates it comes near to, and what
 * differs. Names nothing of the request but words that are nearly those of a template, so no secret
 * in a path is told.
 */
import { nearestOf } from "../internal/document.ts";
import { withoutWords } from "./Listener.ts";

export interface NearMiss {
  readonly method: string;
  readonly template: string;
  /** What differs: "`ladders` is `ladder`", "GET, not POST". */
  readonly reasons: ReadonlyArray<string>;
}

type Candidate = Pick<NearMiss, "method" | "template">;

/** One way from the segments that came to those of a template. */
interface Way {
  readonly cost: number;
  /** How many words of the template were named: a template without any is no help. */
  readonly named: number;
  readonly reasons: ReadonlyArray<string>;
}

/** A longer path is no mistyped one. */
const MOST_SEGMENTS = 12;
const MOST_COST = 6;
const MOST = 3;

/** At most three routes, the nearest first. */
export const nearMisses = (
  method: string,
  path: string,
  routes: ReadonlyArray<Candidate>,
): ReadonlyArray<NearMiss> => {
  const asked = path.split("/").filter(Boolean).slice(0, MOST_SEGMENTS);
  return routes
    .filter((route) => route.method !== "OPTIONS")
    .map((route) => ({ route, way: wayTo(asked, route.template.split("/").slice(1)) }))
    .map(({ route, way }) =>
      route.method === method ? { route, way } : { route, way: otherMethod(way, route, method) },
    )
    .filter(({ way }) => way.named > 0 && way.cost < MOST_COST)
    .toSorted((one, other) => one.way.cost - other.way.cost)
    .slice(0, MOST)
    .map(({ route, way }) => ({
      method: route.method,
      template: withoutWords(route.template),
      reasons: way.reasons,
    }));
};

const otherMethod = (way: Way, route: Candidate, method: string): Way => ({
  ...way,
  cost: way.cost + 1,
  reasons: [...way.reasons, `${route.method}, not ${method}`],
});

/** The cheapest way: segments are equal, nearly equal, missing, or too many. */
const wayTo = (asked: ReadonlyArray<string>, parts: ReadonlyArray<string>): Way => {
  const known = new Map<string, Way>();
  const from = (at: number, part: number): Way => {
    const key = `${at} ${part}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const ways: Array<Way> = [];
    if (at === asked.length && part === parts.length) ways.push({ cost: 0, named: 0, reasons: [] });
    if (at < asked.length && part < parts.length)
      ways.push(joined(stepOf(parts[part]!, asked[at]!), from(at + 1, part + 1)));
    if (part < parts.length) ways.push(joined(missing(parts[part]!), from(at, part + 1)));
    if (at < asked.length) ways.push(joined(EXTRA, from(at + 1, part)));
    const best = ways.toSorted((one, other) => one.cost - other.cost)[0]!;
    known.set(key, best);
    return best;
  };
  return from(0, 0);
};

const joined = (one: Way, other: Way): Way => ({
  cost: one.cost + other.cost,
  named: one.named + other.named,
  reasons: [...new Set([...one.reasons, ...other.reasons])],
});

const EXTRA: Way = { cost: 1.8, named: 0, reasons: ["the path has a segment too many"] };

/** `:realm(console_a|console_b)?` is `:realm` to people. */
const shown = (part: string): string => part.replace(/[(?].*/u, "");

const missing = (part: string): Way =>
  part.endsWith("?")
    ? { cost: 0, named: 0, reasons: [] }
    : { cost: 1.9, named: 0, reasons: [`${shown(part)} is missing`] };

/** What people type for a word; a token has digits, or is longer. */
const WORD = /^[a-z-]{1,20}$/iu;

const stepOf = (part: string, segment: string): Way => {
  const list = part.startsWith(":") ? /\(([^(]*)\)/u.exec(part)?.[1] : part;
  // A realm is one of few words, any other parameter anything.
  if (list === undefined) return { cost: part === ":realm?" ? 1.5 : 0.3, named: 0, reasons: [] };
  const words = list.split("|");
  if (words.includes(segment)) return { cost: 0, named: 1, reasons: [] };
  const typed = WORD.test(segment) ? nearestOf(segment, words) : undefined;
  const begun = words.find((word) => word.split("-").includes(segment));
  const nearest = typed ?? begun;
  if (nearest === undefined)
    return { cost: 4, named: 0, reasons: [`${shown(part)} in place of another segment`] };
  const reasons = [`\`${segment}\` is \`${nearest}\``];
  return { cost: typed === undefined ? 2 : 1, named: 1, reasons };
};

/**
 * Names the places for which a value is refused, by walking it along a shape.
 *
 * The compiled check decides; this explains, and runs only after a refusal. Both agree on every
 * value (a test compares them), so an explanation is never empty. The walk counts all places, keeps
 * the wanted number of them, and stops at the first record that is nested too deeply.
 *
 * Every record carries this module, so it is written to be small.
 */
import { MAX_DEPTH } from "./depth.ts";
import type { Shape } from "./Shape.ts";
import { isUint } from "./tests.ts";

/** A place in a value, key by key. */
export type Path = ReadonlyArray<string | number>;

/** A place at fault. */
export interface Issue {
  /** The place in the value (RFC 6901); the empty string is the value itself. */
  readonly pointer: string;
  /** The same place, key by key. */
  readonly path: Path;
  /** The type that is needed there. */
  readonly expected: string;
  /** The JSON type that was found, or `absent`; never the value. */
  readonly actual: string;
}

/** The first places at fault, and the number of all of them. */
export interface Blame {
  readonly issues: ReadonlyArray<Issue>;
  readonly count: number;
  /** The misfit, to choose between alternatives: a wrong literal outweighs the rest. */
  readonly weight: number;
  readonly isTooDeep: boolean;
}

/** The places at fault; `limit` is the largest number to name. */
export const blame = (
  shape: Shape,
  value: unknown,
  limit: number,
  at: Path = [],
  depth = 0,
): Blame => {
  const issues: Array<Issue> = [];
  let count = 0;
  let misses = 0;
  let isTooDeep = false;

  /** Names are made for the places that are kept alone. */
  const refuse = (path: Path, expected: Shape, actual: string, key?: string): void => {
    if (count++ >= limit) return;
    const place = key === undefined ? path : [...path, key];
    issues.push({
      path: place,
      pointer: pointerOf(place),
      expected: nameOf(expected),
      actual,
    });
  };

  const visit = (one: Shape, item: unknown, path: Path, level: number): void => {
    if (isTooDeep) return;
    if (typeof one === "function") {
      if (level < MAX_DEPTH) return visit(one().shape, item, path, level + 1);
      isTooDeep = true;
      return refuse(path, TOO_DEEP, "more");
    }
    const wrong = () => refuse(path, one, typeOf(item));
    if (typeof one === "string") {
      for (const letter of one) if (isLeaf(letter, item)) return;
      return wrong();
    }
    if (!isTagged(one))
      return typeOf(item) === "object" ? members(one, item, path, level) : wrong();
    const [tag, inner] = one;
    if (tag === "@") return visit(inner.shape, item, path, 0);
    if (tag === "=") {
      if ((one as Path).includes(item as string, 1)) return;
      misses += 1;
      return wrong();
    }
    if (tag === "|") return alternatives(one, item, path, level);
    if (typeOf(item) !== nameOf(one)) return wrong();
    if (tag === "{") {
      for (const key in item as Item) visit(inner, (item as Item)[key], [...path, key], level);
      return;
    }
    const list = item as ReadonlyArray<unknown>;
    const elements = tag === "(" ? (one.slice(2) as ReadonlyArray<Shape>) : undefined;
    const length = elements?.length ?? list.length;
    if (list.length < length || (elements && inner && list.length > length)) return wrong();
    for (let index = 0; index < length; index++)
      visit(elements?.[index] ?? (inner as Shape), list[index], [...path, index], level);
  };

  const members = (named: Members, item: unknown, path: Path, level: number): void => {
    const found = new Set<string>();
    for (const key in item as Item) {
      found.add(key);
      const name = Object.hasOwn(named, key) ? key : `${key}?`;
      if (Object.hasOwn(named, name))
        visit(named[name]!, (item as Item)[key], [...path, key], level);
    }
    for (const name in named)
      if (!name.endsWith("?") && !found.has(name)) refuse(path, named[name]!, "absent", name);
  };

  /** Explains a value by the alternative of its type that has the fewest places at fault. */
  const alternatives = (tagged: Tagged, item: unknown, path: Path, level: number): void => {
    let best: Blame | undefined;
    for (const one of tagged.slice(1) as ReadonlyArray<Shape>) {
      const trial = blame(one, item, limit, path, level);
      if (trial.count === 0) return;
      if (trial.issues[0]!.path.length > path.length && !(best && best.weight <= trial.weight))
        best = trial;
    }
    if (best === undefined) return refuse(path, tagged, typeOf(item));
    issues.push(...best.issues.slice(0, Math.max(0, limit - count)));
    count += best.count;
    isTooDeep = best.isTooDeep;
  };

  try {
    visit(shape, value, at, depth);
  } catch {
    refuse(at, shape, "exception"); // a getter or a proxy
  }
  return { issues, count, weight: misses * 1e9 + count, isTooDeep };
};

type Item = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, Shape>>;
type Tagged = Extract<Shape, ReadonlyArray<unknown>>;

const isTagged = (shape: Shape): shape is Tagged => Array.isArray(shape);

/** A letter that no shape has: no value fits it. */
const TOO_DEEP = "d";

/** The leaves of shapes by their letters. */
const NAMES: Readonly<Record<string, string>> = {
  s: "string",
  n: "null",
  b: "boolean",
  i: "integer",
  u: "unsigned integer",
  f: "finite number",
  [TOO_DEEP]: "fewer levels of nesting",
};

const isLeaf = (letter: string, value: unknown): boolean =>
  letter === "a" ||
  NAMES[letter] === typeOf(value) ||
  (letter === "f" && Number.isFinite(value)) ||
  (letter === "i" && Number.isSafeInteger(value)) ||
  (letter === "u" && isUint(value));

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** The JSON pointer (RFC 6901) of a place. */
const pointerOf = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The name of a type. Null is left out where there is another type: absence would do as well. */
const nameOf = (shape: Shape): string => {
  if (typeof shape === "string") return joined([...shape].map((letter) => NAMES[letter]));
  if (!isTagged(shape)) return "object";
  const [tag, ...parts] = shape;
  if (tag === "=") return joined(parts.map((part) => JSON.stringify(part)));
  if (tag === "|") return joined((parts as ReadonlyArray<Shape>).map(nameOf));
  return tag === "[" || tag === "(" ? "array" : "object";
};

const joined = (names: ReadonlyArray<string | undefined>): string =>
  [...new Set(names)].filter((name, _, { length }) => length < 2 || name !== "null").join(" or ");

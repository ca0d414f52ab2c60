/**
 * Names the places for which a value is refused, by walking it along a shape.
 *
 * The compiled check decides; this explains, and runs only after a refusal. It asks the check of
 * each record before it enters the record, so no place is named inside one that the check accepts.
 * Alternatives are chosen by JSON type or by a literal member, so nothing is walked twice. The walk
 * ends with the wanted number of places, or at the first record that is nested too deeply.
 *
 * Every record carries this module, so it is written to be small.
 */
import { MAX_DEPTH } from "./depth.ts";
import { jsonTypeOf } from "./jsonTypeOf.ts";
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

/** The first places at fault. */
export interface Explanation {
  readonly issues: ReadonlyArray<Issue>;
  /** Whether the walk ended before the value did: there are more places, or may be. */
  readonly hasMore: boolean;
}

/** The number of places to name: at least one, and 10 where no number is asked for. */
export const boundOf = (limit: unknown): number => Math.max(1, Number(limit)) || 10;

/**
 * The places at fault of a value that was refused, at least one; `limit` is the largest number to
 * name. A getter may say one thing to the check and another one here, and `in` finds members of a
 * class that the check cannot list: then the value itself is named.
 */
export const explain = (shape: Shape, value: unknown, limit?: number): Explanation => {
  const most = boundOf(limit);
  const issues: Array<Issue> = [];
  const path: Array<string | number> = [];

  const refuse = (expected: string, actual: string, ...key: Path): void => {
    if (issues.length >= most) throw END;
    const place = [...path, ...key];
    issues.push({ path: place, pointer: pointerOf(place), expected, actual });
  };

  const visit = (one: Shape, item: unknown, level: number): void => {
    if (typeof one === "function") {
      if (level < MAX_DEPTH) return visit(one().shape, item, level + 1);
      refuse("fewer levels of nesting", TOO_DEEP);
      throw END;
    }
    if (!fits(one, item)) return refuse(nameOf(one), jsonTypeOf(item));
    if (typeof one === "string") return;
    const [tag, inner, words, cases] = (isTagged(one) ? one : []) as ReadonlyArray<any>;
    if (tag === "@") {
      if (!inner.is?.(item)) visit(inner.shape, item, 0);
    } else if (tag === "|") {
      visit(
        partsOf(one).find((part) => fits(part, item))!,
        item,
        level,
      );
    } else if (tag === "?") {
      const word = (item as Item)[inner];
      visit(fits(words, word) ? cases[word as string] : { [inner]: words }, item, level);
    } else {
      eachPart(one, item as Item, (part, key, isAbsent) => {
        if (isAbsent) return refuse(nameOf(part), ABSENT, key);
        path.push(key);
        visit(part, (item as Item)[key], level);
        path.pop();
      });
    }
  };

  let hasMore = false;
  try {
    visit(shape, value, 0);
  } catch (thrown) {
    hasMore = true;
    // A getter or a proxy has thrown.
    if (thrown !== END && issues.length < most) refuse("readable value", "error");
  }
  if (!issues[0]) refuse("valid value", jsonTypeOf(value));
  return { issues, hasMore };
};

/**
 * Calls `use` with the members and elements that a shape knows. It asks for the members of the shape,
 * for a hostile object has any number of its own.
 */
const eachPart = (
  shape: Shape,
  item: Item,
  use: (part: Shape, key: string | number, isAbsent?: boolean) => void,
): void => {
  if (isTagged(shape)) {
    const [tag, inner, ...parts] = shape as readonly [string, any, ...Array<Shape>];
    const length = item["length"] as number;
    if (tag === "{") for (const key in item) use(inner, key);
    if (nameOf(shape) === "array")
      for (let i = 0; i < (parts.length || length); i++) use(parts[i] ?? inner, i, i >= length);
    return;
  }
  // Not `entries`: the walk mostly ends with the first member, and pages have a million records.
  for (const name in shape as object) {
    const part = (shape as Readonly<Record<string, Shape>>)[name]!;
    const key = name.replace("?", "");
    if (key in item) use(part, key);
    else if (key === name) use(part, key, true);
  }
};

type Item = Readonly<Record<string | number, unknown>>;
type Tagged = Extract<Shape, ReadonlyArray<unknown>>;

const isTagged = (shape: Shape): shape is Tagged => Array.isArray(shape);

const partsOf = (shape: Shape): ReadonlyArray<Shape> => (shape as ReadonlyArray<Shape>).slice(1);

/** Thrown to end the walk. */
const END = {};

/** In the place of a type, where a member is absent or a record nested too deeply. */
export const ABSENT = "absent";
export const TOO_DEEP = "more";

/** The leaves of shapes by their letters. */
const NAMES: Readonly<Record<string, string>> = {
  s: "string",
  n: "null",
  b: "boolean",
  i: "integer",
  u: "unsigned integer",
  f: "finite number",
};

const isLeaf = (letter: string, value: unknown): boolean =>
  letter === "a" ||
  (letter === "f" && Number.isFinite(value)) ||
  (letter === "i" && Number.isSafeInteger(value)) ||
  (letter === "u" ? isUint(value) : NAMES[letter] === jsonTypeOf(value));

/** Whether a value is of the JSON type of a shape; members and elements are not looked at. */
export const fits = (shape: Shape, value: unknown): boolean => {
  if (typeof shape === "function") return fits(shape().shape, value);
  if (typeof shape === "string") return [...shape].some((letter) => isLeaf(letter, value));
  const [tag, inner, ...parts] = (isTagged(shape) ? shape : []) as ReadonlyArray<any>;
  if (tag === "@") return fits(inner.shape, value);
  if (tag === "=") return (shape as Path).includes(value as string, 1);
  if (tag === "|") return partsOf(shape).some((part) => fits(part, value));
  return (
    jsonTypeOf(value) === nameOf(shape) &&
    (tag !== "(" || !inner || (value as Path).length === parts.length)
  );
};

/** The JSON pointer (RFC 6901) of a place. */
const pointerOf = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The name of a type. Null is left out where there is another type: absence would do as well. */
export const nameOf = (shape: Shape): string => {
  if (typeof shape === "string") return joined([...shape].map((letter) => NAMES[letter]!));
  if (!isTagged(shape)) return "object"; // a structure, or a record inside itself
  const [tag, inner] = shape;
  if (tag === "@") return nameOf(inner.shape);
  if (tag === "=") return joined(partsOf(shape).map((part) => JSON.stringify(part)));
  if (tag === "|") return joined(partsOf(shape).map(nameOf));
  return tag === "[" || tag === "(" ? "array" : "object";
};

const joined = (names: ReadonlyArray<string>): string =>
  [...new Set(names)].filter((name, _, { length }) => length < 2 || name !== "null").join(" or ");

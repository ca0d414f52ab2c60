/**
 * Names the places for which a value is refused, by walking it along a shape.
 *
 * The compiled check decides; this explains, and runs only after a refusal. It asks the check of
 * each record before it enters the record, so no place is named inside one that the check accepts.
 * Records within a record of their own kind are walked without: their checks would each read the
 * levels below again.
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
export const boundOf = (limit: unknown): number =>
  (typeof limit === "number" && Math.max(1, limit)) || 10;

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
    const [tag, inner, ...parts] = tagged(one);
    // Before the test of all alternatives, which asks each once more; the tag itself fits nothing.
    for (const part of tag === "|" ? tagged(one) : [])
      if (fits(part, item)) return visit(part, item, level);
    if (!fits(one, item)) return refuse(nameOf(one), jsonTypeOf(item));
    if (tag === "@") return inner.is?.(item) ? undefined : visit(inner.shape, item, 0);
    const enter = (part: Shape, key: string | number): void => {
      if (!(key in (item as Item))) return refuse(nameOf(part), ABSENT, key);
      path.push(key);
      visit(part, (item as Item)[key], level);
      path.pop();
    };
    const enterMember = (name: string): void => {
      const key = name.replace("?", "");
      if (key === name || key in (item as Item)) enter((one as any)[name], key);
    };
    if (tag === "?") {
      const [words, cases] = parts;
      const word = (item as Item)[inner];
      visit(fits(words, word) ? cases[word as string] : { [inner]: words }, item, level);
    } else if (tag === "(") parts.forEach(enter);
    else if (tag === "[")
      for (let index = 0; index < (item as Path).length; index++) enter(inner, index);
    else if (tag === "{") for (const key in item as Item) enter(inner, key);
    // Not `entries`: the walk mostly ends with the first member, and pages have a million records.
    // The members of the shape, for a hostile object has any number of its own.
    else if (!tag && typeof one !== "string") for (const name in one as object) enterMember(name);
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

type Item = Readonly<Record<string | number, unknown>>;

/** The tag of a shape and what follows it; a text and a structure have none. */
const tagged = (shape: Shape): ReadonlyArray<any> => (Array.isArray(shape) ? shape : []);

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

/** The leaves that a value's JSON type does not tell. */
const TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  a: () => true,
  i: Number.isSafeInteger,
  u: isUint,
  f: Number.isFinite,
};

/** Whether a value is of the JSON type of a shape; members and elements are not looked at. */
export const fits = (shape: Shape, value: unknown): boolean =>
  alternativesOf(shape).some((one) => {
    if (typeof one === "string") return TESTS[one]?.(value) ?? NAMES[one] === jsonTypeOf(value);
    const [tag, isExact, ...parts] = tagged(one);
    if (tag === "=") return tagged(one).includes(value, 1);
    return (
      jsonTypeOf(value) === kindOf(tag) &&
      (tag !== "(" || !isExact || (value as Path).length === parts.length)
    );
  });

/** Letters, literals, lists and objects, of which a value may be any. */
const alternativesOf = (shape: Shape): ReadonlyArray<Shape> => {
  if (typeof shape === "string") return [...shape];
  if (typeof shape === "function") return alternativesOf(shape().shape);
  const [tag, inner] = tagged(shape);
  if (tag === "@") return alternativesOf(inner.shape);
  return tag === "|" ? tagged(shape).slice(1).flatMap(alternativesOf) : [shape];
};

const kindOf = (tag: unknown): string => (tag === "[" || tag === "(" ? "array" : "object");

/** The JSON pointer (RFC 6901) of a place. */
const pointerOf = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The name of a type. Null is left out where there is another type: absence would do as well. */
export const nameOf = (shape: Shape): string => {
  const names = alternativesOf(shape).flatMap((one) => {
    if (typeof one === "string") return NAMES[one]!;
    const [tag, ...words] = tagged(one);
    return tag === "=" ? words.map((word) => JSON.stringify(word)) : kindOf(tag);
  });
  return [...new Set(names)]
    .filter((name, _, { length }) => length < 2 || name !== "null")
    .join(" or ");
};

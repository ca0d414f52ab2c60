/** Validates tables, and the types that callers pass to reports. */
import type { Shape } from "./PlainRecord.ts";
import { toShape } from "./shape.ts";
import type { Notation } from "./terms.ts";

/** A record, a schema of `schemas/effect`, or a type in the notation. */
export type Source = Notation | { readonly ast: unknown; readonly shape: Shape };

/**
 * Returns the normal form of a record, of its Effect Schema, or of a type in the notation. Throws
 * `TypeError` for any other value.
 */
export const sourceShape = (source: Source): Shape => {
  if (!("ast" in Object(source))) return toShape(requireNotation(source as Notation, "source"));
  const { shape } = source as { readonly shape?: Shape };
  if (shape === undefined) throw new TypeError("An Effect Schema of your own has no table.");
  return shape;
};

const LEAF =
  /^\??(?:string|bool|true|u?int|float|any|this|double \.01|1\.\.10|date-time|uuid-v4|hex-64|hex-10|colour|currency-pair)(?:\[\])?$/u;

/** Tags of tuples. The index is the number of types inside the tuple. */
const TAGS: ReadonlyArray<ReadonlyArray<unknown>> = [
  ["words", "numbers", "literal", "cases"],
  ["?", "nullable", "absentable", "omitted", "dictionary"],
  ["either", "pair"],
];

/** Returns the notation. Throws `TypeError` with the place of the first invalid type. */
export const requireNotation = <N>(notation: N, place: string): N => {
  const inner = innerTypes(notation);
  if (inner === undefined)
    throw new TypeError(`Invalid notation at ${place}: ${JSON.stringify(notation)?.slice(0, 99)}.`);
  for (const [name, type] of inner) requireNotation(type, name ? `${place}.${name}` : place);
  return notation;
};

/** Returns the types inside a type, with their member names. `undefined` for an invalid type. */
const innerTypes = (notation: any): ReadonlyArray<readonly [string, unknown]> | undefined => {
  if (typeof notation === "string") return LEAF.test(notation) ? [] : undefined;
  if (typeof notation?.is === "function") return [];
  if (!Array.isArray(notation)) {
    const members = Object.entries(Object(notation));
    return members.length === 0 ? undefined : members;
  }
  if (notation.length === 1) return [["", notation[0]]];
  const count = TAGS.findIndex((tags) => tags.includes(notation[0]));
  if (count < 0) return undefined;
  return notation.slice(1, count + 1).map((type: unknown) => ["", type] as const);
};

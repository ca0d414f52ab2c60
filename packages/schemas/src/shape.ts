/** The normal form of the notation. Checks, explanations, schemas and reports are made from it. */
import type { Leaves, LeafType, Member, PlainRecord, Shape } from "./PlainRecord.ts";
import type { MemberNotation, Notation, Table } from "./terms.ts";

/** A record, a schema of `schemas/effect`, or a type in the notation. */
export type Source = Notation | { readonly ast: unknown; readonly shape: Shape };

/**
 * Returns the normal form of a record, of its Effect Schema, or of a type in the notation. Throws
 * `TypeError` for any other value.
 */
export const sourceShape = (source: Source): Shape => {
  if (!("ast" in Object(source))) return toShape(source as Notation);
  const { shape } = source as { readonly shape?: Shape };
  if (shape === undefined) throw invalid("", "an Effect Schema of your own has no table");
  return shape;
};

const invalid = (place: string, reason: string): TypeError =>
  new TypeError(`Invalid notation${place && ` at ${place}`}: ${reason}.`);

/** Returns the normal form of a type. Throws `TypeError` if it is not in the notation. */
export const toShape = (notation: MemberNotation, place = ""): Shape => {
  if (typeof notation === "string") return textShape(notation, place);
  if (!Array.isArray(notation)) return objectShape(notation as PlainRecord<unknown> | Table, place);
  const of = (inner: MemberNotation) => toShape(inner, place);
  if (notation.length === 1) return { kind: "list", of: of(notation[0]) };
  const [tag, first, second, third] = notation as ReadonlyArray<any>;
  switch (tag) {
    case "dictionary":
      return { kind: tag, of: of(first), keys: second };
    case "either":
    case "pair":
      return { kind: tag, of: [of(first), of(second)] };
    case "literal":
      return { kind: tag, values: notation.slice(1) };
    case "words":
      return { kind: tag, words: notation.slice(1).join(" ").split(" "), type: "string" };
    case "numbers":
      return { kind: "words", words: notation.slice(1), type: "uint" };
    case "cases":
      // oxfmt-ignore
      return { kind: tag, member: first, of: new Map([[true, second], [false, third]]) };
    case "?":
    case "omitted":
    case "nullable":
    case "absentable":
      return of(first);
    default:
      throw invalid(place, "a list has one type, and all other types are made by functions");
  }
};

const textShape = (text: string, place: string): Shape => {
  const name = text.replace(/^\?/u, "");
  if (name.endsWith("[]")) return { kind: "list", of: textShape(name.slice(0, -2), place) };
  if (name === "this") return { kind: "this" };
  if (!Object.hasOwn(LEAF_TYPES, name))
    throw invalid(place, `${JSON.stringify(text)} is not a type`);
  const leaf = name as keyof Leaves;
  return { kind: "leaf", leaf, type: LEAF_TYPES[leaf] };
};

/** The types of leaves. Checks do not distinguish the forms of texts and numbers. */
// oxfmt-ignore
const LEAF_TYPES: { readonly [leaf in keyof Leaves]: LeafType } = {
  string: "string", bool: "bool", uint: "uint", int: "int", float: "float", any: "any",
  true: "bool", "1..10": "uint", "double .01": "float", "date-time": "string", colour: "string",
  "uuid-v4": "string", "hex-64": "string", "hex-10": "string", "currency-pair": "string",
};

const objectShape = (notation: PlainRecord<unknown> | Table, place: string): Shape => {
  if (typeof notation?.["is"] === "function")
    return { kind: "record", record: notation as PlainRecord<unknown> };
  const members = Object.entries(Object(notation) as Table).map(
    ([name, type]) => [name, toMember(type, `${place}.${name}`)] as const,
  );
  if (members.length === 0) throw invalid(place, "a table has at least one member");
  return { kind: "structure", members: new Map(members) };
};

const toMember = (notation: MemberNotation, place: string): Member => {
  const shape = toShape(notation, place);
  // The first character of a text, or the tag of a tuple.
  const tag = (notation as ReadonlyArray<unknown>)[0];
  const isOptional = tag === "?" || tag === "omitted";
  return {
    shape,
    canBeAbsent: isOptional || tag === "absentable",
    canBeNull: isOptional || tag === "nullable",
    omitted: tag === "omitted" ? (notation as ReadonlyArray<any>)[2] : undefined,
  };
};

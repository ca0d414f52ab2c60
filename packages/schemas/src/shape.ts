/** Converts the notation to its normal form, which checks, explanations and schemas read. */
import { leafChecks } from "./makeCheck.ts";
import type { Leaves, LeafType, Member, PlainRecord, Shape } from "./PlainRecord.ts";
import type { MemberNotation, Table } from "./terms.ts";

/** Returns the normal form of a type in the notation. */
export const toShape = (notation: MemberNotation): Shape => {
  if (typeof notation === "string") return textShape(notation);
  if (!Array.isArray(notation)) return objectShape(notation as PlainRecord<unknown> | Table);
  if (notation.length === 1) return { kind: "list", of: toShape(notation[0]) };
  const [tag, first, second, third] = notation as ReadonlyArray<any>;
  switch (tag) {
    case "dictionary":
      return { kind: tag, of: toShape(first), keys: second };
    case "either":
    case "pair":
      return { kind: tag, of: [toShape(first), toShape(second)] };
    case "literal":
      return { kind: tag, values: notation.slice(1) };
    case "words":
      return { kind: tag, words: notation.slice(1).join(" ").split(" "), type: "string" };
    case "numbers":
      return { kind: "words", words: notation.slice(1), type: "uint" };
    case "cases":
      // oxfmt-ignore
      return { kind: tag, member: first, of: new Map([[true, second], [false, third]]) };
    default:
      // The other tags (`?`, `nullable`, `absentable`, `omitted`) belong to the member.
      return toShape(first);
  }
};

const textShape = (text: string): Shape => {
  const name = text.replace("?", "");
  if (name.endsWith("[]")) return { kind: "list", of: textShape(name.slice(0, -2)) };
  if (name === "this") return { kind: "this" };
  const leaf = name as keyof Leaves;
  const type = NARROW[leaf] ?? (leaf in leafChecks ? (leaf as LeafType) : "string");
  return { kind: "leaf", leaf, type };
};

/** JSON types of leaves with a further rule. Other leaves are JSON types, or forms of strings. */
const NARROW: Partial<{ readonly [leaf in keyof Leaves]: LeafType }> = {
  true: "bool",
  "1..10": "uint",
  "double .01": "float",
};

const objectShape = (notation: PlainRecord<unknown> | Table): Shape => {
  // A table contains no functions, so a function `is` means a record.
  if (typeof notation["is"] === "function")
    return { kind: "record", record: notation as PlainRecord<unknown> };
  const members = Object.entries(notation).map(([name, type]) => [name, toMember(type)] as const);
  return { kind: "structure", members: new Map(members) };
};

const toMember = (notation: MemberNotation): Member => {
  // `tag` is the first character of a text, or the first element of a tuple.
  const tag = (notation as ReadonlyArray<unknown>)[0];
  const isOptional = tag === "?" || tag === "omitted";
  return {
    shape: toShape(notation),
    canBeAbsent: isOptional || tag === "absentable",
    canBeNull: isOptional || tag === "nullable",
    omitted: tag === "omitted" ? (notation as ReadonlyArray<any>)[2] : undefined,
  };
};

/** The normal form of the notation. Checks, explanations, schemas and reports are made from it. */
import type { Leaves, Member, PlainRecord, Shape } from "./PlainRecord.ts";
import type { MemberNotation, Table } from "./terms.ts";

/** Returns the normal form of a type. */
export const toShape = (notation: MemberNotation): Shape => {
  if (typeof notation === "string") return textShape(notation);
  if (!Array.isArray(notation)) return objectShape(notation as PlainRecord<unknown> | Table);
  if (notation.length === 1) return { kind: "list", of: toShape(notation[0]) };
  const [tag, first, second, third] = notation as ReadonlyArray<any>;
  switch (tag) {
    case "?":
    case "omitted":
    case "nullable":
    case "absentable":
      return toShape(first);
    case "dictionary":
      return { kind: tag, of: toShape(first), keys: second };
    case "either":
    case "pair":
      return { kind: tag, of: [toShape(first), toShape(second)] };
    case "literal":
      return { kind: tag, values: notation.slice(1) };
    case "cases":
      // oxfmt-ignore
      return { kind: tag, member: first, of: new Map([[true, second], [false, third]]) };
    default:
      return { kind: "words", words: notation.slice(1) };
  }
};

const textShape = (text: string): Shape => {
  const name = text.replace("?", "");
  if (name.endsWith("[]")) return { kind: "list", of: textShape(name.slice(0, -2)) };
  return name === "this" ? { kind: "this" } : { kind: "leaf", leaf: name as keyof Leaves };
};

const objectShape = (notation: PlainRecord<unknown> | Table): Shape => {
  if (isRecord(notation)) return { kind: "record", record: notation };
  const members = Object.entries(notation).map(([name, type]) => [name, toMember(type)] as const);
  return { kind: "structure", members: new Map(members) };
};

/** Whether the notation is a record. A table has no functions. */
const isRecord = (notation: PlainRecord<unknown> | Table): notation is PlainRecord<unknown> =>
  typeof notation["is"] === "function";

const toMember = (notation: MemberNotation): Member => {
  // The first character of a text, or the tag of a tuple.
  const tag = (notation as ReadonlyArray<unknown>)[0];
  const isOptional = tag === "?" || tag === "omitted";
  return {
    shape: toShape(notation),
    canBeAbsent: isOptional || tag === "absentable",
    canBeNull: isOptional || tag === "nullable",
    omitted: tag === "omitted" ? ((notation as ReadonlyArray<any>)[2] ?? "both games") : undefined,
  };
};

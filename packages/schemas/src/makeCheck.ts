/**
 * Makes the check of a shape from closures. Each record makes its check once.
 *
 * The check of a structure visits the members that a value has, because an item of the stash stream
 * has about 25 of its 93 members. No code is made from text, so the check works under a content
 * security policy.
 */
import { isObject, isUint } from "./json.ts";
import type { LeafType, Member, Shape } from "./PlainRecord.ts";

/** Whether a value has a shape. `depth` counts the records of the same kind around the value. */
export type Check = (value: unknown, depth: number) => boolean;

/** Levels to which a record may be nested in records of its kind. Bounds the stack. */
export const MAX_DEPTH = 32;

export const leafChecks: { readonly [type in LeafType]: Check } = {
  string: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  uint: isUint,
  int: Number.isSafeInteger,
  float: Number.isFinite,
  any: () => true,
};

/** Makes the check of a shape. `checkSelf` is the check of the record that contains the shape. */
export const makeCheck = (shape: Shape, checkSelf: Check): Check => {
  switch (shape.kind) {
    case "leaf":
    case "words":
      return leafChecks[shape.type];
    case "literal":
      return (value) => (shape.values as ReadonlyArray<unknown>).includes(value);
    case "list":
      return listCheck(makeCheck(shape.of, checkSelf));
    case "pair":
      return pairCheck(shape.of.map((element) => makeCheck(element, checkSelf)));
    case "dictionary":
      return dictionaryCheck(makeCheck(shape.of, checkSelf));
    case "either": {
      const [first, second] = shape.of.map((element) => makeCheck(element, checkSelf));
      return (value, depth) => first!(value, depth) || second!(value, depth);
    }
    case "structure":
      return structureCheck(shape.members, checkSelf);
    case "record":
      return shape.record.is;
    case "cases":
      return (value) => isObject(value) && shape.of.get(value[shape.member])?.is(value) === true;
    case "this":
      return (value, depth) => depth < MAX_DEPTH && checkSelf(value, depth + 1);
  }
};

const listCheck =
  (element: Check): Check =>
  (value, depth) => {
    if (!Array.isArray(value)) return false;
    for (let index = 0; index < value.length; index++)
      if (!element(value[index], depth)) return false;
    return true;
  };

const pairCheck =
  (elements: ReadonlyArray<Check>): Check =>
  (value, depth) =>
    Array.isArray(value) &&
    value.length >= elements.length &&
    elements.every((element, index) => element(value[index], depth));

/** Accepts `[]`, because the JSON encoder of the services writes an empty map as `[]`. */
const dictionaryCheck =
  (element: Check): Check =>
  (value, depth) => {
    if (!isObject(value)) return Array.isArray(value) && value.length === 0;
    for (const key in value) if (!element(value[key], depth)) return false;
    return true;
  };

interface MemberCheck extends Member {
  readonly test: Check;
}

const structureCheck = (members: ReadonlyMap<string, Member>, checkSelf: Check): Check => {
  const checks = new Map<string, MemberCheck>();
  let required = 0;
  for (const [name, member] of members) {
    checks.set(name, { ...member, test: makeCheck(member.shape, checkSelf) });
    if (!member.canBeAbsent) required++;
  }
  return (value, depth) => {
    if (!isObject(value)) return false;
    let missing = required;
    for (const key in value) {
      const member = checks.get(key);
      if (member === undefined) continue;
      const item = value[key];
      if (!member.canBeAbsent) missing--;
      if (item === null && member.canBeNull) continue;
      if (!member.test(item, depth)) return false;
    }
    return missing === 0;
  };
};

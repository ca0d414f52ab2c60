/**
 * Finds the places for which a value is refused, by a walk along the shape. `Drift` and
 * `Conformance` pass an observer, which sees the accepted values as well.
 *
 * The check decides. The walk runs after a refusal, and runs the check of each record before it
 * enters the record, so that it skips valid records. It enters a record inside a record of the same
 * kind without a check, because that check would read the levels below again. Alternatives are
 * chosen by JSON type or by a literal member, so the cost is linear, and the walk ends with the
 * requested number of places or at the first record that is nested too deeply.
 */
import { isObject, jsonType, type Path, toPointer } from "./json.ts";
import { leafChecks, MAX_DEPTH } from "./makeCheck.ts";
import type { LeafType, Member, PlainRecord, Shape } from "./PlainRecord.ts";
import type { Explanation, Issue } from "./RecordError.ts";

/** Returns the number of places to name: at least 1, and 10 if the limit is not a number. */
export const toLimit = (limit: unknown): number =>
  (typeof limit === "number" && Math.max(1, limit)) || 10;

/** Values of `actual` if the member is absent, or the record is nested too deeply. */
export const ABSENT = "absent";
export const TOO_DEEP = "more";

/** Thrown to end the walk at the limit of places or of nesting. */
const END = {};

/** An issue with the record and member that it is about, such as `Item.influences.elder`. */
export interface Fault {
  readonly issue: Issue;
  readonly member: string;
}

/** The state of a walk through a value. */
interface Walk {
  readonly faults: Array<Fault>;
  readonly limit: number;
  readonly path: Array<string | number>;
  observe: Observer | undefined;
  /** The context of the value that was read last. */
  last: Context;
}

/**
 * Receives each value that has the JSON type of its shape, before the walk enters the value.
 * Without an observer, or after it was removed from `walk.observe`, the walk skips valid records.
 */
export type Observer = (shape: Shape, value: any, context: Context) => void;

/** The record and member that contain a value. `level` counts records of one kind around it. */
export interface Context {
  readonly walk: Walk;
  readonly record?: PlainRecord<unknown>;
  readonly level: number;
  readonly member: string;
}

/** The first faults of a value, and whether there may be more. */
export interface Faults extends Pick<Explanation, "hasMore"> {
  readonly faults: ReadonlyArray<Fault>;
}

/** Returns the issues of a value that was refused, at least one. */
export const explain = (shape: Shape, value: unknown, limit?: number): Explanation => {
  const { faults, hasMore } = findFaults(shape, value, toLimit(limit));
  return { issues: faults.map(({ issue }) => issue), hasMore };
};

/**
 * Returns the faults of a value up to the limit. Without an observer the value was refused. If a
 * getter now returns another value and the walk finds no fault, the fault is the value itself.
 */
export const findFaults = (
  shape: Shape,
  value: unknown,
  limit: number,
  observe?: Observer,
): Faults => {
  const faults: Array<Fault> = [];
  const walk = { faults, limit, path: [], observe } as Omit<Walk, "last"> as Walk;
  const root: Context = (walk.last = { walk, level: 0, member: "" });
  let hasMore = false;
  try {
    // Enters a record directly, because `visit` would run the record's check again.
    if (shape.kind === "record" && fits(shape, value)) enterRecord(shape.record, value, root);
    else visit(shape, value, root);
  } catch (thrown) {
    hasMore = true;
    // Any other exception was thrown by a getter or a proxy of the value.
    if (thrown !== END && faults.length < limit) refuse(walk.last, "readable value", "error");
  }
  if (!observe && faults.length === 0) refuse(root, "valid value", jsonType(value));
  return { faults, hasMore };
};

const refuse = ({ member, walk }: Context, expected: string, actual: string, ...key: Path) => {
  if (walk.faults.length >= walk.limit) throw END;
  const path = [...walk.path, ...key];
  walk.faults.push({ issue: { path, pointer: toPointer(path), expected, actual }, member });
};

const visit = (shape: Shape, item: any, context: Context): void => {
  if (shape.kind === "this") return visitSelf(item, context);
  if (!fits(shape, item)) return refuse(context, typeName(shape), jsonType(item));
  const { observe } = context.walk;
  observe?.(shape, item, context);
  switch (shape.kind) {
    case "either": {
      const [documented, deployed] = shape.of;
      return visit(fits(documented, item) ? documented : deployed, item, context);
    }
    case "record":
      if (observe || !shape.record.is(item)) enterRecord(shape.record, item, context);
      return;
    case "cases": {
      const { member } = shape;
      const record = shape.of.get(item[member]);
      if (record !== undefined) return visit({ kind: "record", record }, item, context);
      const actual = member in item ? jsonType(item[member]) : ABSENT;
      return refuse(inMember(context, member), "true or false", actual, member);
    }
    case "pair":
      return shape.of.forEach((element, index) => enter(element, item, index, context));
    case "list":
      for (let index = 0; index < item.length; index++) enter(shape.of, item, index, context);
      return;
    case "dictionary":
      for (const key in item) enter(shape.of, item, key, context);
      return;
    case "structure":
      for (const [name, member] of shape.members)
        if (!isFine(item, name, member)) enter(member.shape, item, name, inMember(context, name));
  }
};

/** Visits a record that is nested in a record of the same kind. */
const visitSelf = (item: unknown, context: Context): void => {
  const { level, record } = context;
  const { shape } = record!;
  if (level >= MAX_DEPTH) {
    refuse(context, "fewer levels of nesting", TOO_DEEP);
    throw END;
  }
  if (fits(shape, item)) enterRecord(record!, item, context, level + 1);
  else refuse(context, typeName(shape), jsonType(item));
};

const enterRecord = (
  record: PlainRecord<unknown>,
  item: unknown,
  { walk }: Context,
  level = 0,
): void => visit(record.shape, item, { walk, record, level, member: record.name });

export const enter = (shape: Shape, parent: any, key: string | number, context: Context): void => {
  if (!(key in parent)) return refuse(context, typeName(shape), ABSENT, key);
  const { walk } = context;
  walk.path.push(key);
  walk.last = context;
  visit(shape, parent[key], context);
  walk.path.pop();
};

export const inMember = (context: Context, name: string): Context => ({
  ...context,
  member: `${context.member}.${name}`,
});

/** Whether a member is validly absent or null. Reads the member only if it may be null. */
const isFine = (item: any, name: string, { canBeAbsent, canBeNull }: Member): boolean =>
  name in item ? canBeNull && item[name] === null : canBeAbsent;

/** Whether a value has the JSON type of a shape. Does not visit members and elements. */
export const fits = (shape: Shape, value: unknown): boolean => {
  switch (shape.kind) {
    case "leaf":
    case "words":
      return leafChecks[shape.type](value, 0);
    case "literal":
      return (shape.values as ReadonlyArray<unknown>).includes(value);
    case "either":
      return shape.of.some((alternative) => fits(alternative, value));
    case "list":
    case "pair":
      return Array.isArray(value);
    case "dictionary":
      return isObject(value) || (Array.isArray(value) && value.length === 0);
    case "record":
      return fits(shape.record.shape, value);
    default:
      return isObject(value);
  }
};

/** Names of types in messages. A shape that is not listed is an object. */
const NAMES: { readonly [type in LeafType | "list" | "pair" | "dictionary"]: string } = {
  string: "string",
  bool: "boolean",
  uint: "unsigned integer",
  int: "integer",
  float: "finite number",
  any: "value",
  list: "array",
  pair: "array",
  dictionary: "object or array",
};

const OR = " or ";

/** Returns the name of a type for messages, such as `string or object`. */
export const typeName = (shape: Shape): string => {
  switch (shape.kind) {
    case "leaf":
    case "words":
      return NAMES[shape.type];
    case "literal":
      return shape.values.map((value) => JSON.stringify(value)).join(OR);
    case "either":
      return [...new Set(shape.of.flatMap((alternative) => typeName(alternative).split(OR)))].join(
        OR,
      );
    default:
      return NAMES[shape.kind as "list"] ?? "object";
  }
};

/**
 * Names the places for which a value is refused, by a walk along the shape.
 *
 * The check decides. The walk runs after a refusal, and runs the check of each record before it
 * enters the record, so that it skips valid records. It enters a record inside a record of the same
 * kind without a check, because that check would read the levels below again. Alternatives are
 * chosen by JSON type or by a literal member, so the cost is linear, and the walk ends with the
 * requested number of places or at the first record that is nested too deeply.
 */
import { isUint, jsonType, type Path, toPointer } from "./json.ts";
import { leafCheck, MAX_DEPTH } from "./makeCheck.ts";
import type { Leaves, Member, PlainRecord, Shape } from "./PlainRecord.ts";
import type { Explanation, Issue } from "./RecordError.ts";

/** Returns the number of places to name: at least 1, and 10 if the limit is not a number. */
export const toLimit = (limit: unknown): number =>
  (typeof limit === "number" && Math.max(1, limit)) || 10;

/** In the place of a JSON type: the member is absent, or the record is nested too deeply. */
export const ABSENT = "absent";
export const TOO_DEEP = "more";

/** Thrown to end the walk. */
const END = {};

/** The record that contains a value, its level in records of its kind, and the member. */
interface Place {
  readonly self: Shape;
  readonly record: string;
  readonly level: number;
  readonly member: string;
}

/** An issue with its record and member, such as `Item.influences.elder`. */
export interface Fault extends Issue {
  readonly member: string;
}

/** The first faults, and whether there may be more. */
export interface Faults extends Pick<Explanation, "hasMore"> {
  readonly faults: ReadonlyArray<Fault>;
}

/** Returns the issues of a value that was refused, at least one. */
export const explain = (shape: Shape, value: unknown, limit?: number): Explanation => {
  const { faults, hasMore } = findFaults(shape, value, toLimit(limit));
  const issues = faults.map(({ actual, expected, path, pointer }) => ({
    pointer,
    path,
    expected,
    actual,
  }));
  return { issues, hasMore };
};

/**
 * Returns the faults of a value that was refused, at least one and up to the limit. Names the value
 * itself if a getter returned another value to the check.
 */
export const findFaults = (shape: Shape, value: unknown, limit: number): Faults => {
  const root: Place = { self: shape, record: "", level: 0, member: "" };
  const walk = new Walk(limit, root);
  let hasMore = false;
  try {
    // The check of the record itself has run.
    if (shape.kind === "record" && fits(shape, value)) walk.enterRecord(shape.record, value);
    else walk.visit(shape, value, root);
  } catch (thrown) {
    hasMore = true;
    // A getter or a proxy has thrown.
    if (thrown !== END && walk.faults.length < limit)
      walk.refuse("readable value", "error", walk.last);
  }
  if (walk.faults.length === 0) walk.refuse("valid value", jsonType(value), root);
  return { faults: walk.faults, hasMore };
};

class Walk {
  readonly faults: Array<Fault> = [];
  readonly path: Array<string | number> = [];
  readonly limit: number;
  /** The place that was read last. */
  last: Place;

  constructor(limit: number, root: Place) {
    this.limit = limit;
    this.last = root;
  }

  refuse(expected: string, actual: string, { member }: Place, ...key: Path): void {
    if (this.faults.length >= this.limit) throw END;
    const path = [...this.path, ...key];
    this.faults.push({ path, pointer: toPointer(path), expected, actual, member });
  }

  visit(of: Shape, item: any, place: Place): void {
    if (of.kind === "this") return this.visitSelf(item, place);
    if (!fits(of, item)) return this.refuse(typeName(of), jsonType(item), place);
    switch (of.kind) {
      case "either":
        return this.visit(fits(of.of[0], item) ? of.of[0] : of.of[1], item, place);
      case "record":
        if (!of.record.is(item)) this.enterRecord(of.record, item);
        return;
      case "cases": {
        const { member } = of;
        const record = of.of.get(item[member]);
        if (record !== undefined) return this.visit({ kind: "record", record }, item, place);
        const actual = member in item ? jsonType(item[member]) : ABSENT;
        const at = { ...place, member: `${place.member}.${member}` };
        return this.refuse([...of.of.keys()].join(" or "), actual, at, member);
      }
      case "pair":
        return of.of.forEach((element, index) => this.enter(element, item, index, place));
      case "list":
        for (let index = 0; index < item.length; index++) this.enter(of.of, item, index, place);
        return;
      case "dictionary":
        for (const key in item) this.enter(of.of, item, key, place);
        return;
      case "structure":
        for (const [name, member] of of.members) this.enterMember(name, member, item, place);
    }
  }

  visitSelf(item: unknown, place: Place): void {
    const { level, record, self } = place;
    if (level >= MAX_DEPTH) {
      this.refuse("fewer levels of nesting", TOO_DEEP, place);
      throw END;
    }
    if (!fits(self, item)) return this.refuse(typeName(self), jsonType(item), place);
    this.visit(self, item, { self, record, level: level + 1, member: record });
  }

  enter(of: Shape, parent: any, key: string | number, place: Place): void {
    if (!(key in parent)) return this.refuse(typeName(of), ABSENT, place, key);
    this.path.push(key);
    this.last = place;
    this.visit(of, parent[key], place);
    this.path.pop();
  }

  enterMember(name: string, { canBeAbsent, canBeNull, shape }: Member, item: any, place: Place) {
    if (name in item ? !(canBeNull && item[name] === null) : !canBeAbsent)
      this.enter(shape, item, name, { ...place, member: `${place.member}.${name}` });
  }

  enterRecord({ name, shape: self }: PlainRecord<unknown>, item: unknown): void {
    const record = recordName(name);
    this.visit(self, item, { self, record, level: 0, member: record });
  }
}

/** Listed and unlisted stashes are one record in the specification. */
export const recordName = (name: string): string =>
  name === "ListedStash" || name === "UnlistedStash" ? "PublicStashChange" : name;

/** Whether a value has the JSON type of a shape. Members and elements are not visited. */
export const fits = (shape: Shape, value: unknown): boolean => {
  switch (shape.kind) {
    case "leaf":
      return leafCheck(shape.leaf)(value, 0);
    case "words":
      return typeof shape.words[0] === "string" ? typeof value === "string" : isUint(value);
    case "literal":
      return (shape.values as ReadonlyArray<unknown>).includes(value);
    case "either":
      return shape.of.some((of) => fits(of, value));
    case "list":
    case "pair":
      return Array.isArray(value);
    case "dictionary":
      return Array.isArray(value) ? value.length === 0 : jsonType(value) === "object";
    case "record":
      return fits(shape.record.shape, value);
    default:
      return jsonType(value) === "object";
  }
};

/** The names of the leaves that are not texts. */
const NAMES: Partial<{ readonly [leaf in keyof Leaves]: string }> = {
  bool: "boolean",
  true: "boolean",
  uint: "unsigned integer",
  "1..10": "unsigned integer",
  int: "integer",
  float: "finite number",
  "double .01": "finite number",
  any: "value",
};

const typeNames = (shape: Shape): ReadonlyArray<string> => {
  switch (shape.kind) {
    case "leaf":
      return [NAMES[shape.leaf] ?? "string"];
    case "words":
      return [typeof shape.words[0] === "string" ? "string" : "unsigned integer"];
    case "literal":
      return shape.values.map((value) => JSON.stringify(value));
    case "either":
      return shape.of.flatMap(typeNames);
    case "list":
    case "pair":
      return ["array"];
    case "dictionary":
      return ["object", "array"];
    default:
      return ["object"];
  }
};

/** Returns the name of a type, such as `string or object`. */
export const typeName = (shape: Shape): string => [...new Set(typeNames(shape))].join(" or ");

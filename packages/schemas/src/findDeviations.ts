/**
 * Walks a value along a shape and collects each deviation from the specification. The deviations
 * for which the value is refused are collected first, and the walk skips their places.
 */
import {
  type DeploymentWords,
  type Deviation,
  documentedName,
  type Finding,
  leafFinding,
  wordFinding,
} from "./deviation.ts";
import { ABSENT, type Fault, findFaults, fits, toLimit, TOO_DEEP, typeName } from "./explain.ts";
import { isObject, jsonType, type Path, toPointer } from "./json.ts";
import { makeCheck, MAX_DEPTH } from "./makeCheck.ts";
import type { Member, PlainRecord, Shape } from "./PlainRecord.ts";

/** Deviations up to a limit. */
export interface Found {
  readonly deviations: ReadonlyArray<Deviation>;
  /** Whether the walk ended before the value did, so that there may be more deviations. */
  readonly hasMore: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** A rule between members that is broken: the member at fault. */
export interface RuleViolation {
  readonly path: ReadonlyArray<string>;
  readonly expected: string;
  readonly actual: string;
}

/** Rules between the members of a record, by the record's name. */
export type Rules = Readonly<Record<string, (record: Members) => ReadonlyArray<RuleViolation>>>;

/** The deviations to collect. */
export interface FindOptions {
  readonly explicit?: boolean | undefined;
  /** The largest number of deviations. Default: 1000. */
  readonly limit?: number | undefined;
  readonly rules?: Rules | undefined;
  readonly words?: DeploymentWords | undefined;
}

const DEFAULT_LIMIT = 1000;

/** Returns the deviations for which a value is refused. */
export const findTypeErrors = (
  shape: Shape,
  value: unknown,
  limit: number = DEFAULT_LIMIT,
): Found => {
  try {
    if (makeCheck(shape, () => false)(value, 0)) return { deviations: [], hasMore: false };
  } catch {
    // A getter or a proxy has thrown, which is a fault.
  }
  const { faults, hasMore } = findFaults(shape, value, toLimit(limit));
  return { deviations: faults.map(toDeviation), hasMore };
};

const toDeviation = ({ issue: { actual, expected, pointer }, member }: Fault): Deviation => ({
  kind: actual === ABSENT ? "missing" : actual === TOO_DEEP ? "too-deep" : "other-type",
  pointer,
  member: specified(member),
  expected,
  actual,
  accepted: false,
});

/** Listed and unlisted stashes are one record in the specification. */
const specified = (member: string): string =>
  member.replace(/^(?:Listed|Unlisted)Stash(?!\w)/u, "PublicStashChange");

/** Returns the deviations of a value, those for which it is refused first. */
export const findDeviations = (
  shape: Shape,
  value: unknown,
  { explicit = false, limit: given = DEFAULT_LIMIT, rules = {}, words = {} }: FindOptions,
): Found => {
  const limit = toLimit(given);
  const refused = findTypeErrors(shape, value, limit);
  // The report is full, and the walk would visit a page of garbage to its end.
  if (refused.hasMore && refused.deviations.length >= limit) return refused;
  const walk = new Walk([...refused.deviations], { explicit, limit, rules, words });
  let { hasMore } = refused;
  try {
    walk.visit(shape, value, ROOT);
  } catch (thrown) {
    // If a getter or a proxy has thrown, it is among the refusals.
    hasMore ||= thrown === ENOUGH;
  }
  const deviations = walk.found.toSorted((a, b) => Number(a.accepted) - Number(b.accepted));
  return { deviations, hasMore };
};

/** Thrown to end a walk. */
const ENOUGH = {};

/** A place in the value. Its pointer is made only for a deviation. */
interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
  readonly member: string;
  /** The record that contains the place, and its level in records of its kind. */
  readonly record: PlainRecord<unknown> | undefined;
  readonly level: number;
}

const ROOT: Place = { parent: undefined, key: "", member: "", record: undefined, level: 0 };

const elementPlace = (parent: Place, key: string | number): Place => ({ ...parent, parent, key });

const memberPlace = (parent: Place, key: string): Place => ({
  ...parent,
  parent,
  key,
  member: `${parent.member}.${key}`,
});

const toPath = ({ key, parent }: Place): Path =>
  parent === undefined ? [] : [...toPath(parent), key];

/** The members of a structure, and a value of it. */
interface Owner {
  readonly members: ReadonlyMap<string, Member>;
  readonly value: Members;
}

/** A walk along a value, which may be refused in places. */
class Walk {
  readonly found: Array<Deviation>;
  readonly options: { readonly [Name in keyof FindOptions]-?: NonNullable<FindOptions[Name]> };

  constructor(found: Array<Deviation>, options: Walk["options"]) {
    this.found = found;
    this.options = options;
  }

  add(place: Place, finding: Finding | undefined): void {
    if (finding === undefined) return;
    const { actual, expected, kind } = finding;
    const pointer = toPointer(toPath(place));
    this.push({ kind, pointer, member: place.member, expected, actual, accepted: true });
  }

  push(deviation: Deviation): void {
    if (this.found.length >= this.options.limit) throw ENOUGH;
    this.found.push(deviation);
  }

  addOther(place: Place, shape: Shape, value: unknown): void {
    this.add(place, {
      kind: "other-type",
      expected: documentedName(shape),
      actual: jsonType(value),
    });
  }

  visit(shape: Shape, value: any, place: Place): void {
    if (shape.kind === "this") {
      // A record that is nested too deeply may have cycles.
      if (place.level >= MAX_DEPTH) throw ENOUGH;
      return this.visitRecord(place.record!, value, { ...place, level: place.level + 1 });
    }
    if (!fits(shape, value)) return;
    switch (shape.kind) {
      case "leaf":
        return this.add(place, leafFinding(shape.leaf, value));
      case "words":
        return this.add(place, wordFinding(shape.words, value, this.options.words));
      case "either": {
        const [documented, deployed] = shape.of;
        if (fits(documented, value)) return this.visit(documented, value, place);
        this.addOther(place, documented, value);
        return this.visit(deployed, value, place);
      }
      case "pair":
        return this.visitPair(shape.of, value, place);
      case "list":
        for (const [index, element] of value.entries())
          this.visit(shape.of, element, elementPlace(place, index));
        return;
      case "dictionary":
        return this.visitDictionary(shape, value, place);
      case "record":
        return this.visitRecord(shape.record, value, { ...place, level: 0 });
      case "cases": {
        const record = shape.of.get(value[shape.member]) ?? [...shape.of.values()][0]!;
        return this.visitRecord(record, value, { ...place, level: 0 });
      }
      case "structure":
        return this.visitStructure({ members: shape.members, value }, place);
    }
  }

  visitPair(of: readonly [Shape, Shape], value: ReadonlyArray<unknown>, place: Place): void {
    for (const [index, element] of value.entries()) {
      const [at, shape] = [elementPlace(place, index), of[index]];
      if (shape !== undefined) this.visit(shape, element, at);
      else this.add(at, { kind: "unknown-key", expected: "no element", actual: jsonType(element) });
    }
  }

  visitDictionary(shape: Shape & { kind: "dictionary" }, value: Members, place: Place): void {
    if (Array.isArray(value)) return this.addOther(place, shape, value);
    const { keys, of } = shape;
    for (const key of Object.keys(value)) {
      const at = elementPlace(place, key);
      if (keys?.includes(key) === false) {
        const expected = `one of ${keys.length} keys`;
        this.add(at, { kind: "unknown-word", expected, actual: "another key" });
      }
      this.visit(of, value[key], at);
    }
  }

  visitRecord(record: PlainRecord<unknown>, value: unknown, place: Place): void {
    const at = { ...place, member: specified(record.name), record };
    this.visit(record.shape, value, at);
    if (!isObject(value)) return;
    for (const { path, ...finding } of this.options.rules[record.name]?.(value) ?? [])
      this.add(path.reduce(memberPlace, at), { kind: "rule-broken", ...finding });
    if (record.name === "UnlistedStash" && this.options.explicit) this.visitUnlisted(value, at);
  }

  visitStructure(owner: Owner, place: Place): void {
    const { members, value } = owner;
    for (const [name, member] of members)
      if (member.omitted !== undefined && !Object.hasOwn(value, name))
        this.addOmitted(member, owner, memberPlace(place, name));
    const { livestream } = this.options.words;
    for (const name of Object.keys(value)) {
      const at = memberPlace(place, name);
      const member = members.get(name);
      const renamed = name === livestream ? members.get("livestream") : undefined;
      if (member !== undefined) this.visitMember(member, owner, at);
      else if (renamed !== undefined) this.visitRenamed(renamed.shape, value[name], at);
      else this.add(at, { kind: "unknown-key", expected: "absent", actual: jsonType(value[name]) });
    }
  }

  visitMember(member: Member, owner: Owner, at: Place): void {
    const { canBeAbsent, canBeNull, omitted, shape } = member;
    const value = owner.value[at.key];
    const explicit = this.options.explicit && canBeAbsent;
    if (value === null && canBeNull) {
      if (omitted !== undefined) this.addOmitted(member, owner, at);
      else if (explicit)
        this.add(at, { kind: "explicit-null", expected: "absence", actual: "null" });
      return;
    }
    if (value === false && explicit && shape.kind === "leaf" && shape.leaf === "bool")
      this.add(at, { kind: "explicit-false", expected: "absence", actual: "false" });
    this.visit(shape, value, at);
  }

  /** The check of the record does not know a member by a deployment's word, so check it here. */
  visitRenamed(shape: Shape, value: unknown, at: Place): void {
    if (value === null) return;
    const [pointer, { member }] = [toPointer(toPath(at)), at];
    for (const fault of findTypeErrors(shape, value, this.options.limit).deviations)
      this.push({ ...fault, pointer: pointer + fault.pointer, member: member + fault.member });
    this.visit(shape, value, at);
  }

  /** A required member of one game is required in records of that game alone. */
  addOmitted({ omitted, shape }: Member, { members, value }: Owner, at: Place): void {
    const isGame2 = [...members].some(
      ([name, other]) => other.omitted === "game 2" && (value[name] ?? null) !== null,
    );
    if (omitted === "game 2" || (omitted === "game 1" && isGame2)) return;
    this.add(at, { kind: "missing", expected: typeName(shape), actual: "absent" });
  }

  /** Streaming rule 3 omits all members but `id` and `public` of an unlisted change (§4.2). */
  visitUnlisted(members: Members, place: Place): void {
    for (const name of ["accountName", "stash", "stashType", "league", "items"]) {
      const value = members[name] ?? null;
      const finding = { expected: "absence in an unlisted change", actual: jsonType(value) };
      if (value !== null) this.add(memberPlace(place, name), { kind: "not-omitted", ...finding });
    }
  }
}

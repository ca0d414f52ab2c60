/**
 * Names where a value departs from the specification, whether or not the schema accepts it.
 *
 * The schemas read tolerantly: unknown members stay, unknown words pass, documented-but-wrong types of deployed services are
 * accepted. Nothing of this is lost in silence, `report` tells it by JSON pointer and kind, never with the value itself.
 * Use it on a sample of answers, not on each: it walks the value with an interpreter, at the cost of parsing it about once.
 */
import { SchemaAST, type Schema } from "effect";
import { MAX_DEPTH } from "./internal/depth.ts";
import { formats } from "./internal/formats.ts";
import { agrees, kindOf, matchesKind, nameOfKind } from "./internal/kinds.ts";
import { specOf, type Spec } from "./internal/wire.ts";

/** What a departure is. */
export type Kind =
  /** A member that the specification does not name. */
  | "unknown-key"
  /** A word or number that the specification does not list. */
  | "unknown-word"
  /** A type other than the documented one. */
  | "other-type"
  /** A required member is absent or null. */
  | "missing"
  /** `false` where the specification says "always true". */
  | "always-true-violated"
  /** The right type in another form: no date-time, other than 64 hexadecimal digits, more decimals, out of range. */
  | "other-form"
  /** Records nested in themselves beyond the bound of the checks. */
  | "too-deep"
  /** `null` for an optional member, which the specification permits: told with `explicit` only. */
  | "explicit-null"
  /** `false` for an optional flag, which the specification permits: told with `explicit` only. */
  | "explicit-false"
  /** A rule between members is broken: told by `Conformance` only. */
  | "rule-broken";

/** One departure from the specification. */
export interface Departure {
  /** What it is. */
  readonly kind: Kind;
  /** The place in the value (RFC 6901); the empty string is the value itself. */
  readonly pointer: string;
  /** The record and its member without indices and keys, such as `Item.influences.hunter`: few enough to count by. */
  readonly member: string;
  /** What the specification has. */
  readonly expected: string;
  /** What was found: a kind, never the value. */
  readonly actual: string;
  /** False where the schema refuses the value for it. */
  readonly accepted: boolean;
}

/** What to tell besides departures. */
export interface Options {
  /** Also tell `null` and `false` where the specification permits them and absence would say the same. */
  readonly explicit?: boolean;
}

/** All departures of a value, in the order of its members. */
export const report = (
  schema: Schema.Constraint,
  value: unknown,
  options: Options = {},
): ReadonlyArray<Departure> => {
  const walk: Walk = { out: [], explicit: options.explicit === true, rules: undefined };
  visit(walk, schema.ast, value, { pointer: "", member: "", depth: 0 });
  return walk.out;
};

/** The departures for which the schema refuses the value: none if and only if it decodes. */
export const refusals = (schema: Schema.Constraint, value: unknown): ReadonlyArray<Departure> =>
  report(schema, value).filter(({ accepted }) => !accepted);

/** How often each departure occurs, by kind and member: `unknown-key Item.mutated: boolean` → 3. */
export const summary = (departures: ReadonlyArray<Departure>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { kind, member, actual } of departures) {
    const key = `${kind} ${member}: ${actual}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

/** Rules between the members of a record, by the record's identifier. @internal */
export type Rules = Readonly<
  Record<string, (record: Readonly<Record<string, unknown>>) => ReadonlyArray<BrokenRule>>
>;

/** A rule that a record breaks, at a member of it. @internal */
export interface BrokenRule {
  readonly path: ReadonlyArray<string>;
  readonly expected: string;
  readonly actual: string;
}

/** `report` together with rules between members. @internal */
export const reportWithRules = (
  schema: Schema.Constraint,
  value: unknown,
  rules: Rules,
): ReadonlyArray<Departure> => {
  const walk: Walk = { out: [], explicit: false, rules };
  visit(walk, schema.ast, value, { pointer: "", member: "", depth: 0 });
  return walk.out;
};

interface Walk {
  readonly out: Array<Departure>;
  readonly explicit: boolean;
  readonly rules: Rules | undefined;
}

interface Place {
  readonly pointer: string;
  readonly member: string;
  readonly depth: number;
}

const tell = (
  walk: Walk,
  { pointer, member }: Place,
  departure: Pick<Departure, "kind" | "expected" | "actual" | "accepted">,
): void => {
  walk.out.push({ ...departure, pointer, member });
};

const visit = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  if (SchemaAST.isSuspend(ast)) return visitNested(walk, ast.thunk(), value, place);
  switch (ast._tag) {
    case "Any":
    case "Unknown":
      return undefined;
    case "Union":
      return visitUnion(walk, ast, value, place);
    case "Arrays":
      return visitArray(walk, ast, value, place);
    case "Objects":
      return visitStructure(walk, ast, value, place);
    default:
      return visitLeaf(walk, ast, value, place);
  }
};

const visitNested = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  const depth = place.depth + 1;
  if (depth > MAX_DEPTH) {
    const expected = `at most ${MAX_DEPTH} levels of nesting`;
    return tell(walk, place, { kind: "too-deep", expected, actual: "more", accepted: false });
  }
  return visit(walk, ast, value, { ...place, depth });
};

const refuse = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void =>
  tell(walk, place, {
    kind: "other-type",
    expected: nameOfKind(ast),
    actual: kindOf(value),
    accepted: false,
  });

const visitUnion = (walk: Walk, ast: SchemaAST.Union, value: unknown, place: Place): void => {
  const [spec] = specOf(ast);
  const members = ast.types.filter(({ _tag }) => _tag !== "Null");
  if (value === null && members.length < ast.types.length) {
    if (walk.explicit && spec?.kind !== "required") {
      tell(walk, place, {
        kind: "explicit-null",
        expected: "absence",
        actual: "null",
        accepted: true,
      });
    }
    return undefined;
  }
  if (spec?.kind === "word") return visitLeaf(walk, ast, value, place);
  const [documented] = members;
  if (documented === undefined) return refuse(walk, ast, value, place);
  if (members.length === 1) return visit(walk, documented, value, place);
  const ofKind = members.filter((member) => matchesKind(member, value));
  const match = ofKind.find((member) => agrees(member, value)) ?? ofKind[0];
  if (match === undefined) return refuse(walk, documented, value, place);
  if (match !== documented && spec?.kind === "documented-first") {
    const expected = nameOfKind(documented);
    tell(walk, place, { kind: "other-type", expected, actual: kindOf(value), accepted: true });
  }
  return visit(walk, match, value, place);
};

const visitLeaf = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  if (!matchesKind(ast, value)) return refuse(walk, ast, value, place);
  for (const spec of specOf(ast)) {
    const departure = departureOf(spec, value);
    if (departure !== undefined) tell(walk, place, { ...departure, accepted: true });
  }
  return undefined;
};

type Found = Pick<Departure, "kind" | "expected" | "actual">;

const departureOf = (spec: Spec, value: unknown): Found | undefined => {
  switch (spec.kind) {
    case "word":
    case "number-word":
      return (spec.words as ReadonlyArray<unknown>).includes(value)
        ? undefined
        : {
            kind: "unknown-word",
            expected: `one of ${spec.words.length} words`,
            actual: kindOf(value),
          };
    case "always-true":
      return value === true
        ? undefined
        : { kind: "always-true-violated", expected: "true", actual: "false" };
    case "format":
      return typeof value !== "string" || formats[spec.format](value)
        ? undefined
        : { kind: "other-form", expected: spec.format, actual: `string of length ${value.length}` };
    case "decimals":
      return Number((value as number).toFixed(spec.places)) === value
        ? undefined
        : {
            kind: "other-form",
            expected: `${spec.places} decimal places`,
            actual: "more decimal places",
          };
    case "range":
      return (value as number) >= spec.minimum && (value as number) <= spec.maximum
        ? undefined
        : {
            kind: "other-form",
            expected: `${spec.minimum} to ${spec.maximum}`,
            actual: "out of range",
          };
    default:
      return undefined;
  }
};

const visitArray = (walk: Walk, ast: SchemaAST.Arrays, value: unknown, place: Place): void => {
  if (!Array.isArray(value)) return refuse(walk, ast, value, place);
  const [rest] = ast.rest;
  const length = Math.max(value.length, ast.elements.length);
  for (let index = 0; index < length; index++) {
    const at = { ...place, pointer: `${place.pointer}/${index}` };
    const element = ast.elements[index];
    if (element === undefined && rest === undefined) {
      tell(walk, at, {
        kind: "unknown-key",
        expected: "no element",
        actual: kindOf(value[index]),
        accepted: false,
      });
    } else if (element !== undefined && index >= value.length) {
      tell(walk, at, {
        kind: "missing",
        expected: nameOfKind(element),
        actual: "absent",
        accepted: false,
      });
    } else if (element === undefined && ast.elements.length > 0) {
      tell(walk, at, {
        kind: "unknown-key",
        expected: "no element",
        actual: kindOf(value[index]),
        accepted: true,
      });
    } else {
      visit(walk, (element ?? rest)!, value[index], at);
    }
  }
  return undefined;
};

const visitStructure = (walk: Walk, ast: SchemaAST.Objects, value: unknown, place: Place): void => {
  if (!matchesKind(ast, value)) return refuse(walk, ast, value, place);
  const members = value as Readonly<Record<string, unknown>>;
  const identifier = SchemaAST.resolve(ast)?.["identifier"] as string | undefined;
  const here = identifier === undefined ? place : { ...place, member: recordName(identifier) };
  if (ast.propertySignatures.length === 0) return visitDictionary(walk, ast, members, here);
  const signatures = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]));
  for (const [name, type] of signatures) {
    if (Object.hasOwn(members, name)) continue;
    visitAbsent(walk, type, ast, members, memberPlace(here, name), true);
  }
  for (const name of Object.keys(members)) {
    const type = signatures.get(name);
    const at = memberPlace(here, name);
    if (type === undefined) {
      tell(walk, at, {
        kind: "unknown-key",
        expected: "absent",
        actual: kindOf(members[name]),
        accepted: true,
      });
    } else {
      visitMember(walk, type, ast, members, name, at);
    }
  }
  if (identifier !== undefined) visitRules(walk, identifier, members, here);
  return undefined;
};

const visitMember = (
  walk: Walk,
  type: SchemaAST.AST,
  parent: SchemaAST.Objects,
  members: Readonly<Record<string, unknown>>,
  name: string,
  at: Place,
): void => {
  const value = members[name];
  if (value === null) visitAbsent(walk, type, parent, members, at, false);
  if (value === false && walk.explicit && SchemaAST.isOptional(type) && isPlainFlag(type)) {
    tell(walk, at, {
      kind: "explicit-false",
      expected: "absence",
      actual: "false",
      accepted: true,
    });
  }
  visit(walk, type, value, at);
};

/** A member that is absent or null. Required members of one game are asked for in records of that game alone. */
const visitAbsent = (
  walk: Walk,
  type: SchemaAST.AST,
  parent: SchemaAST.Objects,
  members: Readonly<Record<string, unknown>>,
  at: Place,
  absent: boolean,
): void => {
  const spec = specOf(type).find(({ kind }) => kind === "required");
  if (spec?.kind === "required") {
    if (spec.only === "game 2" || (spec.only === "game 1" && isGame2(parent, members)))
      return undefined;
    return tell(walk, at, {
      kind: "missing",
      expected: nameOfKind(type),
      actual: "absent",
      accepted: true,
    });
  }
  if (SchemaAST.isOptional(type) || !absent) return undefined;
  return tell(walk, at, {
    kind: "missing",
    expected: nameOfKind(type),
    actual: "absent",
    accepted: false,
  });
};

/** A record shows by a member of game 2 alone that it is of game 2. */
const isGame2 = (ast: SchemaAST.Objects, members: Readonly<Record<string, unknown>>): boolean =>
  ast.propertySignatures.some(({ name, type }) => {
    const spec = specOf(type).find(({ kind }) => kind === "required");
    return (
      spec?.kind === "required" &&
      spec.only === "game 2" &&
      (members[String(name)] ?? null) !== null
    );
  });

/** An optional Boolean of which the specification does not say "always true". */
const isPlainFlag = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union" &&
  ast.types.some((type) => type._tag === "Boolean" && specOf(type).length === 0);

const visitDictionary = (
  walk: Walk,
  ast: SchemaAST.Objects,
  members: Readonly<Record<string, unknown>>,
  place: Place,
): void => {
  const [rest] = ast.indexSignatures;
  const keys = specOf(ast).find((spec) => spec.kind === "keys");
  for (const key of Object.keys(members)) {
    const at = { ...place, pointer: `${place.pointer}/${escaped(key)}` };
    if (keys?.kind === "keys" && !keys.words.includes(key)) {
      const expected = `one of ${keys.words.length} keys`;
      tell(walk, at, { kind: "unknown-word", expected, actual: "another key", accepted: true });
    }
    if (rest !== undefined) visit(walk, rest.type, members[key], at);
  }
};

const visitRules = (
  walk: Walk,
  identifier: string,
  members: Readonly<Record<string, unknown>>,
  place: Place,
): void => {
  for (const { path, expected, actual } of walk.rules?.[identifier]?.(members) ?? []) {
    const at = path.reduce(memberPlace, place);
    tell(walk, at, { kind: "rule-broken", expected, actual, accepted: true });
  }
};

/** Listed and unlisted stashes are one record in the specification. */
const recordName = (identifier: string): string =>
  identifier === "ListedStash" || identifier === "UnlistedStash" ? "PublicStashChange" : identifier;

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const memberPlace = (place: Place, name: string): Place => ({
  ...place,
  pointer: `${place.pointer}/${escaped(name)}`,
  member: `${place.member}.${name}`,
});

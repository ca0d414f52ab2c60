/**
 * Walks a value along a schema and tells every deviation from what the specification says of it.
 */
import * as SchemaAST from "effect/SchemaAST";
import type * as Schema from "effect/Schema";
import type { Deviation, Rules } from "./Deviation.ts";
import { leafDeviation } from "./leafDeviation.ts";
import { MAX_DEPTH } from "../../plain/depth.ts";
import { jsonTypeOf } from "../../plain/jsonTypeOf.ts";
import { agrees, matchesType, typeName } from "../jsonType.ts";
import { type DeploymentWords, memberPlace, type Place, report, step, type Walk } from "./walk.ts";
import { specOf } from "../wire.ts";

/** The deviations to look for. */
export interface WalkOptions {
  readonly explicit?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly refusedOnly?: boolean | undefined;
  readonly rules?: Rules | undefined;
  readonly words?: DeploymentWords | undefined;
}

/** The deviations of a value, in the order of its members, and the number of all of them. */
export const findDeviations = (
  schema: Schema.Constraint,
  value: unknown,
  {
    explicit = false,
    limit = Number.POSITIVE_INFINITY,
    refusedOnly = false,
    rules = {},
    words = {},
  }: WalkOptions,
): { readonly deviations: ReadonlyArray<Deviation>; readonly total: number } => {
  const walk: Walk = {
    out: [],
    limit,
    refusedOnly,
    explicit,
    rules,
    words,
    total: 0,
    isTooDeep: false,
  };
  const root: Place = { parent: undefined, key: "", member: "", record: undefined, depth: 0 };
  try {
    visit(walk, schema.ast, value, root);
  } catch {
    // A getter or a proxy that throws.
    const found = { expected: "readable value", actual: "exception" };
    report(walk, root, { kind: "other-type", ...found, accepted: false });
  }
  return { deviations: walk.out, total: walk.total };
};

const visit = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  if (walk.isTooDeep) return undefined;
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
    walk.isTooDeep = true;
    return report(walk, place, { kind: "too-deep", expected, actual: "more", accepted: false });
  }
  return visit(walk, ast, value, { ...place, depth });
};

const refuse = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void =>
  report(walk, place, {
    kind: "other-type",
    expected: typeName(ast),
    actual: jsonTypeOf(value),
    accepted: false,
  });

const visitUnion = (walk: Walk, ast: SchemaAST.Union, value: unknown, place: Place): void => {
  const [spec] = specOf(ast);
  const members = besidesNull(ast);
  if (value === null && members.length < ast.types.length) {
    if (walk.explicit && spec?.kind !== "required") {
      report(walk, place, {
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
  const ofKind = members.filter((member) => matchesType(member, value));
  const match = ofKind.find((member) => agrees(member, value)) ?? ofKind[0];
  if (match === undefined) return refuse(walk, documented, value, place);
  if (match !== documented && spec?.kind === "documented-first") {
    const expected = typeName(documented);
    report(walk, place, {
      kind: "other-type",
      expected,
      actual: jsonTypeOf(value),
      accepted: true,
    });
  }
  return visit(walk, match, value, place);
};

const alternatives = /*#__PURE__*/ new WeakMap<SchemaAST.Union, ReadonlyArray<SchemaAST.AST>>();

const besidesNull = (ast: SchemaAST.Union): ReadonlyArray<SchemaAST.AST> => {
  const known = alternatives.get(ast);
  if (known !== undefined) return known;
  const members = ast.types.filter(({ _tag }) => _tag !== "Null");
  alternatives.set(ast, members);
  return members;
};

const visitLeaf = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  if (!matchesType(ast, value)) return refuse(walk, ast, value, place);
  for (const spec of specOf(ast)) {
    const deviation = leafDeviation(spec, value, walk.words);
    if (deviation !== undefined) report(walk, place, { ...deviation, accepted: true });
  }
  return undefined;
};

const visitArray = (walk: Walk, ast: SchemaAST.Arrays, value: unknown, place: Place): void => {
  if (!Array.isArray(value)) return refuse(walk, ast, value, place);
  const [rest] = ast.rest;
  const length = Math.max(value.length, ast.elements.length);
  for (let index = 0; index < length; index++) {
    const at = step(place, index);
    const element = ast.elements[index];
    if (element === undefined && rest === undefined) {
      report(walk, at, {
        kind: "unknown-key",
        expected: "no element",
        actual: jsonTypeOf(value[index]),
        accepted: false,
      });
    } else if (element !== undefined && index >= value.length) {
      report(walk, at, {
        kind: "missing",
        expected: typeName(element),
        actual: "absent",
        accepted: false,
      });
    } else if (element === undefined && ast.elements.length > 0) {
      report(walk, at, {
        kind: "unknown-key",
        expected: "no element",
        actual: jsonTypeOf(value[index]),
        accepted: true,
      });
    } else {
      visit(walk, (element ?? rest)!, value[index], at);
    }
  }
  return undefined;
};

const visitStructure = (walk: Walk, ast: SchemaAST.Objects, value: unknown, place: Place): void => {
  if (!matchesType(ast, value)) return refuse(walk, ast, value, place);
  const members = value as Readonly<Record<string, unknown>>;
  const { identifier, record, signatures, demanded } = structureOf(ast);
  const depth = ast === place.record ? place.depth : 0;
  const here = record === undefined ? place : { ...place, member: record, record: ast, depth };
  if (signatures.size === 0) return visitDictionary(walk, ast, members, here);
  for (const [name, type] of demanded) {
    if (Object.hasOwn(members, name)) continue;
    visitAbsent(walk, type, ast, members, memberPlace(here, name), true);
  }
  for (const name of Object.keys(members)) {
    // A deployment has its own word for the member `livestream`.
    const isLivestream = name === walk.words.livestream && !signatures.has(name);
    const type = signatures.get(isLivestream ? "livestream" : name);
    const at = memberPlace(here, name);
    if (type === undefined) {
      report(walk, at, {
        kind: "unknown-key",
        expected: "absent",
        actual: jsonTypeOf(members[name]),
        accepted: true,
      });
    } else {
      visitMember(walk, type, ast, members, name, at);
    }
  }
  if (identifier !== undefined) visitRules(walk, identifier, members, here);
  if (identifier === "UnlistedStash" && walk.explicit) visitUnlisted(walk, members, here);
  return undefined;
};

interface Structure {
  readonly identifier: string | undefined;
  /** The record's name in the specification. */
  readonly record: string | undefined;
  readonly signatures: ReadonlyMap<string, SchemaAST.AST>;
  /** The members whose absence is a deviation. */
  readonly demanded: ReadonlyArray<readonly [name: string, type: SchemaAST.AST]>;
}

const structures = /*#__PURE__*/ new WeakMap<SchemaAST.Objects, Structure>();

const structureOf = (ast: SchemaAST.Objects): Structure => {
  const known = structures.get(ast);
  if (known !== undefined) return known;
  const identifier = SchemaAST.resolve(ast)?.["identifier"] as string | undefined;
  const signatures = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]));
  const structure: Structure = {
    identifier,
    record: identifier === undefined ? undefined : recordName(identifier),
    signatures,
    demanded: [...signatures].filter(
      ([, type]) =>
        !SchemaAST.isOptional(type) || specOf(type).some(({ kind }) => kind === "required"),
    ),
  };
  structures.set(ast, structure);
  return structure;
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
    report(walk, at, {
      kind: "explicit-false",
      expected: "absence",
      actual: "false",
      accepted: true,
    });
  }
  visit(walk, type, value, at);
};

/**
 * A member that is absent or null. Required members of one game are asked for in records of that
 * game alone.
 */
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
    return report(walk, at, {
      kind: "missing",
      expected: typeName(type),
      actual: "absent",
      accepted: true,
    });
  }
  if (SchemaAST.isOptional(type) || !absent) return undefined;
  return report(walk, at, {
    kind: "missing",
    expected: typeName(type),
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
    const at = step(place, key);
    if (keys?.kind === "keys" && !keys.words.includes(key)) {
      const expected = `one of ${keys.words.length} keys`;
      report(walk, at, { kind: "unknown-word", expected, actual: "another key", accepted: true });
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
  for (const { path, expected, actual } of walk.rules[identifier]?.(members) ?? []) {
    const at = path.reduce(memberPlace, place);
    report(walk, at, { kind: "rule-broken", expected, actual, accepted: true });
  }
};

/** Streaming rule 3 omits everything but `id` and `public` of an unlisted change (§4.2). */
const visitUnlisted = (
  walk: Walk,
  members: Readonly<Record<string, unknown>>,
  place: Place,
): void => {
  for (const name of ["accountName", "stash", "stashType", "league", "items"]) {
    const value = members[name] ?? null;
    if (value === null) continue;
    const found = { expected: "absence in an unlisted change", actual: jsonTypeOf(value) };
    report(walk, memberPlace(place, name), { kind: "not-omitted", ...found, accepted: true });
  }
};

/** Listed and unlisted stashes are one record in the specification. */
const recordName = (identifier: string): string =>
  identifier === "ListedStash" || identifier === "UnlistedStash" ? "PublicStashChange" : identifier;

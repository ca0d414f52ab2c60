/**
 * Walks a value along a schema and tells each deviation from what the specification says of it. What
 * the schema refuses is told first, by `findTypeErrors`; the walk passes over it.
 */
import * as SchemaAST from "effect/SchemaAST";
import type * as Schema from "effect/Schema";
import type { Rules } from "./Deviation.ts";
import { documentedName, leafDeviation } from "./leafDeviation.ts";
import { MAX_DEPTH } from "../../plain/depth.ts";
import { boundOf, fits, nameOf } from "../../plain/explain.ts";
import { jsonTypeOf } from "../../plain/jsonTypeOf.ts";
import { isObject } from "../../plain/tests.ts";
import { shapeOf } from "../shapeOf.ts";
import { specOf } from "../wire.ts";
import { type Found, findTypeErrors, recordName } from "./typeErrors.ts";
import {
  type DeploymentWords,
  ENOUGH,
  memberPlace,
  type Place,
  pointerOf,
  report,
  step,
  type Walk,
} from "./walk.ts";

/** The deviations to look for. */
export interface WalkOptions {
  readonly explicit?: boolean | undefined;
  /** The largest number to list. Default: 1000. */
  readonly limit?: number | undefined;
  readonly rules?: Rules | undefined;
  readonly words?: DeploymentWords | undefined;
}

/** The largest number of deviations that a report lists by itself. */
export const DEFAULT_LIMIT = 1000;

type Members = Readonly<Record<string, unknown>>;

/** The deviations of a value: those for which it is refused, then the others. */
export const findDeviations = (
  schema: Schema.Constraint,
  value: unknown,
  { explicit = false, limit: wanted = DEFAULT_LIMIT, rules = {}, words = {} }: WalkOptions,
): Found => {
  const limit = boundOf(wanted);
  const refused = findTypeErrors(schema, value, limit);
  // There is no room for more, and a page of garbage would be walked to its end.
  if (refused.hasMore && refused.deviations.length >= limit) return refused;
  const walk: Walk = { out: [...refused.deviations], limit, explicit, rules, words };
  const root: Place = { parent: undefined, key: "", member: "", record: undefined, depth: 0 };
  let { hasMore } = refused;
  try {
    visit(walk, schema.ast, value, root);
  } catch (thrown) {
    // Otherwise a getter or a proxy has thrown, which is a refusal.
    hasMore ||= thrown === ENOUGH;
  }
  const ordered = walk.out.toSorted((a, b) => Number(a.accepted) - Number(b.accepted));
  return { deviations: ordered, hasMore };
};

const visit = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  if (SchemaAST.isSuspend(ast)) return visitNested(walk, ast.thunk(), value, place);
  switch (ast._tag) {
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

/** Nothing is looked at behind a record that is nested too deeply: the value may have cycles. */
const visitNested = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  const depth = place.depth + 1;
  if (depth > MAX_DEPTH) throw ENOUGH;
  return visit(walk, ast, value, { ...place, depth });
};

const visitUnion = (walk: Walk, ast: SchemaAST.Union, value: unknown, place: Place): void => {
  const [spec] = specOf(ast);
  const members = ast.types.filter(({ _tag }) => _tag !== "Null");
  if (value === null && members.length < ast.types.length) {
    if (walk.explicit && spec?.kind !== "required")
      report(walk, place, { kind: "explicit-null", expected: "absence", actual: "null" });
    return undefined;
  }
  if (spec?.kind === "word") return visitLeaf(walk, ast, value, place);
  const ofType = members.filter((member) => fits(shapeOf(member), value));
  const match = ofType.find((member) => agrees(member, value)) ?? ofType[0];
  if (match === undefined) return undefined;
  if (match !== members[0] && spec?.kind === "documented-first") {
    const expected = documentedName(members[0]!);
    report(walk, place, { kind: "other-type", expected, actual: jsonTypeOf(value) });
  }
  return visit(walk, match, value, place);
};

/** Members that are literals tell the cases of a union apart. */
const agrees = (ast: SchemaAST.AST, value: unknown): boolean =>
  ast._tag !== "Objects" ||
  ast.propertySignatures.every(
    ({ name, type }) =>
      type._tag !== "Literal" || (value as Members)[name as string] === type.literal,
  );

const visitLeaf = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  const specs = specOf(ast);
  if (specs.length === 0 || !fits(shapeOf(ast), value)) return undefined;
  for (const spec of specs) {
    const deviation = leafDeviation(spec, value, walk.words);
    if (deviation !== undefined) report(walk, place, deviation);
  }
  return undefined;
};

const visitArray = (walk: Walk, ast: SchemaAST.Arrays, value: unknown, place: Place): void => {
  if (!Array.isArray(value)) return undefined;
  const [rest] = ast.rest;
  for (const [index, element] of value.entries()) {
    const type = ast.elements[index];
    const at = step(place, index);
    if (type === undefined && rest !== undefined && ast.elements.length > 0) {
      const actual = jsonTypeOf(element);
      report(walk, at, { kind: "unknown-key", expected: "no element", actual });
    } else if ((type ?? rest) !== undefined) {
      visit(walk, (type ?? rest)!, element, at);
    }
  }
  return undefined;
};

const visitStructure = (walk: Walk, ast: SchemaAST.Objects, value: unknown, place: Place): void => {
  if (!isObject(value)) return undefined;
  const { identifier, record, signatures, demanded } = structureOf(ast);
  const depth = ast === place.record ? place.depth : 0;
  const here = record === undefined ? place : { ...place, member: record, record: ast, depth };
  if (signatures.size === 0) return visitDictionary(walk, ast, value, here);
  for (const [name, type] of demanded)
    if (!Object.hasOwn(value, name))
      visitOmitted(walk, { type, parent: ast, members: value }, memberPlace(here, name));
  for (const name of Object.keys(value)) {
    // A deployment has its own word for the member `livestream`.
    const isLivestream = name === walk.words.livestream && !signatures.has(name);
    const type = signatures.get(isLivestream ? "livestream" : name);
    const at = memberPlace(here, name);
    if (type === undefined) {
      const actual = jsonTypeOf(value[name]);
      report(walk, at, { kind: "unknown-key", expected: "absent", actual });
    } else {
      if (isLivestream) visitRenamed(walk, type, value[name], at);
      visitMember(walk, { type, parent: ast, members: value }, name, at);
    }
  }
  if (identifier !== undefined) visitRules(walk, identifier, value, here);
  if (identifier === "UnlistedStash" && walk.explicit) visitUnlisted(walk, value, here);
  return undefined;
};

/** The check of the record does not know a member by a deployment's word: it is explained here. */
const visitRenamed = (walk: Walk, ast: SchemaAST.AST, value: unknown, place: Place): void => {
  const { deviations } = findTypeErrors({ ast } as Schema.Constraint, value, walk.limit);
  for (const found of deviations) {
    if (walk.out.length >= walk.limit) throw ENOUGH;
    const pointer = pointerOf(place) + found.pointer;
    walk.out.push({ ...found, pointer, member: place.member + found.member });
  }
};

interface Structure {
  readonly identifier: string | undefined;
  /** The record's name in the specification. */
  readonly record: string | undefined;
  readonly signatures: ReadonlyMap<string, SchemaAST.AST>;
  /** The members that are required by the specification and may be left out. */
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
    demanded: [...signatures].filter(([, type]) => requirementOf(type) !== undefined),
  };
  structures.set(ast, structure);
  return structure;
};

/** The statement that a member is required although services leave it out. */
const requirementOf = (type: SchemaAST.AST) => {
  const spec = specOf(type).find(({ kind }) => kind === "required");
  return spec?.kind === "required" ? spec : undefined;
};

/** A member in its record. */
interface Member {
  readonly type: SchemaAST.AST;
  readonly parent: SchemaAST.Objects;
  readonly members: Members;
}

const visitMember = (walk: Walk, member: Member, name: string, at: Place): void => {
  const { type, members } = member;
  const value = members[name];
  if (value === null) visitOmitted(walk, member, at);
  if (value === false && walk.explicit && SchemaAST.isOptional(type) && isPlainFlag(type))
    report(walk, at, { kind: "explicit-false", expected: "absence", actual: "false" });
  visit(walk, type, value, at);
};

/**
 * A member that is absent or null. Required members of one game are asked for in records of that
 * game alone.
 */
const visitOmitted = (walk: Walk, { members, parent, type }: Member, at: Place): void => {
  const requirement = requirementOf(type);
  if (requirement === undefined || requirement.only === "game 2") return undefined;
  if (requirement.only === "game 1" && isGame2(parent, members)) return undefined;
  return report(walk, at, { kind: "missing", expected: nameOf(shapeOf(type)), actual: "absent" });
};

/** A record shows by a member of game 2 alone that it is of game 2. */
const isGame2 = (ast: SchemaAST.Objects, members: Members): boolean =>
  ast.propertySignatures.some(
    ({ name, type }) =>
      requirementOf(type)?.only === "game 2" && (members[String(name)] ?? null) !== null,
  );

/** An optional Boolean of which the specification does not say "always true". */
const isPlainFlag = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union" &&
  ast.types.some((type) => type._tag === "Boolean" && specOf(type).length === 0);

const visitDictionary = (
  walk: Walk,
  ast: SchemaAST.Objects,
  members: Members,
  place: Place,
): void => {
  const [rest] = ast.indexSignatures;
  const keys = specOf(ast).find((spec) => spec.kind === "keys");
  for (const key of Object.keys(members)) {
    const at = step(place, key);
    if (keys?.kind === "keys" && !keys.words.includes(key)) {
      const expected = `one of ${keys.words.length} keys`;
      report(walk, at, { kind: "unknown-word", expected, actual: "another key" });
    }
    if (rest !== undefined) visit(walk, rest.type, members[key], at);
  }
};

const visitRules = (walk: Walk, identifier: string, members: Members, place: Place): void => {
  for (const { path, expected, actual } of walk.rules[identifier]?.(members) ?? [])
    report(walk, path.reduce(memberPlace, place), { kind: "rule-broken", expected, actual });
};

/** Streaming rule 3 omits everything but `id` and `public` of an unlisted change (§4.2). */
const visitUnlisted = (walk: Walk, members: Members, place: Place): void => {
  for (const name of ["accountName", "stash", "stashType", "league", "items"]) {
    const value = members[name] ?? null;
    if (value === null) continue;
    const found = { expected: "absence in an unlisted change", actual: jsonTypeOf(value) };
    report(walk, memberPlace(place, name), { kind: "not-omitted", ...found });
  }
};

/** The deviations for which a value is refused, as `explain` names them. */
import * as Schema from "effect/Schema";
import { ABSENT, explain, type Issue, type Path, TOO_DEEP } from "../../plain/explain.ts";
import { jsonTypeOf } from "../../plain/jsonTypeOf.ts";
import { RecordError } from "../../plain/RecordError.ts";
import type { Shape, Shaped } from "../../plain/Shape.ts";
import { shapeOf } from "../shapeOf.ts";
import type { Deviation } from "./Deviation.ts";

/** Deviations up to a limit, and whether there are more. */
export interface Found {
  readonly deviations: ReadonlyArray<Deviation>;
  /** Whether there are more deviations, or may be: the walk ended before the value did. */
  readonly hasMore: boolean;
}

/**
 * The deviations for which the schema refuses the value: none if and only if it decodes. Throws
 * `RecordError` for what is no schema, such as the plain record of the same name.
 */
export const findTypeErrors = (schema: Schema.Constraint, value: unknown, limit: number): Found => {
  if ((schema as Partial<typeof schema> | undefined)?.ast === undefined) {
    const issue = { expected: "a Schema of schemas/effect", actual: jsonTypeOf(schema) };
    const issues = [{ ...issue, pointer: "", path: [] }];
    throw new RecordError("schema", { issues, hasMore: false });
  }
  if (decodes(schema, value)) return { deviations: [], hasMore: false };
  const shape = shapeOf(schema.ast);
  const { hasMore, issues } = explain(shape, value, limit);
  return { deviations: issues.map((issue) => toDeviation(shape, issue)), hasMore };
};

const decodes = (schema: Schema.Constraint, value: unknown): boolean => {
  try {
    const codec = schema as Schema.Codec<unknown>;
    return Schema.decodeUnknownExit(codec)(value)._tag === "Success";
  } catch {
    return false; // a getter or a proxy
  }
};

const toDeviation = (shape: Shape, { actual, expected, path, pointer }: Issue): Deviation => ({
  kind: actual === ABSENT ? "missing" : actual === TOO_DEEP ? "too-deep" : "other-type",
  pointer,
  member: memberOf(shape, path),
  expected,
  actual,
  accepted: false,
});

/** The record and its member without indices and keys, such as `Item.influences.hunter`. */
const memberOf = (shape: Shape, path: Path): string => {
  let member = "";
  let here: ReadonlyArray<Shape> = [shape];
  /** The structures, lists and dictionaries that a type may stand for. */
  const open = (one: Shape): ReadonlyArray<Shape> => {
    if (typeof one === "string") return [];
    if (typeof one === "function") return entered(one());
    if (!Array.isArray(one)) return [one];
    const [tag, inner, , cases] = one as readonly [string, any, any, any];
    if (tag === "@") return entered(inner as Shaped);
    if (tag === "?") return Object.values(cases as object).flatMap(open);
    return tag === "|" ? (one.slice(1) as ReadonlyArray<Shape>).flatMap(open) : [one as Shape];
  };
  const entered = ({ name, shape: inner }: Shaped): ReadonlyArray<Shape> => {
    if (name !== "") member = recordName(name);
    return open(inner);
  };
  for (const key of path) {
    const all = here.flatMap(open);
    const named = all.flatMap((one) => memberIn(one, String(key)));
    if (named.length > 0) member += `.${key}`;
    here = named.length > 0 ? named : all.flatMap((one) => elementsOf(one, key));
  }
  return member;
};

const memberIn = (shape: Shape, key: string): ReadonlyArray<Shape> => {
  if (Array.isArray(shape)) return [];
  const members = shape as Readonly<Record<string, Shape>>;
  const name = [key, `${key}?`].find((one) => Object.hasOwn(members, one));
  return name === undefined ? [] : [members[name]!];
};

/** The types of an element of a list or a tuple, or of a dictionary's member. */
const elementsOf = (shape: Shape, key: string | number): ReadonlyArray<Shape> => {
  if (!Array.isArray(shape)) return [];
  const [tag, inner, ...parts] = shape as readonly [string, Shape, ...Array<Shape>];
  if (tag === "{" || tag === "[") return (tag === "[") === (typeof key === "number") ? [inner] : [];
  return tag === "(" && parts[Number(key)] !== undefined ? [parts[Number(key)]!] : [];
};

/** Listed and unlisted stashes are one record in the specification. */
export const recordName = (identifier: string): string =>
  identifier === "ListedStash" || identifier === "UnlistedStash" ? "PublicStashChange" : identifier;

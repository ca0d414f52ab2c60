/**
 * Effect Schemas of records and of types in the notation.
 *
 * The schema of a record runs the record's check: decoding, encoding and `Schema.is` return an
 * accepted value itself, with its unknown members, and explain a refused value as `safeDecode`
 * does. The check belongs to the schema's own node and to the nodes that Effect derives for the
 * type side and for encoding, so it also runs inside arrays, structures, unions and `NullOr`.
 * `annotate` makes another node, which Effect interprets without the check.
 */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import * as SchemaIssue from "effect/SchemaIssue";
import * as SchemaParser from "effect/SchemaParser";
import * as SchemaCompiler from "effect/schema/SchemaCompiler";
import { ABSENT, explain } from "../explain.ts";
import type { LeafType, Member, PlainRecord, Shape, Standard } from "../PlainRecord.ts";
import type { Issue } from "../RecordError.ts";
import { toShape } from "../shape.ts";
import type { Notation, Read } from "../terms.ts";

/** A schema that returns its input unchanged. `Drift` and `JsonSchema` read its shape. */
export interface Wire<T> extends Schema.Codec<T> {
  readonly shape: Shape;
}

/** The schema of a record. Its `fields` can be spread into other structures. */
export interface RecordSchema<T> extends Wire<T> {
  readonly fields: {
    readonly [K in keyof T]-?: {} extends Pick<T, K>
      ? Schema.optionalKey<Schema.Codec<Exclude<T[K], undefined>>>
      : Schema.Codec<T[K]>;
  };
  /** Standard Schema, version 1 (https://standardschema.dev). */
  readonly "~standard": Standard<T>;
}

const schemas = new WeakMap<object, unknown>();

/** Returns the Effect Schema of a record, which is made once. */
export const recordSchema = <T>(record: PlainRecord<T>): RecordSchema<T> => {
  const cached = schemas.get(record);
  if (cached !== undefined) return cached as RecordSchema<T>;
  const { name, shape } = record;
  const makeSelf = () => recordSchema(record);
  const schema = build(shape, makeSelf).annotate({ identifier: name });
  setCheck(schema.ast, record);
  const result = Object.assign(schema, {
    shape: { kind: "record", record },
    fields: shape.kind === "structure" ? toFields(shape.members, makeSelf) : {},
    "~standard": record["~standard"],
  }) as unknown as RecordSchema<T>;
  schemas.set(record, result);
  return result;
};

/**
 * Returns the Effect Schema of a type in the notation that is not a record. Effect interprets it.
 *
 * @example
 * ```ts
 * import { toSchema } from "@game-data/schemas/effect";
 * import { optional } from "@game-data/schemas/notation";
 * import { Schema } from "effect";
 *
 * const Season = toSchema({ league: "string", endsAt: optional("date-time") });
 * console.log(Schema.is(Season)({ league: "Ember" })); // true
 * ```
 */
export const toSchema = <const N extends Notation>(notation: N): Wire<Read<N>> => {
  const shape = toShape(notation);
  // `annotate` makes a copy. Otherwise `shape` would be set on `Schema.String` itself.
  return Object.assign(build(shape, noSelf).annotate({}), { shape }) as unknown as Wire<Read<N>>;
};

/** Returns the schema of the record around a type, for records that contain themselves. */
type MakeSelf = () => Schema.Codec<any>;

const noSelf: MakeSelf = () => {
  throw new Error('"this" is not in a record');
};

const LEAVES: { readonly [type in LeafType]: Schema.Codec<any> } = {
  string: Schema.String,
  bool: Schema.Boolean,
  uint: Schema.Natural,
  int: Schema.Int,
  float: Schema.Finite,
  any: Schema.Any,
};

const build = (shape: Shape, makeSelf: MakeSelf): Schema.Codec<any> => {
  const convert = (inner: Shape) => build(inner, makeSelf);
  switch (shape.kind) {
    case "leaf":
      return LEAVES[shape.type];
    case "words":
      return shape.type === "uint"
        ? LEAVES.uint
        : Schema.Union([Schema.Literals(shape.words), Schema.StringForLiteralAutocomplete]);
    case "literal":
      return Schema.Literals(shape.values);
    case "list":
      return Schema.Array(convert(shape.of));
    case "pair":
      return Schema.TupleWithRest(Schema.Tuple(shape.of.map(convert)), [Schema.Any]);
    case "dictionary":
      return Schema.Union([Schema.Record(Schema.String, convert(shape.of)), Schema.Tuple([])]);
    case "either":
      return Schema.Union(shape.of.map(convert));
    case "structure":
      return Schema.StructWithRest(Schema.Struct(toFields(shape.members, makeSelf)), [
        Schema.Record(Schema.String, Schema.Any),
      ]) as unknown as Schema.Codec<any>;
    case "record":
      return recordSchema(shape.record);
    case "cases":
      return Schema.Union([...shape.of.values()].map(recordSchema));
    case "this":
      return Schema.suspend(makeSelf);
  }
};

const toFields = (members: ReadonlyMap<string, Member>, makeSelf: MakeSelf): Record<string, any> =>
  Object.fromEntries(
    [...members].map(([name, { canBeAbsent, canBeNull, shape }]) => {
      const type = build(shape, makeSelf);
      const schema = canBeNull ? Schema.NullOr(type) : type;
      return [name, canBeAbsent ? Schema.optionalKey(schema) : schema];
    }),
  );

/** Makes Effect run the record's check at each node that Effect derives from the schema. */
const setCheck = (ast: SchemaAST.AST, record: PlainRecord<unknown>): void => {
  const nodes = [ast, SchemaAST.toType(ast), SchemaAST.toEncoded(ast), SchemaAST.flip(ast)];
  for (const node of new Set(nodes))
    SchemaCompiler.set(node, {
      is: record.is,
      decode: (input) => (record.is(input) ? input : SchemaCompiler.invalid),
      decodeEffect: decodeWith(node, record),
    });
};

const decodeWith = (
  ast: SchemaAST.AST,
  record: PlainRecord<unknown>,
): SchemaCompiler.DecodeEffect => {
  let interpreted: SchemaCompiler.DecodeEffect | undefined;
  return (input, options) => {
    // Accepts absence, because the structure around the member decides whether it is required.
    if (input === SchemaCompiler.missing) return Effect.succeed(SchemaCompiler.missing);
    if (record.is(input)) return Effect.succeed(input);
    return Effect.suspend(() =>
      options.disableChecks === true
        ? (interpreted ??= interpreter(ast))(input, options)
        : Effect.fail(toIssue(record, input, ast, options)),
    ).pipe(
      // A defect means that a getter or a proxy of the input has thrown.
      Effect.catchDefect(() => Effect.fail(toLeaf(UNREADABLE, undefined, options))),
    );
  };
};

const UNREADABLE = { expected: "a value that can be read", actual: "another one" };

/** The largest number of places that an Effect decoder names with `errors: "all"`. */
const MAX_ISSUES = 100;

const toIssue = (
  record: PlainRecord<unknown>,
  input: unknown,
  ast: SchemaAST.AST,
  options: SchemaAST.ParseOptions,
): SchemaIssue.Issue => {
  const limit = options.errors === "all" ? MAX_ISSUES : 1;
  const { issues } = explain({ kind: "record", record }, input, limit);
  const [first, ...others] = issues.map((issue) => {
    const leaf = toLeaf(issue, valueAt(input, issue.path), options);
    return issue.path.length === 0 ? leaf : new SchemaIssue.Pointer(issue.path, leaf);
  });
  return others.length === 0
    ? first!
    : new SchemaIssue.Composite(ast, [first!, ...others], input, options);
};

const toLeaf = (
  { actual, expected }: Pick<Issue, "actual" | "expected">,
  input: unknown,
  options: SchemaAST.ParseOptions,
): SchemaIssue.Leaf =>
  actual === ABSENT
    ? new SchemaIssue.MissingKey(undefined)
    : new SchemaIssue.InvalidValue(
        { message: `Expected ${expected}, got ${actual}` },
        input,
        options,
      );

/** Returns the value at a place, which an issue keeps with the option `reportInput`. */
const valueAt = (input: unknown, path: Issue["path"]): unknown => {
  try {
    return path.reduce<any>((value, key) => value[key], input);
  } catch {
    return undefined; // A getter or a proxy has thrown.
  }
};

/** Returns Effect's interpreter for a copy of the node, which does not have the check. */
const interpreter = (ast: SchemaAST.AST): SchemaCompiler.DecodeEffect =>
  SchemaParser.decodeUnknownEffect(Schema.make<Schema.Codec<unknown>>(ast).annotate({}));

/**
 * Puts the generated check of a record behind its schema, so that Effect's ordinary functions use
 * it: decoding, encoding and `is`.
 *
 * An accepted value is returned itself, with its unknown members. A refused one is explained as
 * `safeDecode` explains it: the first place, or up to 100 with `errors: "all"`. Effect's interpreter
 * reads a record only where an option asks for something else than the verdict (`disableChecks`).
 *
 * A check belongs to exact nodes: the record's own, and those that Effect derives from it for the
 * type side and for encoding. Effect keeps derived nodes, and derives a structure from the derived
 * nodes of its members, so wrapping in arrays, structures, unions and `NullOr` keeps the check.
 * `annotate` makes another node, whose outermost structure is interpreted. `toCodecJson` makes
 * other nodes of records that contain themselves; a record needs no such codec, for it is JSON
 * already.
 */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import * as SchemaIssue from "effect/SchemaIssue";
import * as SchemaParser from "effect/SchemaParser";
import * as SchemaCompiler from "effect/schema/SchemaCompiler";
import type { PlainRecord, Standard } from "../plain/PlainRecord.ts";
import { ABSENT, explain, type Issue } from "../plain/explain.ts";
import { setRecord } from "./shapeOf.ts";

/** Installs the check of a plain record and returns the schema, as a Standard Schema too. */
export const compiled = <S extends Schema.Constraint, T>(
  schema: S,
  plain: PlainRecord<T>,
): S & { readonly "~standard": Standard<T> } => {
  const { ast } = schema;
  const nodes = [ast, SchemaAST.toType(ast), SchemaAST.toEncoded(ast), SchemaAST.flip(ast)];
  for (const node of new Set(nodes)) install(node, plain);
  return Object.assign(schema, { "~standard": plain["~standard"] });
};

const install = <T>(ast: SchemaAST.AST, plain: PlainRecord<T>): void => {
  const { is } = plain;
  let interpreted: SchemaCompiler.DecodeEffect | undefined;
  setRecord(ast, plain);
  SchemaCompiler.set(ast, {
    is,
    decode: (input) => (is(input) ? input : SchemaCompiler.invalid),
    decodeEffect: (input, options) => {
      // An absent member: whoever holds it decides whether it was required.
      if (input === SchemaCompiler.missing) return Effect.succeed(SchemaCompiler.missing);
      if (is(input)) return Effect.succeed(input);
      // A getter or a proxy may throw.
      return Effect.catchDefect(
        Effect.suspend(() =>
          options.disableChecks === true
            ? (interpreted ??= interpreter(ast))(input, options)
            : Effect.fail(toIssue(plain, input, ast, options)),
        ),
        () => Effect.fail(toLeaf(UNREADABLE, undefined, options)),
      );
    },
  });
};

const UNREADABLE = { expected: "a value that can be read", actual: "another one" };

/** The largest number of places that an Effect decoder names. */
const ALL = 100;

const toIssue = <T>(
  plain: PlainRecord<T>,
  input: unknown,
  ast: SchemaAST.AST,
  options: SchemaAST.ParseOptions,
): SchemaIssue.Issue => {
  const { issues } = explain(plain.shape, input, options.errors === "all" ? ALL : 1);
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

/** The value at a place, if it can be read; issues keep it with the option `reportInput` alone. */
const valueAt = (input: unknown, path: Issue["path"]): unknown => {
  try {
    return path.reduce<any>((value, key) => value[key], input);
  } catch {
    return undefined;
  }
};

/** Effect's interpreter for an equal node, which is not in the registry. */
const interpreter = (ast: SchemaAST.AST): SchemaCompiler.DecodeEffect =>
  SchemaParser.decodeUnknownEffect(Schema.make<Schema.Codec<unknown>>(ast).annotate({}));

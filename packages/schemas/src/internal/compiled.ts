/**
 * Puts the generated check of a record behind its schema, so that Effect's ordinary functions use
 * it: decoding, encoding and `is`.
 *
 * An accepted value is returned itself, with its unknown members. A refused one is gone through
 * again by Effect's interpreter, which names the place. Nesting beyond `MAX_DEPTH` is refused
 * before the interpreter, whose recursion has no bound.
 *
 * A check belongs to exact nodes: the record's own, and those that Effect derives from it for the
 * type side and for encoding. Effect keeps derived nodes, and derives a structure from the derived
 * nodes of its members, so wrapping in arrays, structures, unions and `NullOr` keeps the check.
 * `annotate` makes another node, whose outermost structure is interpreted. `toCodecJson` makes
 * other
 * nodes of records that contain themselves; a record needs no such codec, for it is JSON already.
 */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import * as SchemaIssue from "effect/SchemaIssue";
import * as SchemaParser from "effect/SchemaParser";
import * as SchemaCompiler from "effect/schema/SchemaCompiler";
import type { PlainRecord, Standard } from "../plain/PlainRecord.ts";
import { exceedsDepth } from "./exceedsDepth.ts";

/** Installs the check of a plain record and returns the schema, as a Standard Schema too. */
export const compiled = <S extends Schema.Constraint, T>(
  schema: S,
  plain: PlainRecord<T>,
): S & { readonly "~standard": Standard<T> } => {
  const { ast } = schema;
  const nodes = [ast, SchemaAST.toType(ast), SchemaAST.toEncoded(ast), SchemaAST.flip(ast)];
  for (const node of new Set(nodes)) install(node, plain.is);
  return Object.assign(schema, { "~standard": plain["~standard"] });
};

const install = (ast: SchemaAST.AST, is: (value: unknown) => boolean): void => {
  let interpreted: SchemaCompiler.DecodeEffect | undefined;
  SchemaCompiler.set(ast, {
    is,
    decode: (input) => (is(input) ? input : SchemaCompiler.invalid),
    decodeEffect: (input, options) => {
      // An absent member: whoever holds it decides whether it was required.
      if (input === SchemaCompiler.missing) return Effect.succeed(SchemaCompiler.missing);
      // A getter or a proxy may throw.
      return Effect.catchDefect(
        Effect.suspend(
          () =>
            exceedsDepth(input, ast, options) ?? (interpreted ??= interpreter(ast))(input, options),
        ),
        () => {
          const message = "Expected a value that can be read";
          return Effect.fail(new SchemaIssue.InvalidValue({ message }, undefined, options));
        },
      );
    },
  });
};

/** Effect's interpreter for an equal node, which is not in the registry. */
const interpreter = (ast: SchemaAST.AST): SchemaCompiler.DecodeEffect =>
  SchemaParser.decodeUnknownEffect(Schema.make<Schema.Codec<unknown>>(ast).annotate({}));

/**
 * Puts a generated check behind a schema, so that Effect's ordinary functions use it: decoding,
 * encoding and `is`.
 *
 * An accepted value is returned itself, with its unknown members. A refused one is gone through
 * again by Effect's interpreter, which names the place. Nesting beyond `MAX_DEPTH` is refused
 * before the interpreter, whose recursion has no bound.
 *
 * The check belongs to the schema's exact node. Effect derives other nodes for encoding, for the
 * type side and for JSON (as `HttpApi` does), yet leaves a node as it is where it has nothing to
 * change, and records have nothing: see `nested`. Wrapping in arrays, structures, unions and
 * `NullOr` keeps the node; `annotate` makes another one, whose outermost structure is interpreted
 * while the records inside are still checked as compiled.
 */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type * as SchemaAST from "effect/SchemaAST";
import * as SchemaParser from "effect/SchemaParser";
import * as SchemaCompiler from "effect/schema/SchemaCompiler";
import { tooDeep } from "./tooDeep.ts";

/** True for an accepted value. Recursive records count how deep they stand. */
export type Check = (value: unknown, depth: number) => boolean;

/** Installs the check and returns the schema. */
export const compiled = <S extends Schema.Constraint>(schema: S, check: Check): S => {
  install(schema.ast, check);
  return schema;
};

const install = (ast: SchemaAST.AST, check: Check): void => {
  let interpreted: SchemaCompiler.DecodeEffect | undefined;
  SchemaCompiler.set(ast, {
    is: (input) => check(input, 0),
    decode: (input) => (check(input, 0) ? input : SchemaCompiler.invalid),
    decodeEffect: (input, options) => {
      // An absent member: whoever holds it decides whether it was required.
      if (input === SchemaCompiler.missing) return Effect.succeed(SchemaCompiler.missing);
      return tooDeep(input, ast, options) ?? (interpreted ??= interpreter(ast))(input, options);
    },
  });
};

/** Effect's interpreter for an equal node, which is not in the registry. */
const interpreter = (ast: SchemaAST.AST): SchemaCompiler.DecodeEffect =>
  SchemaParser.decodeUnknownEffect(Schema.make<Schema.Codec<unknown>>(ast).annotate({}));

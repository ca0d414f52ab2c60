/**
 * The same schema on nodes that no compiled check knows: what Effect's interpreter alone makes of a
 * value. Tests and benchmarks compare the checks with it.
 */
import { Schema, SchemaAST } from "effect";

const copies = new WeakMap<SchemaAST.AST, SchemaAST.AST>();

/** A copy of the schema, interpreted throughout. */
export const interpreted = <T>(schema: Schema.Codec<T>): Schema.Codec<T> =>
  Schema.make<Schema.Codec<T>>(copy(schema.ast));

const copy = (ast: SchemaAST.AST): SchemaAST.AST => {
  const known = copies.get(ast);
  if (known !== undefined) return known;
  const made = withContext(ast, fresh(ast));
  copies.set(ast, made);
  return made;
};

const fresh = (ast: SchemaAST.AST): SchemaAST.AST => {
  switch (ast._tag) {
    case "Suspend":
      return new SchemaAST.Suspend(() => copy(ast.thunk()));
    case "Union":
      return new SchemaAST.Union(ast.types.map(copy), ast.options, ast.annotations);
    case "Arrays":
      return new SchemaAST.Arrays(
        ast.isMutable,
        ast.elements.map(copy),
        ast.rest.map(copy),
        ast.annotations,
      );
    case "Objects":
      return new SchemaAST.Objects(
        ast.propertySignatures.map(
          ({ name, type }) => new SchemaAST.PropertySignature(name, copy(type)),
        ),
        ast.indexSignatures.map(
          ({ parameter, type }) => new SchemaAST.IndexSignature(parameter, copy(type)),
        ),
        ast.annotations,
      );
    default:
      return ast;
  }
};

/** Optional members are marked in a node's context. */
const withContext = (ast: SchemaAST.AST, made: SchemaAST.AST): SchemaAST.AST =>
  made !== ast && SchemaAST.isOptional(ast) ? Schema.optionalKey(Schema.make(made)).ast : made;

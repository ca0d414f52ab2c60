/** Questions about the nodes of a schema, for the generator of checks. */
import { SchemaAST } from "effect";

/** A record to be compiled: the name of its module, and its node. */
export interface Target {
  readonly name: string;
  readonly ast: SchemaAST.AST;
}

/** The members of a union, those of unions inside it included. */
export const flatten = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" && ast.checks === undefined ? ast.types.flatMap(flatten) : [ast];

/** True if any string is accepted. */
export const isAnyString = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union"
    ? ast.types.some(isAnyString)
    : ast._tag === "String" && ast.checks === undefined;

/** True if one string is accepted. */
export const isStringLiteral = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Literal" && typeof ast.literal === "string";

/** The nodes right below a node. */
export const children = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Objects":
      return [
        ...ast.propertySignatures.map(({ type }) => type),
        ...ast.indexSignatures.map(({ type }) => type),
      ];
    case "Arrays":
      return [...ast.elements, ...ast.rest];
    case "Union":
      return ast.types;
    default:
      return [];
  }
};

/** True for a record that contains itself through a suspended schema. */
export const isRecursive = (target: SchemaAST.AST): boolean => {
  const seen = new Set<SchemaAST.AST>();
  const finds = (ast: SchemaAST.AST): boolean => {
    if (SchemaAST.isSuspend(ast)) return ast.thunk() === target;
    if (seen.has(ast)) return false;
    seen.add(ast);
    return children(ast).some(finds);
  };
  return children(target).some(finds);
};

/**
 * The kinds of JSON values, as reports name them, and the question whether a value is of the kind
 * of a schema's node.
 */
import type * as SchemaAST from "effect/SchemaAST";
import { isObject } from "../plain/tests.ts";
import { specOf } from "./wire.ts";

/** The expected type of a node, in one or two words. */
export const typeName = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Suspend":
      return typeName(ast.thunk());
    case "Union":
      if (specOf(ast)[0]?.kind === "documented-first") return typeName(ast.types[0]!);
      return [...new Set(ast.types.filter(({ _tag }) => _tag !== "Null").map(typeName))].join(
        " or ",
      );
    case "Arrays":
      return "array";
    case "Objects":
      return ast.propertySignatures.length === 0 ? dictionaryName(ast) : "object";
    case "Number":
      return numberName(ast);
    case "Literal":
      return typeof ast.literal;
    default:
      return ast._tag.toLowerCase();
  }
};

const dictionaryName = (ast: SchemaAST.Objects): string => {
  const [rest] = ast.indexSignatures;
  return rest === undefined || rest.type._tag === "Any"
    ? "dictionary"
    : `dictionary of ${typeName(rest.type)}`;
};

/** True if the value is of the node's kind; members and elements are not looked at. */
export const matchesType = (ast: SchemaAST.AST, value: unknown): boolean => {
  switch (ast._tag) {
    case "Suspend":
      return matchesType(ast.thunk(), value);
    case "Union":
      return ast.types.some((type) => matchesType(type, value));
    case "Any":
    case "Unknown":
      return true;
    case "Null":
      return value === null;
    case "Literal":
      return value === ast.literal;
    case "Arrays":
      return Array.isArray(value) && (ast.rest.length > 0 || value.length === ast.elements.length);
    case "Objects":
      return isObject(value);
    case "Number":
      return typeof value === "number" && isNumberOf(ast, value);
    default:
      return typeof value === ast._tag.toLowerCase();
  }
};

/** Members that are literals tell the cases of a union apart. */
export const agrees = (ast: SchemaAST.AST, value: unknown): boolean =>
  ast._tag !== "Objects" ||
  ast.propertySignatures.every(
    ({ name, type }) =>
      type._tag !== "Literal" ||
      (value as Readonly<Record<PropertyKey, unknown>>)[name] === type.literal,
  );

const known = /*#__PURE__*/ new WeakMap<SchemaAST.Number, ReadonlyArray<string>>();

/** The names of a number's checks, which are Effect's own. */
const ids = (ast: SchemaAST.Number): ReadonlyArray<string> => {
  const cached = known.get(ast);
  if (cached !== undefined) return cached;
  const names = (ast.checks ?? []).map(({ annotations }) =>
    String((annotations?.["representation"] as { id?: string } | undefined)?.id),
  );
  known.set(ast, names);
  return names;
};

const isNumberOf = (ast: SchemaAST.Number, value: number): boolean =>
  ids(ast).every((id) => {
    if (id.endsWith("isGreaterThanOrEqualTo")) return value >= 0;
    return id.endsWith("isInt") ? Number.isSafeInteger(value) : Number.isFinite(value);
  });

const numberName = (ast: SchemaAST.Number): string => {
  const names = ids(ast);
  if (names.some((id) => id.endsWith("isGreaterThanOrEqualTo"))) return "unsigned integer";
  return names.some((id) => id.endsWith("isInt")) ? "integer" : "finite number";
};

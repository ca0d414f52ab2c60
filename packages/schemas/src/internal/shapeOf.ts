/**
 * The shape of a schema: what the generator prints into each record, and what explains the
 * refusals of schemas that were put together from records at run time.
 */
import * as SchemaAST from "effect/SchemaAST";
import type { Shape, Shaped } from "../plain/Shape.ts";

/** The nodes that a shape does not describe by themselves. */
export interface ShapeOptions {
  /** The record of a node that has one. */
  readonly recordOf: (ast: SchemaAST.AST) => Shaped | undefined;
  /** Whether a check of a text or a number that shapes do not know is none for `otherwise`. */
  readonly isStrict?: boolean;
  /** The shape of a node for which there is none; it may throw. */
  readonly otherwise: (ast: SchemaAST.AST) => Shape;
}

const records = /*#__PURE__*/ new WeakMap<SchemaAST.AST, Shaped>();
const shapes = /*#__PURE__*/ new WeakMap<SchemaAST.AST, Shape>();

/** Makes the record of a node known. */
export const setRecord = (ast: SchemaAST.AST, record: Shaped): void => {
  records.set(ast, record);
};

/** The shape of a schema; what shapes do not describe counts as anything. */
export const shapeOf = (ast: SchemaAST.AST): Shape => {
  const known = shapes.get(ast);
  if (known !== undefined) return known;
  const shape = shapeWith(ast, { recordOf: (node) => records.get(node), otherwise: () => "a" });
  shapes.set(ast, shape);
  return shape;
};

/** The shape of a node: its record, or its members. */
const shapeWith = (ast: SchemaAST.AST, options: ShapeOptions): Shape => {
  const record = options.recordOf(ast);
  return record === undefined ? bodyWith(ast, options) : ["@", record];
};

/** The shape of a record's own members. */
export const bodyWith = (ast: SchemaAST.AST, options: ShapeOptions): Shape => {
  const of = (node: SchemaAST.AST) => shapeWith(node, options);
  switch (ast._tag) {
    case "Suspend":
      return () => options.recordOf(ast.thunk()) ?? { name: "", shape: of(ast.thunk()) };
    case "Literal":
      return ["=", ast.literal as string];
    case "Union":
      return unionOf(ast, options) ?? options.otherwise(ast);
    case "Arrays":
      return ast.elements.length > 0 || ast.rest.length === 0
        ? ["(", ast.rest.length === 0, ...ast.elements.map(of)]
        : ["[", of(ast.rest[0]!)];
    case "Objects":
      return ast.propertySignatures.length === 0 && ast.indexSignatures.length > 0
        ? ["{", of(ast.indexSignatures[0]!.type)]
        : Object.fromEntries(
            ast.propertySignatures.map(({ name, type }) => [
              `${String(name)}${SchemaAST.isOptional(type) ? "?" : ""}`,
              of(type),
            ]),
          );
    default:
      return letterOf(ast, options) ?? options.otherwise(ast);
  }
};

/**
 * Alternatives, of which a value's JSON type or a literal member selects one; `undefined` if
 * neither does.
 */
const unionOf = (ast: SchemaAST.Union, options: ShapeOptions): Shape | undefined => {
  const of = (node: SchemaAST.AST) => shapeWith(node, options);
  const flat = alternativesOf(ast, options);
  const letters = [...new Set(flat.flatMap((node) => letterOf(node, options) ?? []))].join("");
  const literals = flat
    .flatMap((node) => (node._tag === "Literal" ? [node.literal as string] : []))
    .filter((literal) => !(letters.includes("s") && typeof literal === "string"));
  const lists = flat.filter(({ _tag }) => _tag === "Arrays") as ReadonlyArray<SchemaAST.Arrays>;
  const objects = flat.filter(
    (node) =>
      letterOf(node, options) === undefined && node._tag !== "Literal" && node._tag !== "Arrays",
  );
  // A tuple is told from a list behind it by its length.
  if (lists.slice(0, -1).some(({ rest }) => rest.length > 0)) return undefined;
  const object = objects.length > 1 ? casesOf(objects, of) : objects.map(of)[0];
  if (objects.length > 0 && object === undefined) return undefined;
  const parts: ReadonlyArray<Shape> = [
    ...(letters === "" ? [] : [letters]),
    ...(literals.length === 0 ? [] : [["=", ...literals] as const]),
    ...(object === undefined ? [] : [object]),
    ...lists.map(of),
  ];
  return parts.length === 1 ? parts[0] : ["|", ...parts];
};

/** The alternatives of a union, those of unions inside it included. */
const alternativesOf = (
  ast: SchemaAST.AST,
  options: ShapeOptions,
  isRoot = true,
): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" && (isRoot || options.recordOf(ast) === undefined)
    ? ast.types.flatMap((type) => alternativesOf(type, options, false))
    : [ast];

/** Structures that a literal member tells apart, or `undefined` if there is none. */
const casesOf = (
  objects: ReadonlyArray<SchemaAST.AST>,
  of: (ast: SchemaAST.AST) => Shape,
): Shape | undefined => {
  const literals = objects.map(
    (ast) =>
      new Map(
        (ast._tag === "Objects" ? ast.propertySignatures : []).flatMap(({ name, type }) =>
          type._tag === "Literal" ? [[String(name), type.literal as string] as const] : [],
        ),
      ),
  );
  const member = [...literals[0]!.keys()].find(
    (name) => new Set(literals.map((found) => String(found.get(name)))).size === objects.length,
  );
  if (member === undefined || !literals.every((found) => found.has(member))) return undefined;
  const words = literals.map((found) => found.get(member)!);
  const cases = words.map((word, index) => [String(word), of(objects[index]!)] as const);
  return ["?", member, ["=", ...words], Object.fromEntries(cases)];
};

const letterOf = (ast: SchemaAST.AST, { isStrict }: ShapeOptions): string | undefined => {
  switch (ast._tag) {
    case "String":
      return isStrict && ast.checks !== undefined ? undefined : "s";
    case "Boolean":
      return "b";
    case "Null":
      return "n";
    case "Any":
    case "Unknown":
      return "a";
    case "Number":
      return NUMBERS[checksOf(ast)] ?? (isStrict ? undefined : "f");
    default:
      return undefined;
  }
};

const NUMBERS: Readonly<Record<string, string>> = {
  isFinite: "f",
  isInt: "i",
  "isInt isGreaterThanOrEqualTo 0": "u",
};

/** The checks of `Schema.Int`, `Schema.Natural` and `Schema.Finite`, by Effect's own ids. */
const checksOf = ({ checks }: SchemaAST.Number): string =>
  (checks ?? [])
    .map(({ annotations }) => {
      const { id, payload } = (annotations?.["representation"] ?? {}) as {
        readonly id?: string;
        readonly payload?: { readonly minimum?: number } | null;
      };
      return [id?.split("/").at(-1), payload?.minimum ?? []].flat().join(" ");
    })
    .join(" ");

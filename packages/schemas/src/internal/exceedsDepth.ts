/**
 * Finds a nesting beyond `MAX_DEPTH` before anything that recurses without a bound looks at the
 * value.
 */
import * as Effect from "effect/Effect";
import * as SchemaAST from "effect/SchemaAST";
import * as SchemaIssue from "effect/SchemaIssue";
import { MAX_DEPTH } from "../plain/depth.ts";

type Path = ReadonlyArray<string | number>;

/** A failure that points at the first record that is nested too deeply, or `undefined`. */
export const exceedsDepth = (
  input: unknown,
  ast: SchemaAST.AST,
  options: SchemaAST.ParseOptions,
): Effect.Effect<never, SchemaIssue.Issue> | undefined => {
  const key = nestingKey(ast);
  const path = key === undefined ? undefined : pathBeyond(input, key, 0);
  if (path === undefined) return undefined;
  const message = `Expected at most ${MAX_DEPTH} levels of nesting`;
  return Effect.fail(
    new SchemaIssue.Pointer(path, new SchemaIssue.InvalidValue({ message }, input, options)),
  );
};

/** Walks at most `MAX_DEPTH` levels, and every element once. */
const pathBeyond = (value: unknown, key: string, depth: number): Path | undefined => {
  if (depth > MAX_DEPTH) return [];
  const nested =
    typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)[key]
      : undefined;
  if (!Array.isArray(nested)) return undefined;
  for (const [index, element] of nested.entries()) {
    const path = pathBeyond(element, key, depth + 1);
    if (path !== undefined) return [key, index, ...path];
  }
  return undefined;
};

const keys = new WeakMap<SchemaAST.AST, string | undefined>();

/** The member through which a record contains itself: an array of a suspended schema. */
const nestingKey = (ast: SchemaAST.AST): string | undefined => {
  if (!keys.has(ast)) keys.set(ast, findNestingKey(ast));
  return keys.get(ast);
};

const findNestingKey = (ast: SchemaAST.AST): string | undefined => {
  if (ast._tag !== "Objects") return undefined;
  const found = ast.propertySignatures.find(({ type }) => holdsSuspended(type));
  return found === undefined ? undefined : String(found.name);
};

const holdsSuspended = (ast: SchemaAST.AST): boolean => {
  if (ast._tag === "Union") return ast.types.some(holdsSuspended);
  return ast._tag === "Arrays" && ast.rest.some(SchemaAST.isSuspend);
};

/**
 * The same schema for every library, built from one definition: the nodes of our own schema. All of
 * them keep unknown members, know every key of an item and its recursion, and check whole and
 * unsigned numbers.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { scope } from "arktype";
import { Schema, SchemaAST } from "effect";
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler";
import { Compile } from "typebox/schema";
import * as v from "valibot";
import { z } from "zod";
import { makeJsonSchemaWriter } from "../src/JsonSchema.ts";
import { interpreted } from "../scripts/interpreted.ts";

/** Checks a value or throws. */
export type Contender = (value: unknown) => unknown;

const throwing = (name: string, check: (value: unknown) => boolean): Contender => {
  return (value) => {
    if (!check(value)) throw new Error(`${name} refuses the value`);
  };
};

/** All contenders but ours, for one schema. */
export const peersOf = (schema: Schema.Codec<unknown>): Readonly<Record<string, Contender>> => {
  const { definitions, write } = makeJsonSchemaWriter();
  const json = { ...write(schema), $defs: definitions };
  const ajv = new Ajv2020({ strict: false }).compile(json);
  const typebox = Compile(json);
  const ark = arktypeOf(schema.ast);
  const zod = zodOf(schema.ast);
  const valibot = valibotOf(schema.ast);
  const jit = interpreted(schema);
  const plain = Schema.make<Schema.Codec<unknown>>(interpreted(schema).ast).annotate({});
  const interpretedDecode = Schema.decodeUnknownSync(plain);
  SchemaJITCompiler.enable(jit.ast);
  const jitDecode = Schema.decodeUnknownSync(jit);
  return {
    "effect, interpreted": interpretedDecode,
    "effect, JIT": jitDecode,
    zod: (value) => zod.parse(value),
    valibot: (value) => v.parse(valibot, value),
    arktype: (value) => ark.assert(value),
    ajv: throwing("ajv", (value) => ajv(value)),
    typebox: throwing("typebox", (value) => typebox.Check(value)),
  };
};

const isUint = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Number" && (ast.checks?.length ?? 0) > 1;
const isInt = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Number" &&
  (ast.checks ?? []).some(({ annotations }) =>
    JSON.stringify(annotations?.["representation"]).includes("isInt"),
  );
const isDictionary = (ast: SchemaAST.Objects): boolean => ast.propertySignatures.length === 0;
const isOpenWord = (ast: SchemaAST.Union): boolean =>
  ast.types.some(({ _tag }) => _tag === "String") &&
  ast.types.every(({ _tag }) => _tag === "String" || _tag === "Union" || _tag === "Literal");
const unsupported = (ast: SchemaAST.AST): never => {
  throw new Error(`the peers know no ${ast._tag}`);
};

/** The nodes that are reached through a suspended schema. */
const suspended = (root: SchemaAST.AST): ReadonlySet<SchemaAST.AST> => {
  const found = new Set<SchemaAST.AST>();
  const seen = new Set<SchemaAST.AST>();
  const walk = (ast: SchemaAST.AST): void => {
    if (seen.has(ast)) return;
    seen.add(ast);
    if (ast._tag === "Suspend") {
      found.add(ast.thunk());
      walk(ast.thunk());
    } else if (ast._tag === "Union") ast.types.forEach(walk);
    else if (ast._tag === "Arrays") [...ast.elements, ...ast.rest].forEach(walk);
    else if (ast._tag === "Objects") {
      for (const { type } of [...ast.propertySignatures, ...ast.indexSignatures]) walk(type);
    }
  };
  walk(root);
  return found;
};

const memoized = <A>(make: (ast: SchemaAST.AST, of: (ast: SchemaAST.AST) => A) => A) => {
  const cache = new Map<SchemaAST.AST, A>();
  const of = (ast: SchemaAST.AST): A => {
    const known = cache.get(ast);
    if (known !== undefined) return known;
    const made = make(ast, of);
    cache.set(ast, made);
    return made;
  };
  return of;
};

const zodOf = memoized<z.ZodType>((ast, of) => {
  switch (ast._tag) {
    case "Suspend":
      return z.lazy(() => of(ast.thunk()));
    case "Any":
      return z.any();
    case "String":
      return z.string();
    case "Boolean":
      return z.boolean();
    case "Null":
      return z.null();
    case "Literal":
      return z.literal(ast.literal as string | boolean);
    case "Number":
      if (!isInt(ast)) return z.number();
      return isUint(ast) ? z.int().nonnegative() : z.int();
    case "Union": {
      if (isOpenWord(ast)) return z.string();
      const members = ast.types.filter(({ _tag }) => _tag !== "Null").map(of);
      const union = members.length === 1 ? members[0]! : z.union(members);
      return members.length < ast.types.length ? union.nullable() : union;
    }
    case "Arrays":
      if (ast.elements.length > 0) {
        return z.tuple(ast.elements.map(of) as [z.ZodType, ...Array<z.ZodType>], z.any());
      }
      return ast.rest.length === 0 ? z.tuple([]) : z.array(of(ast.rest[0]!));
    case "Objects":
      if (isDictionary(ast)) return z.record(z.string(), of(ast.indexSignatures[0]!.type));
      return z.looseObject(
        Object.fromEntries(
          ast.propertySignatures.map(({ name, type }) => [
            name,
            SchemaAST.isOptional(type) ? of(type).optional() : of(type),
          ]),
        ),
      );
    default:
      return unsupported(ast);
  }
});

type Valibot = v.GenericSchema;

const valibotOf = memoized<Valibot>((ast, of): Valibot => {
  switch (ast._tag) {
    case "Suspend":
      return v.lazy(() => of(ast.thunk()));
    case "Any":
      return v.any();
    case "String":
      return v.string();
    case "Boolean":
      return v.boolean();
    case "Null":
      return v.null();
    case "Literal":
      return v.literal(ast.literal as string | boolean);
    case "Number":
      if (!isInt(ast)) return v.pipe(v.number(), v.finite());
      return isUint(ast)
        ? v.pipe(v.number(), v.safeInteger(), v.minValue(0))
        : v.pipe(v.number(), v.safeInteger());
    case "Union": {
      if (isOpenWord(ast)) return v.string();
      const members = ast.types.filter(({ _tag }) => _tag !== "Null").map(of);
      const union = members.length === 1 ? members[0]! : v.union(members);
      return members.length < ast.types.length ? v.nullable(union) : union;
    }
    case "Arrays":
      if (ast.elements.length > 0) return v.looseTuple(ast.elements.map(of));
      return ast.rest.length === 0 ? v.strictTuple([]) : v.array(of(ast.rest[0]!));
    case "Objects":
      if (isDictionary(ast)) return v.record(v.string(), of(ast.indexSignatures[0]!.type));
      return v.looseObject(
        Object.fromEntries(
          ast.propertySignatures.map(({ name, type }) => [
            name,
            SchemaAST.isOptional(type) ? v.optional(of(type)) : of(type),
          ]),
        ),
      );
    default:
      return unsupported(ast);
  }
});

/** arktype's own notation: aliases for the recursive records, everything else in place. */
const arktypeOf = (root: SchemaAST.AST): { assert: (value: unknown) => unknown } => {
  const recursive = suspended(root);
  const names = new Map([...recursive].map((ast, index) => [ast, `Recursive${index}`]));
  const definition = (ast: SchemaAST.AST): unknown => names.get(ast) ?? body(ast);
  const or = (parts: ReadonlyArray<unknown>): unknown =>
    parts.reduce((left, right) =>
      typeof left === "string" && typeof right === "string"
        ? `${left} | ${right}`
        : [left, "|", right],
    );
  const body = (ast: SchemaAST.AST): unknown => {
    switch (ast._tag) {
      case "Suspend":
        return definition(ast.thunk());
      case "Any":
        return "unknown";
      case "String":
      case "Boolean":
      case "Null":
        return ast._tag.toLowerCase();
      case "Literal":
        return JSON.stringify(ast.literal);
      case "Number":
        if (!isInt(ast)) return "number";
        return isUint(ast) ? "number.integer >= 0" : "number.integer";
      case "Union":
        return isOpenWord(ast) ? "string" : or(ast.types.map(definition));
      case "Arrays":
        if (ast.elements.length > 0) return [...ast.elements.map(definition), "...", "unknown[]"];
        return ast.rest.length === 0 ? [] : [definition(ast.rest[0]!), "[]"];
      case "Objects":
        if (isDictionary(ast)) {
          const { type } = ast.indexSignatures[0]!;
          return type._tag === "Any" ? "object" : { "[string]": definition(type) };
        }
        return Object.fromEntries(
          ast.propertySignatures.map(({ name, type }) => [
            SchemaAST.isOptional(type) ? `${String(name)}?` : String(name),
            definition(type),
          ]),
        );
      default:
        return unsupported(ast);
    }
  };
  const aliases = Object.fromEntries([...names].map(([ast, name]) => [name, body(ast)]));
  const types = scope({
    ...aliases,
    Root: definition(root),
  } as never).export() as unknown as Record<string, { assert: (value: unknown) => unknown }>;
  return types["Root"]!;
};

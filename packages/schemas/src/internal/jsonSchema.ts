/**
 * Writes JSON Schema (2020-12) from the nodes of a schema.
 *
 * The documents are made for generators of code as well as for validators: an open structure says
 * nothing about further members, so that a generated type has no index signature; an open
 * enumeration is a string with its words as `examples`; `T | null` is a list of types. Named
 * schemas are references to one set of definitions. A node that no value of the wire has throws.
 */
import type * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import { specOf } from "./wire.ts";

/** A part of a JSON Schema. */
export type Json = Readonly<Record<string, unknown>>;

/** Writes schemas that share their definitions. */
export interface JsonSchemaWriter {
  /** The JSON Schema of a schema: a reference if it has a name. */
  readonly write: (schema: Schema.Constraint) => Json;
  /** The named schemas that were met so far, those inside others included. */
  readonly definitions: Readonly<Record<string, Json>>;
}

/** A writer; `references` is what stands before a name, such as `#/components/schemas/`. */
export const makeJsonSchemaWriter = (references = "#/$defs/"): JsonSchemaWriter => {
  const definitions: Record<string, Json> = {};

  const of = (ast: SchemaAST.AST): Json => {
    if (SchemaAST.isSuspend(ast)) return of(ast.thunk());
    const { identifier, ...notes } = notesOf(ast);
    if (identifier === undefined) return { ...bodyOf(ast, of), ...notes };
    if (!Object.hasOwn(definitions, identifier)) {
      definitions[identifier] = {}; // A record may contain itself.
      definitions[identifier] = { ...bodyOf(ast, of), ...notes };
    }
    return { $ref: `${references}${identifier}` };
  };

  return { write: ({ ast }) => of(ast), definitions };
};

/** The JSON Schema of a node inside another one. */
type Of = (ast: SchemaAST.AST) => Json;

const bodyOf = (ast: SchemaAST.AST, of: Of): Json => {
  switch (ast._tag) {
    case "Any":
    case "Unknown":
      return {};
    case "Null":
      return { type: "null" };
    case "Boolean":
      return { type: "boolean" };
    case "String":
    case "Number":
      return leafOf(ast);
    case "Literal":
      return { type: typeof ast.literal, enum: [ast.literal] };
    case "Union":
      return unionOf(ast, of);
    case "Arrays":
      return listOf(ast, of);
    case "Objects":
      return ast.propertySignatures.length > 0 || ast.indexSignatures.length === 0
        ? structureOf(ast, of)
        : { type: "object", additionalProperties: of(ast.indexSignatures[0]!.type) };
    default:
      throw new Error(`no JSON Schema for ${ast._tag}`);
  }
};

/** Alternatives stand side by side: a null joins the only other type. */
const unionOf = (ast: SchemaAST.Union, of: Of): Json => {
  const flat = ast.types.flatMap(alternativesOf);
  const literals = flat.filter(({ _tag }) => _tag === "Literal").map(literalOf);
  const others = flat.filter(({ _tag }) => _tag !== "Literal" && _tag !== "Null").map(of);
  const open = others.find(({ type }) => literals.length > 0 && type === typeof literals[0]);
  const parts = [
    ...(open === undefined ? wordsOf(literals) : []),
    ...others.map((other) => (other === open ? { ...other, examples: literals } : other)),
  ];
  if (!flat.some(({ _tag }) => _tag === "Null")) return oneOrAny(parts);
  const [only, ...more] = parts;
  return only === undefined || more.length > 0 || typeof only["type"] !== "string"
    ? oneOrAny([...parts, { type: "null" }])
    : {
        ...only,
        type: [only["type"], "null"],
        ...(Array.isArray(only["enum"]) ? { enum: [...only["enum"], null] } : {}),
      };
};

/** Generators of code want `items` beside the elements of a tuple, and of an empty list. */
const listOf = ({ elements, rest }: SchemaAST.Arrays, of: Of): Json => {
  const { length } = elements;
  return {
    type: "array",
    ...(length === 0 ? {} : { prefixItems: elements.map(of), minItems: length }),
    items: rest[0] === undefined ? {} : of(rest[0]),
    ...(rest[0] === undefined ? { maxItems: length } : {}),
  };
};

const structureOf = ({ propertySignatures }: SchemaAST.Objects, of: Of): Json => {
  const required = propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type));
  return {
    type: "object",
    properties: Object.fromEntries(
      propertySignatures.map(({ name, type }) => [String(name), of(type)]),
    ),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => String(name)) }),
  };
};

/** The alternatives of a union, those of unions inside it included; a named union is one. */
const alternativesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" && notesOf(ast).identifier === undefined
    ? ast.types.flatMap(alternativesOf)
    : [ast];

const literalOf = (ast: SchemaAST.AST): unknown => (ast as SchemaAST.Literal).literal;

const wordsOf = (words: ReadonlyArray<unknown>): ReadonlyArray<Json> =>
  [...Map.groupBy(words, (word) => typeof word)].map(([type, alike]) => ({ type, enum: alike }));

const oneOrAny = (parts: ReadonlyArray<Json>): Json =>
  parts.length === 1 ? parts[0]! : { anyOf: parts };

/** A string or a number with what its checks say in JSON Schema. */
const leafOf = (ast: SchemaAST.String | SchemaAST.Number): Json => {
  const type = ast._tag === "String" ? "string" : "number";
  const words = specOf(ast).find(({ kind }) => kind === "number-word");
  return {
    type,
    ...Object.assign({}, ...(ast.checks ?? []).map((check) => constraintOf(check, type))),
    ...(words?.kind === "number-word" ? { examples: words.words } : {}),
  } as Json;
};

/** What Effect's own check says in JSON Schema; a check of our own says nothing. */
const constraintOf = (check: SchemaAST.Check<never>, type: string): Json => {
  const write = check.annotations?.["toJsonSchema"] as
    | ((context: { readonly type: string }) => Json | readonly [Json, boolean])
    | undefined;
  const written = write?.({ type }) ?? {};
  return Array.isArray(written) ? (written[0] as Json) : (written as Json);
};

interface Notes {
  readonly identifier?: string;
  readonly description?: string;
  readonly default?: unknown;
}

/** The name, the description and the default that a schema carries. */
const notesOf = (ast: SchemaAST.AST): Notes => {
  const { default: byDefault, description, identifier } = (SchemaAST.resolve(ast) ?? {}) as Notes;
  return {
    ...(identifier === undefined ? {} : { identifier }),
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
  };
};

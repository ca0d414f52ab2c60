/**
 * The records as JSON Schema (2020-12), for tools in other languages and for documents of your own.
 *
 * The package has all records in one file, `@game-data/schemas/json-schema.json`, each under
 * `$defs`. `makeJsonSchemaWriter` writes other documents, OpenAPI among them.
 *
 * The schemas serve generators of code as well as validators. A structure says nothing about further
 * members, so that a generated type has no index signature. An open enumeration has its words as
 * `examples`.
 */
import * as records from "./index.ts";
import type { Leaves, LeafType, Member, PlainRecord, Shape } from "./PlainRecord.ts";
import { type Source, sourceShape } from "./source.ts";

/** A part of a JSON Schema. */
export type Json = Readonly<Record<string, unknown>>;

/** Writes schemas that share their definitions. */
export interface JsonSchemaWriter {
  /** Returns the JSON Schema of a record, of its Effect Schema, or of a type in the notation. */
  readonly write: (source: Source) => Json;
  /** The records that `write` has met so far, including those inside others. */
  readonly definitions: Readonly<Record<string, Json>>;
}

type Structure = Shape & { readonly kind: "structure" };

/** Descriptions by place, such as `Item` and `Item.hybrid.isVaalGem`. */
export type Notes = ReadonlyMap<string, string>;

/** Makes a writer. `references` is the text before the name of a record. */
export const makeJsonSchemaWriter = (
  references = "#/$defs/",
  notes: Notes = new Map(),
): JsonSchemaWriter => {
  const definitions: Record<string, Json> = {};

  const describe = (place: string): Json =>
    notes.has(place) ? { description: notes.get(place) } : {};

  const define = ({ name, shape }: PlainRecord<unknown>): Json => {
    if (!Object.hasOwn(definitions, name)) {
      definitions[name] = {}; // A record may contain itself.
      definitions[name] = { ...toJson(shape, name, name), ...describe(name) };
    }
    return { $ref: references + name };
  };

  const toJson = (shape: Shape, record: string, place: string): Json => {
    const convert = (inner: Shape) => toJson(inner, record, place);
    switch (shape.kind) {
      case "leaf":
        return { ...LEAVES[shape.type], ...LEAF_NOTES[shape.leaf] };
      case "words":
        return { ...LEAVES[shape.type], examples: shape.words };
      case "literal":
        return { type: typeof shape.values[0], enum: shape.values };
      case "list":
        return { type: "array", items: convert(shape.of) };
      case "pair":
        return { type: "array", prefixItems: shape.of.map(convert), minItems: 2, items: {} };
      case "dictionary":
        return { anyOf: [{ type: "object", additionalProperties: convert(shape.of) }, EMPTY_LIST] };
      case "either":
        return { anyOf: shape.of.map(convert).flatMap(alternatives) };
      case "record":
        return define(shape.record);
      case "cases":
        return { anyOf: [...shape.of.values()].map(define) };
      case "this":
        return { $ref: references + record };
      case "structure":
        return structure(shape, record, place);
    }
  };

  const structure = ({ members }: Structure, record: string, parent: string): Json => {
    const required = requiredNames(members);
    const properties = [...members].map(([name, { canBeNull, shape }]) => {
      const place = `${parent}.${name}`;
      const type = toJson(shape, record, place);
      // Older tools ignore members beside a reference.
      const note = "$ref" in type ? {} : describe(place);
      return [name, { ...(canBeNull ? nullable(type) : type), ...note }] as const;
    });
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
  };

  return { write: (source) => toJson(sourceShape(source), "", ""), definitions };
};

const requiredNames = (members: ReadonlyMap<string, Member>): ReadonlyArray<string> =>
  [...members].flatMap(([name, { canBeAbsent }]) => (canBeAbsent ? [] : [name]));

const UINT: Json = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const LEAVES: { readonly [type in LeafType]: Json } = {
  string: { type: "string" },
  bool: { type: "boolean" },
  uint: UINT,
  int: { ...UINT, minimum: Number.MIN_SAFE_INTEGER },
  float: { type: "number" },
  any: {},
};

/** Descriptions of leaves that their types do not show. */
const LEAF_NOTES: Partial<{ readonly [leaf in keyof Leaves]: Json }> = {
  true: { description: "Always true if present." },
  "date-time": { description: "Date-time." },
};

/** Generators of code require `items` in an empty list too. */
const EMPTY_LIST: Json = { type: "array", items: {}, maxItems: 0 };

const alternatives = (type: Json): ReadonlyArray<Json> =>
  (type["anyOf"] as ReadonlyArray<Json> | undefined) ?? [type];

/** Adds null to a type, or as an alternative if there is more than one type. */
const nullable = (type: Json): Json =>
  typeof type["type"] === "string"
    ? {
        ...type,
        type: [type["type"], "null"],
        ...(Array.isArray(type["enum"]) && { enum: [...(type["enum"] as Array<unknown>), null] }),
      }
    : { anyOf: [...alternatives(type), { type: "null" }] };

/** A document with schemas under their names. */
export interface RecordsDocument {
  readonly $schema: string;
  readonly title: string;
  readonly $defs: Readonly<Record<string, Json>>;
}

/** Returns a document with all records. The package's file has the comments as descriptions too. */
export const recordsDocument = (notes?: Notes): RecordsDocument => {
  const { definitions, write } = makeJsonSchemaWriter(undefined, notes);
  for (const value of Object.values(records) as ReadonlyArray<Partial<PlainRecord<unknown>>>)
    if (value.shape !== undefined) write(value as PlainRecord<unknown>);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The records of the Game Data API",
    $defs: Object.fromEntries(Object.entries(definitions).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
};

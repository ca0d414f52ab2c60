/**
 * The records as JSON Schema (2020-12), for tools in other languages and for documents of your own.
 *
 * The package has all records in one file, `@game-data/schemas/json-schema.json`, each under
 * `$defs`. `makeJsonSchemaWriter` writes other documents, such as OpenAPI.
 *
 * The schemas serve generators of code as well as validators. A structure says nothing about
 * further members, so that a generated type has no index signature. An open enumeration has its
 * words as `examples`.
 */
import * as records from "./index.ts";
import type { Leaves, LeafType, Member, PlainRecord, Shape } from "./PlainRecord.ts";
import { type Source, sourceShape } from "./source.ts";

/** A JSON Schema, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

/** Writes schemas of several types. All of them refer to the same `definitions`. */
export interface JsonSchemaWriter {
  /** Returns the JSON Schema of a record, of its Effect Schema, or of a type in the notation. */
  readonly write: (source: Source) => Json;
  /** The records that `write` has met so far, including records inside other records. */
  readonly definitions: Readonly<Record<string, Json>>;
}

type Structure = Shape & { readonly kind: "structure" };

/** Descriptions of records and members by place, such as `Item` and `Item.hybrid.isVaalGem`. */
export type Notes = ReadonlyMap<string, string>;

/** Makes a writer. `references` is the part of each `$ref` before the name of a record. */
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
      // Adds no description to a `$ref`, because older tools ignore members beside a reference.
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

/** Descriptions of leaves that look like a plain boolean or string in JSON Schema. */
const LEAF_NOTES: Partial<{ readonly [leaf in keyof Leaves]: Json }> = {
  true: { description: "Always true if present." },
  "date-time": { description: "Date-time." },
};

/** The schema of `[]`. Has `items`, because code generators require `items` of every array. */
const EMPTY_LIST: Json = { type: "array", items: {}, maxItems: 0 };

const alternatives = (type: Json): ReadonlyArray<Json> =>
  (type["anyOf"] as ReadonlyArray<Json> | undefined) ?? [type];

/** Adds `null` to the type. A schema without a single type gets `null` as an alternative. */
const nullable = (type: Json): Json =>
  typeof type["type"] === "string"
    ? {
        ...type,
        type: [type["type"], "null"],
        ...(Array.isArray(type["enum"]) && { enum: [...(type["enum"] as Array<unknown>), null] }),
      }
    : { anyOf: [...alternatives(type), { type: "null" }] };

/** A JSON Schema document with the records under `$defs`. */
export interface RecordsDocument {
  readonly $schema: string;
  readonly title: string;
  readonly $defs: Readonly<Record<string, Json>>;
}

/** Returns a document with all records. In `json-schema.json`, `notes` are the comments. */
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

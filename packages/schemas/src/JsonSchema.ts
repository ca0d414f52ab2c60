/**
 * The records as JSON Schema (2020-12), for tools in other languages and for documents of your own.
 *
 * The packed package has all records in one file, `@game-data/schemas/json-schema.json`, each under
 * `$defs`. `makeJsonSchemaWriter` writes other documents, OpenAPI among them, with the records that
 * your schemas use; it needs `effect`.
 *
 * @example
 * ```ts
 * import { makeJsonSchemaWriter } from "@game-data/schemas/JsonSchema";
 * import { Guild } from "@game-data/schemas/effect";
 * import * as Schema from "effect/Schema";
 *
 * const { definitions, write } = makeJsonSchemaWriter("#/components/schemas/");
 * const guilds = write(Schema.Array(Guild));
 * if (JSON.stringify(guilds) !== '{"type":"array","items":{"$ref":"#/components/schemas/Guild"}}')
 *   throw new Error("a list of references");
 * if (Object.keys(definitions).join() !== "Guild") throw new Error("one definition");
 * ```
 */
import * as records from "./effect/index.ts";
import { type Json, makeJsonSchemaWriter } from "./internal/jsonSchema.ts";
import type * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";

export { type Json, type JsonSchemaWriter, makeJsonSchemaWriter } from "./internal/jsonSchema.ts";

/** A document with schemas under their names. */
export interface RecordsDocument {
  readonly $schema: string;
  readonly title: string;
  readonly $defs: Readonly<Record<string, Json>>;
}

/** One document with all records. */
export const recordsDocument = (): RecordsDocument => {
  const { definitions, write } = makeJsonSchemaWriter();
  for (const schema of Object.values(records) as Array<Partial<Schema.Constraint>>)
    if (schema.ast !== undefined && SchemaAST.resolve(schema.ast)?.["identifier"] !== undefined)
      write(schema as Schema.Constraint);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The records of the Game Data API",
    $defs: Object.fromEntries(Object.entries(definitions).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
};

/** The JSON Schema (2020-12) of a record, with the records inside under `$defs`. */
import { Schema, type SchemaAST } from "effect";

type Json = Readonly<Record<string, unknown>>;

/**
 * A self-contained document. Members beyond the named ones are permitted, as they are by the
 * schemas.
 */
export const jsonSchemaOf = (name: string, ast: SchemaAST.AST): string => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(
    Schema.make<Schema.Codec<unknown>>(ast),
  );
  const document: Json = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: name,
    ...(schema as Json),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
};

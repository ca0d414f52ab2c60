/**
 * Path parameters and queries as the strings that stand for them in a URL.
 *
 * Effect would wrap every schema of an endpoint in a codec by itself. For answers that codec is a
 * new schema, behind which the compiled checks of the records are lost. So endpoints are made with
 * `disableCodecs`, and only what goes into a URL gets its codec, here.
 */
import * as Schema from "effect/Schema";

/** The strings that a router hands over and a client puts into a URL. */
type Strings = Readonly<Record<string, string | undefined>>;

/**
 * A query. Effect types the encoded side of a whole query schema as a single string, hence `any`.
 */
export const strings = <S extends Schema.Top>(schema: S): Schema.Codec<S["Type"], any> =>
  Schema.toCodecStringTree(schema) as unknown as Schema.Codec<S["Type"], any>;

/** Path parameters. */
export const stringMembers = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
): Schema.Codec<Schema.Struct.Type<Fields>, Strings> => strings(Schema.Struct(fields));

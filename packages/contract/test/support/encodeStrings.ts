/**
 * Encodes path parameters and queries; encoders are compiled once per schema, because every request
 * needs two of them.
 */
import * as Schema from "effect/Schema";

type Encoder = (value: unknown) => Record<string, string>;

const encoders = new WeakMap<Schema.Top, Encoder>();

/** The strings that stand for `value` in a URL. Throws a `SchemaError` when it does not fit. */
export const encodeStrings = (schema: Schema.Top, value: unknown): Record<string, string> => {
  let encode = encoders.get(schema);
  if (encode === undefined) {
    encode = Schema.encodeUnknownSync(schema as Schema.Codec<unknown>) as Encoder;
    encoders.set(schema, encode);
  }
  return encode(value);
};

/**
 * The place of each field in a link: `tree-link/layout`. For inspectors, and for people who debug a
 * link.
 *
 * Lists each field of the stream with its value, its bits, its bytes and the base64url characters
 * (six bits each) that carry them. Ranges are half-open: `start` is in, `end` is out. The
 * characters of neighbouring fields overlap where a character carries bits of both.
 *
 * ```ts
 * import { layout } from "@game-data/tree-link/layout";
 *
 * const [version] = layout("AAAABgABAAAA").fields;
 * if (version?.value !== 6 || version.characters.end !== 6) throw new Error("32 bits");
 * ```
 */
import { type CodecOptions, decode } from "./Decode.ts";
import type { Field } from "./Field.ts";
import { bytesOf } from "./internal/Base64Url.ts";
import { fieldsOf } from "./internal/fields.ts";
import type { TreeLink } from "./TreeLink.ts";

export type { Field, FieldGroup, Range } from "./Field.ts";

/** A link with all of its fields. */
export interface Layout {
  readonly link: TreeLink;
  /** The bytes of the stream. */
  readonly bytes: Uint8Array;
  /** Fields in the order of their bits; together they cover the stream without a gap. */
  readonly fields: ReadonlyArray<Field>;
}

/**
 * Reads a payload into its fields. `decodePartial` of `tree-link/partial` does so for a refused
 * payload.
 *
 * @throws TreeLinkError as `decode` does.
 */
export const layout = (payload: string, options?: CodecOptions): Layout => {
  const link = decode(payload, options);
  const bytes = bytesOf(payload.split("=", 1)[0]!);
  return { link, bytes, fields: fieldsOf(bytes) };
};

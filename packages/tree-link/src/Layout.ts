/**
 * The place of each field in a link: `tree-link/layout`. For inspectors and debugging.
 *
 * Lists each field with its value, its bits, its bytes and its base64url characters (six bits
 * each). Ranges are half-open. The characters of neighbouring fields overlap if a character carries
 * bits of both.
 */
import { type CodecOptions, decode } from "./Decode.ts";
import { copyBytes } from "./internal/base64url.ts";
import { type Field, splitFields } from "./internal/fields.ts";
import type { TreeLink } from "./TreeLink.ts";

export type { Field, FieldGroup, Range } from "./internal/fields.ts";

/** A link, its bytes, and the place of each field. */
export interface Layout {
  readonly link: TreeLink;
  /** The bytes that the payload encodes. */
  readonly bytes: Uint8Array;
  /** Fields in the order of their bits. Together they cover the bytes without a gap. */
  readonly fields: ReadonlyArray<Field>;
}

/**
 * Returns the fields of a payload with their places. For a payload that is refused, use
 * `decodePartial` of `tree-link/partial`.
 *
 * @throws TreeLinkError as `decode` does.
 */
export const layout = (payload: string, options?: CodecOptions): Layout => {
  const link = decode(payload, options);
  const bytes = copyBytes(payload.split("=", 1)[0]!);
  return { link, bytes, fields: splitFields(bytes) };
};

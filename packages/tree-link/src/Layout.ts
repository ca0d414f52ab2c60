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
import { encodeBytes } from "./Encode.ts";
import { fieldsOf } from "./internal/fields.ts";
import type { TreeLink } from "./TreeLink.ts";

/** A half-open range. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A group of fields, as the specification's tables name them. */
export type FieldGroup =
  | "version"
  | "class"
  | "ascendancy"
  | "fullscreen"
  | "hashes"
  | "extendedHashes"
  | "masteries";

/** One field of the stream. */
export interface Field {
  readonly group: FieldGroup;
  /**
   * `version`, `class`, `ascendancy`, `alternateAscendancy`, `fullscreen`, `count`, `hash`,
   * `effect` or `node`.
   */
  readonly name: string;
  /** Position in its list; absent outside lists. */
  readonly index?: number;
  readonly value: number;
  /** Bits of the stream, the most significant bit of the first byte being 0. */
  readonly bits: Range;
  /** Bytes that hold those bits. */
  readonly bytes: Range;
  /** Characters of the payload that hold those bits. */
  readonly characters: Range;
}

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
  const bytes = encodeBytes(link, { maxLength: payload.length });
  return { link, bytes, fields: fieldsOf(bytes) };
};

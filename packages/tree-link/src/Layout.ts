/**
 * Where everything stands in a link: `tree-link/layout`. For inspectors and for people who debug a
 * link.
 *
 * Each field of the stream with its value, its bytes and the base64url characters (six bits each)
 * that carry them. Ranges are half-open: `start` is in, `end` is out. The characters of
 * neighbouring fields overlap where a character carries bits of both.
 */
import { type CodecOptions, decode } from "./Decode.ts";
import { encodeBytes } from "./Encode.ts";
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

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

const BITS_PER_BYTE = 8;
const BITS_PER_CHARACTER = 6;

/**
 * The layout of a payload.
 *
 * @throws TreeLinkError as `decode` does.
 */
export const layout = (payload: string, options?: CodecOptions): Layout => {
  const link = decode(payload, options);
  const fields: Array<Field> = [];
  let at = 0;
  const put = (group: FieldGroup, name: string, width: number, value: number, index?: number) => {
    const bits = { start: at, end: at + width };
    const field = {
      group,
      name,
      value,
      bits,
      bytes: covering(bits, BITS_PER_BYTE),
      characters: covering(bits, BITS_PER_CHARACTER),
    };
    fields.push(index === undefined ? field : { ...field, index });
    at += width;
  };
  const putHashes = (group: FieldGroup, hashes: ReadonlyArray<number>) =>
    hashes.forEach((hash, index) => put(group, "hash", 16, hash, index));
  const putMastery = ({ effect, node }: MasteryEffect, index: number) => {
    put("masteries", "effect", 16, effect, index);
    put("masteries", "node", 16, node, index);
  };

  put("version", "version", 32, link.version);
  put("class", "class", 8, link.class);
  if (link.version === 6) put("ascendancy", "alternateAscendancy", 6, link.alternateAscendancy);
  put("ascendancy", "ascendancy", link.version === 6 ? 2 : 8, link.ascendancy);
  if (link.version === 4) {
    put("fullscreen", "fullscreen", 8, link.fullscreen);
    putHashes("hashes", link.hashes);
  } else {
    put("hashes", "count", 8, link.hashes.length);
    putHashes("hashes", link.hashes);
    put("extendedHashes", "count", 8, link.extendedHashes.length);
    putHashes("extendedHashes", link.extendedHashes);
  }
  if (link.version === 6) {
    put("masteries", "count", 8, link.masteries.length);
    link.masteries.forEach(putMastery);
  }
  return { link, bytes: encodeBytes(link), fields };
};

const covering = ({ end, start }: Range, unit: number): Range => ({
  start: Math.floor(start / unit),
  end: Math.ceil(end / unit),
});

/**
 * The one error of the codec. Whatever is handed to it, the codec throws this or nothing.
 */

/**
 * What was wrong with a link; a closed set.
 *
 * In the text: `invalid-character` outside the alphabet, `invalid-padding` of another length,
 * `invalid-length` that no base64url text has, `non-zero-tail-bits` that no byte uses, `too-long`.
 * In the bytes: `unknown-version` other than 4, 5, 6, `truncated`, `trailing-bytes` after the last
 * list, `odd-tail` of half a hash (version 4), `invalid-fullscreen` other than 0 and 1. On encode:
 * `too-many` for a count of one byte, `out-of-range` for the integer's width, `no-room` in that
 * version. `invalid-type` anywhere.
 */
export type TreeLinkReason =
  | "invalid-type"
  | "too-long"
  | "invalid-character"
  | "invalid-padding"
  | "invalid-length"
  | "non-zero-tail-bits"
  | "unknown-version"
  | "truncated"
  | "trailing-bytes"
  | "odd-tail"
  | "invalid-fullscreen"
  | "too-many"
  | "out-of-range"
  | "no-room";

/**
 * What `offset` counts: characters of the payload, bytes of the stream, or elements of the field.
 */
export type OffsetUnit = "character" | "byte" | "element";

/**
 * A payload that is not a link, or a link that no payload can hold. `offset` is where: in
 * characters while the text is read, in bytes while the fields are read, in elements of `field` on
 * encode.
 */
export class TreeLinkError extends Error {
  override readonly name = "TreeLinkError";
  declare readonly reason: TreeLinkReason;
  declare readonly offset: number;
  declare readonly unit: OffsetUnit;
  /** The field that was being read or written, where one was. */
  declare readonly field: string | undefined;

  constructor(reason: TreeLinkReason, offset: number, unit: OffsetUnit, field?: string) {
    super(`${field ?? "link"}: ${reason.replaceAll("-", " ")} at ${unit} ${offset}`);
    this.reason = reason;
    this.offset = offset;
    this.unit = unit;
    this.field = field;
  }
}

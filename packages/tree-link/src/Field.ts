/**
 * A field of a link and its place in the stream, as `tree-link/layout` and `tree-link/partial` list
 * them.
 */

import type { FieldName } from "./internal/table.ts";

/** A half-open range. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A group of fields, as the specification's tables name them. */
export type FieldGroup = "version" | Exclude<FieldName, "alternateAscendancy">;

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

/**
 * Assigns each character or byte to the group of the field that has its first bit. This takes one pass
 * over cells and fields, because links of version 4 have thousands of both.
 */
import type { Field, FieldGroup } from "@game-data/tree-link/layout";

/**
 * Returns the group of each of `count` cells of `width` bits, or `padding` behind the last field. The
 * fields are in the order of their bits.
 */
export const groupsOf = (
  fields: ReadonlyArray<Field>,
  count: number,
  width: number,
): ReadonlyArray<FieldGroup | "padding"> => {
  let at = 0;
  return Array.from({ length: count }, (_, index) => {
    while (at < fields.length && fields[at]!.bits.end <= index * width) at++;
    return fields[at]?.group ?? "padding";
  });
};

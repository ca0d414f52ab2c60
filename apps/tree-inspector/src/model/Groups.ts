/**
 * To which group of fields each character or byte belongs: the one that its first bit is of. Found
 * in one pass over cells and fields, because links of version 4 have thousands of both and the view
 * asks again whenever the pointer moves.
 */
import type { Field, FieldGroup } from "@game-data/tree-link/layout";

/**
 * The group of each of `count` cells of `width` bits; `padding` behind the last field. Fields stand
 * in the order of their bits.
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

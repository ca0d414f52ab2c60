import { numbers, type Read } from "../record.ts";

/** How to display a property: the numbers of the specification. */
export const displayMode = numbers(0, 1, 2, 3, 4);
/** How to display a property: a documented number, or any other unsigned integer. */
export type DisplayMode = Read<typeof displayMode>;
/** A display mode that the specification documents. */
export type KnownDisplayMode = 0 | 1 | 2 | 3 | 4;

/** The meaning of each documented display mode. */
export const DisplayModeNames: { readonly [mode in KnownDisplayMode]: string } = {
  0: "Name followed by values",
  1: "Values followed by name",
  2: "Progress bar",
  3: "Values inserted into the string by index",
  4: "Separator",
};

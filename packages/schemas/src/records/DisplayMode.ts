import { numbers, type Read } from "../record.ts";

/** The way in which a property is displayed. */
export const displayMode = numbers(0, 1, 2, 3, 4);
/** The way in which a property is displayed: a documented number, or any unsigned integer. */
export type DisplayMode = Read<typeof displayMode>;
/** The documented modes. */
export type KnownDisplayMode = 0 | 1 | 2 | 3 | 4;

/** The meaning of each documented mode. */
export const DisplayModeNames: { readonly [mode in KnownDisplayMode]: string } = {
  0: "Name followed by values",
  1: "Values followed by name",
  2: "Progress bar",
  3: "Values inserted into the string by index",
  4: "Separator",
};

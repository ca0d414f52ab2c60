/**
 * The way in which an item's property is shown (§2, DisplayMode).
 *
 * @example
 * ```ts
 * import { DisplayModeNames } from "@game-data/schemas/DisplayMode";
 *
 * if (typeof DisplayModeNames[0] !== "string") throw new Error("a mode without a name");
 * ```
 */
/** The documented modes. */
export type KnownDisplayMode = 0 | 1 | 2 | 3 | 4;
/** A mode: the documented numbers autocomplete, any unsigned integer passes. */
export type DisplayMode = KnownDisplayMode | (number & {});

/** The meaning of each documented mode. */
export const DisplayModeNames: { readonly [mode in KnownDisplayMode]: string } = {
  0: "Name followed by values",
  1: "Values followed by name",
  2: "Progress bar",
  3: "Values inserted into the string by index",
  4: "Separator",
};

/**
 * Names for the numbers of a link: `tree-link/class-names`. For people to read; the codec itself
 * does not need them.
 *
 * ```ts
 * import { CLASSES } from "@game-data/tree-link/class-names";
 *
 * if (CLASSES[3] !== "witch") throw new Error("class 3 is the Witch");
 * ```
 */

/** Names of `class`, by its value. */
export const CLASSES = [
  "scion",
  "marauder",
  "ranger",
  "witch",
  "duelist",
  "templar",
  "shadow",
] as const;

/** Names of `alternateAscendancy`, by its value; the specification names no more than these. */
export const ALTERNATE_ASCENDANCIES = ["none", "Warden", "Warlock", "Primalist"] as const;

/**
 * Names for the numbers of a link, where they have any: for people to read. The codec itself does
 * not need them.
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

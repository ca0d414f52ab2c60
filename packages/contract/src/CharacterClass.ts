/** The base classes of game 1, as ladders and links spell them. */

/** The classes, in the order of their numbers in passive-tree links (`scion` is 0). */
export const characterClasses = [
  "scion",
  "marauder",
  "ranger",
  "witch",
  "duelist",
  "templar",
  "shadow",
] as const;

/** One of the base classes of game 1. */
export type CharacterClass = (typeof characterClasses)[number];

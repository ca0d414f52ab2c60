/** The base classes of game 1, as ladders and links spell them. */

/** The base classes, in the order of their numbers in passive-tree links (`scion` is 0). */
export const characterClasses = [
  "scion",
  "marauder",
  "ranger",
  "witch",
  "duelist",
  "templar",
  "shadow",
] as const;

/** A base class of game 1 in lower case, such as `scion`. */
export type CharacterClass = (typeof characterClasses)[number];

/**
 * The base classes of game 1, as ladders and links spell them.
 *
 * @example
 * ```ts
 * import { characterClasses } from "@game-data/contract/CharacterClass";
 *
 * if (characterClasses[3] !== "witch") throw new Error("the order is that of passive-tree links");
 * ```
 */

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

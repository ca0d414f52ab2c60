/**
 * The frame that a client draws around an item (§2, FrameType).
 *
 * @example
 * ```ts
 * import { FrameTypeNames } from "@game-data/schemas/FrameType";
 *
 * if (typeof FrameTypeNames[3] !== "string") throw new Error("a frame without a name");
 * ```
 */
/** The documented frames. Services have added numbers since; see `FrameTypeNames`. */
export type KnownFrameType = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11;
/** A frame: the documented numbers autocomplete, any unsigned integer passes. */
export type FrameType = KnownFrameType | (number & {});

/** The meaning of each documented frame. */
export const FrameTypeNames: { readonly [frame in KnownFrameType]: string } = {
  0: "Normal frame",
  1: "Magic frame",
  2: "Rare frame",
  3: "Unique frame",
  4: "Gem frame",
  5: "Currency frame",
  6: "Divination Card frame",
  7: "Quest frame",
  8: "Prophecy frame (legacy)",
  9: "Foil frame",
  10: "Supporter Foil frame",
  11: "Necropolis frame",
};

import { numbers, type Read } from "../record.ts";

/** The frame around an item: the numbers of the specification. */
export const frameType = numbers(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
/** The frame around an item: a documented number, or any other unsigned integer. */
export type FrameType = Read<typeof frameType>;
/** A frame that the specification documents. */
export type KnownFrameType = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11;

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

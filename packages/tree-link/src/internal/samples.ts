/** Links by hand: an empty and a full one of each version. The fuzz kit and the vectors edit them. */
import type { MasteryEffect, TreeLink, TreeLinkV4 } from "../TreeLink.ts";

const EMPTY = { class: 0, ascendancy: 0, hashes: [] };
export const V4 = { ...EMPTY, version: 4, fullscreen: 0 } as const satisfies TreeLink;
export const V5 = { ...EMPTY, version: 5, extendedHashes: [] } as const satisfies TreeLink;
export const V6 = {
  ...V5,
  version: 6,
  alternateAscendancy: 0,
  masteries: [],
} as const satisfies TreeLink;

export const SIX = {
  ...V6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [63_468, 1],
  masteries: [{ node: 4, effect: 47_642 }],
};
export const FIVE = {
  ...V5,
  class: 2,
  ascendancy: 255,
  hashes: [513],
  extendedHashes: [7, 65_535],
};
export const FOUR: TreeLinkV4 = {
  ...V4,
  class: 1,
  ascendancy: 128,
  fullscreen: 1,
  hashes: [48_879, 0, 2],
};

/** Returns different hashes. */
export const run = (count: number, first = 3, step = 257): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => (first + i * step) % 65_536);

export const pairs = (nodes: ReadonlyArray<number>): ReadonlyArray<MasteryEffect> =>
  nodes.map((node) => ({ node, effect: 65_535 - node }));

/** Samples of an empty and a full link of each version, which the fuzz kit and the vectors edit. */
import type { MasteryEffect, TreeLink, TreeLinkV4 } from "../TreeLink.ts";

const EMPTY = { class: 0, ascendancy: 0, hashes: [] };
export const EMPTY_V4 = { ...EMPTY, version: 4, fullscreen: 0 } as const satisfies TreeLink;
export const EMPTY_V5 = { ...EMPTY, version: 5, extendedHashes: [] } as const satisfies TreeLink;
export const EMPTY_V6 = {
  ...EMPTY_V5,
  version: 6,
  alternateAscendancy: 0,
  masteries: [],
} as const satisfies TreeLink;

export const FULL_V6 = {
  ...EMPTY_V6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [63_468, 1],
  masteries: [{ node: 4, effect: 47_642 }],
};
export const FULL_V5 = {
  ...EMPTY_V5,
  class: 2,
  ascendancy: 255,
  hashes: [513],
  extendedHashes: [7, 65_535],
};
export const FULL_V4: TreeLinkV4 = {
  ...EMPTY_V4,
  class: 1,
  ascendancy: 128,
  fullscreen: 1,
  hashes: [48_879, 0, 2],
};

/** Returns a list of hashes. Entry i is `(first + i * step) mod 65536`. */
export const hashSequence = (count: number, first = 3, step = 257): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => (first + i * step) % 65_536);

/** Returns masteries of these nodes, each with another effect: 65535 minus the node. */
export const masterySequence = (nodes: ReadonlyArray<number>): ReadonlyArray<MasteryEffect> =>
  nodes.map((node) => ({ node, effect: 65_535 - node }));

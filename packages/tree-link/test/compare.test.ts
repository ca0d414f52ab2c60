import type { TreeLinkV6 } from "@game-data/tree-link";
import { compare } from "@game-data/tree-link/compare";
import { describe, expect, it } from "vitest";

const link: TreeLinkV6 = {
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [7, 8, 9],
  extendedHashes: [1],
  masteries: [{ node: 9, effect: 5 }],
};

describe("compare", () => {
  it("names what the second link has more and less", () => {
    const other = { ...link, class: 4, hashes: [9, 8, 10], masteries: [{ node: 9, effect: 6 }] };
    expect(compare(link, other)).toEqual({
      values: [{ field: "class", from: "3", to: "4" }],
      lists: [
        { list: "hashes", added: ["10"], removed: ["7"] },
        { list: "masteries", added: ["9 → 6"], removed: ["9 → 5"] },
      ],
    });
  });

  it("finds nothing between links that differ in order and repetition alone", () => {
    expect(compare(link, { ...link, hashes: [9, 7, 8, 7] })).toEqual({ values: [], lists: [] });
  });

  it("names an entry once, however often a link has it", () => {
    const { lists } = compare(link, { ...link, hashes: [7, 8, 10, 10] });
    expect(lists).toEqual([{ list: "hashes", added: ["10"], removed: ["9"] }]);
  });

  it("tells every single value, also one that only one version has", () => {
    const old = { version: 4, class: 3, ascendancy: 1, fullscreen: 1, hashes: [] } as const;
    expect(compare(old, { ...link, hashes: [] }).values).toEqual([
      { field: "version", from: "4", to: "6" },
      { field: "ascendancy", from: "1", to: "2" },
      { field: "alternateAscendancy", from: "none", to: "1" },
      { field: "fullscreen", from: "1", to: "none" },
    ]);
  });
});

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

  it("finds nothing between links that differ in order alone", () => {
    expect(compare(link, { ...link, hashes: [9, 7, 8] })).toEqual({ values: [], lists: [] });
  });
});

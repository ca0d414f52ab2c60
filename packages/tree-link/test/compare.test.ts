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
      reordered: [],
    });
  });

  it("finds nothing between a link and itself", () => {
    expect(compare(link, { ...link })).toEqual({ values: [], lists: [], reordered: [] });
  });

  it("names lists that differ in order alone", () => {
    const other = { ...link, hashes: [9, 7, 8] };
    expect(compare(link, other)).toEqual({ values: [], lists: [], reordered: ["hashes"] });
  });

  it("names each copy that only one link has", () => {
    const { lists, reordered } = compare(link, { ...link, hashes: [7, 8, 10, 10, 8] });
    expect(lists).toEqual([{ list: "hashes", added: ["10", "10", "8"], removed: ["9"] }]);
    expect(reordered).toEqual([]);
    const masteries = [{ node: 1, effect: 2 }, ...link.masteries];
    const both = compare(
      { ...link, masteries },
      { ...link, masteries: masteries.toReversed(), hashes: [] },
    );
    expect(both.reordered).toEqual(["masteries"]);
    const fewer = compare({ ...link, hashes: [7, 7, 8] }, { ...link, hashes: [7, 8] });
    expect(fewer.lists).toEqual([{ list: "hashes", added: [], removed: ["7"] }]);
  });

  it("compares hundred thousands of hashes in linear time", () => {
    const hashes = Array.from({ length: 300_000 }, (_, i) => i % 65_536);
    const long = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes } as const;
    const { lists } = compare(long, { ...long, hashes: hashes.toReversed().slice(1) });
    expect(lists).toEqual([{ list: "hashes", added: [], removed: [String(299_999 % 65_536)] }]);
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

import { describe, expect, it } from "vitest";
import { findingsOf } from "../../src/data/FilterSyntax.ts";

const game1 = { game: 1, version: "3.90.0" } as const;
const game2 = { game: 2, version: "0.9.0" } as const;

describe("the item-filter syntax [DA-20]", () => {
  it("findingsOf accepts a filter of blocks with conditions, styles and Continue", () => {
    const text = [
      "# what glitters",
      "Show # a remark",
      "    Rarity Rare Unique",
      '    Class == "Body Armours" Gloves',
      "    ItemLevel >= 75",
      "    Quality >10",
      '    HasExplicitMod >=2 "of Haste" "Tyrannical"',
      "    LinkedSockets 6",
      "    Continue",
      "",
      "Hide\r",
      "Minimal\r",
      '    BaseType "Scroll"\r',
    ].join("\n");
    expect(findingsOf(text, game1)).toEqual([]);
  });

  it.each([
    ["Rarity Rare", 1, "stands outside of a block"],
    ["Show all", 1, "stands alone on its line"],
    ["Show\n  2 Rarity", 2, "2 is no statement"],
    ["Show\n  constructor", 2, "constructor is no statement"],
    ['Show\n  Class "open', 2, "quotation mark"],
    ['Show\n  Class "a" "open # remark', 2, "quotation mark"],
    ["# nothing", 1, "at least one block"],
  ])("findingsOf reports the mistake in the filter %j on its line", (text, line, message) => {
    const findings = findingsOf(text, game1);
    expect(findings[0]!.line).toBe(line);
    expect(findings[0]!.message).toContain(message);
  });

  it("findingsOf refuses statements of another game, and statements removed in a version", () => {
    expect(findingsOf("Show\n  LinkedSockets 6", game2)[0]!.message).toContain("belongs to game 1");
    expect(findingsOf("Show\n  UnidentifiedItemTier 3", game1)[0]!.message).toContain(
      "belongs to game 2",
    );
    expect(findingsOf("Show\n  UnidentifiedItemTier 3", game2)).toEqual([]);
    expect(findingsOf("Show\n  Prophecy Any", game1)[0]!.message).toContain(
      "removed in version 3.17.0",
    );
    expect(findingsOf("Show\n  Prophecy Any", { game: 1, version: "3.16.4" })).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { describe as sentence, findingsOf } from "../../src/data/FilterSyntax.ts";

const game1 = { game: 1, version: "3.90.0" } as const;
const game2 = { game: 2, version: "0.9.0" } as const;

describe("the item-filter syntax [DA-20]", () => {
  it("accepts blocks with conditions, looks and Continue", () => {
    const text = [
      "# what glitters",
      "Show # a remark",
      "    Rarity Rare Unique",
      '    Class == "Body Armours" Gloves',
      "    ItemLevel >= 75",
      "    Quality >10",
      '    HasExplicitMod >=2 "of Haste" "Tyrannical"',
      "    LinkedSockets 6",
      "    Corrupted False",
      "    SetTextColor 240 220 120",
      "    SetBorderColor 0 0 0 255",
      "    PlayAlertSound 6 300",
      '    CustomAlertSound "ding.mp3" 200',
      "    MinimapIcon 0 Cyan Star",
      "    PlayEffect Red Temp",
      "    DisableDropSound",
      "    EnableDropSound True",
      "    OldMap True",
      "    HasTidalImplicit >= 3",
      "    HasInfluence Elder Shaper",
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
    ["Show\n  Glitter True", 2, "Glitter is not known"],
    ["Show\n  constructor", 2, "constructor is not known"],
    ["Show\n  Rarity", 2, "needs one of Normal"],
    ["Show\n  Rarity >= Shiny", 2, "does not know Shiny"],
    ["Show\n  ItemLevel", 2, "needs a value"],
    ["Show\n  ItemLevel > 101", 2, "needs a number of 0 to 100, not 101"],
    ["Show\n  ItemLevel 1 2", 2, "too many values"],
    ["Show\n  Identified Maybe", 2, "needs True or False, not Maybe"],
    ["Show\n  Class", 2, "needs a text"],
    ['Show\n  Class "open', 2, "quotation mark"],
    ["Show\n  SetTextColor 1 2", 2, "three or four numbers"],
    ["Show\n  SetTextColor 1 2 256", 2, "0 to 255, not 256"],
    ["Show\n  SetFontSize >= 20", 2, "too many values"],
    ["Show\n  PlayAlertSound 17", 2, "1 to 16"],
    ["Show\n  MinimapIcon 0 Mauve Star", 2, "does not know Mauve"],
    ["Show\n  OldMap Perhaps", 2, "needs True or False"],
    ["Show\n  Continue now", 2, "takes no value"],
    ["# nothing", 1, "at least one block"],
  ])("finds what is wrong in %j, on its line", (text, line, message) => {
    const findings = findingsOf(text, game1);
    expect(findings[0]!.line).toBe(line);
    expect(findings[0]!.message).toContain(message);
  });

  it("judges every line on its own, and says them all", () => {
    const findings = findingsOf("Show\n  One\n  Rarity Rare\n  Two\nHide\n  Three\n", game1);
    expect(findings.map(({ line }) => line)).toEqual([2, 4, 6]);
    expect(sentence(findings, 2)).toBe(
      "line 2: One is not known; line 4: Two is not known; and 1 more",
    );
  });

  it("knows what belongs to which game and version", () => {
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

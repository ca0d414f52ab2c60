/** The world of seed 1 has every member and every word of the records: `node packages/sandbox/scripts/worldCoverage.ts`. */
import { expect, it } from "vitest";
import { Coverage, measureCoverage } from "../../scripts/worldCoverage.ts";
import { departures, openData, textsOf } from "../data/harness.ts";

it("every answer of the world follows the specification to the letter", async () => {
  for (const [path, [name, text]] of await textsOf(await openData(), { pages: 6 }))
    expect.soft(departures(name, JSON.parse(text)), path).toEqual([]);
});

it("no member and no word is missing from the answers of seed 1", async () => {
  const coverage = await measureCoverage();
  expect(coverage.gaps()).toEqual([]);
  expect(coverage.rows.size).toBeGreaterThan(450);
});

it("a member that never occurs is a gap, and so is a word", () => {
  const coverage = new Coverage();
  coverage.count("ItemSocket", { group: 0, attr: "S", sColour: null });
  const gaps = coverage.gaps();
  expect(gaps).not.toContain("ItemSocket.attr");
  expect(gaps).not.toContain("ItemSocket.attr = S");
  expect(gaps).toContain("ItemSocket.attr = D");
  expect(gaps).toContain("ItemSocket.sColour");
  expect(gaps).toContain("PassiveNode.recipe = SilverOil");
  expect(gaps).toContain("Item.frameType = 11");
  expect(gaps).not.toContain("UnlistedStash.league");
});

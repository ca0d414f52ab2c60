/** The world of seed 1 has every member and every word of the records: `node packages/sandbox/scripts/worldCoverage.ts`. */
import { type Route, routes } from "@game-data/contract/routes";
import { controlOf } from "@game-data/sandbox";
import { expect, it } from "vitest";
import { Coverage, measureCoverage } from "../../scripts/worldCoverage.ts";
import { NOON } from "../control/harness.ts";
import { startProgram } from "../core/program.ts";
import { departures, openData, textsOf } from "../data/harness.ts";

const texts = await textsOf(await openData({ seed: 1 }), { pages: 6 });

it("every response about the generated world conforms to the specification", () => {
  for (const [path, [name, text]] of texts)
    expect.soft(departures(name, JSON.parse(text)), path).toEqual([]);
});

it("every response about the world has the same bytes in another process and order", async () => {
  const { info, stop } = await startProgram("--seed", "1", "--now", NOON);
  await controlOf(info).control("POST", "/clock", { freeze: true, set: NOON });
  for (const [path, [, text]] of [...texts].toReversed()) {
    const response = await fetch(`${info.controlUrl}/world?${new URLSearchParams({ path })}`);
    expect.soft(await response.text(), path).toBe(text);
  }
  await stop("SIGTERM");
  const reading = Object.entries<Route>(routes).filter(([, { method }]) => method === "GET");
  const seen = new Set([...texts.values()].map(([name]) => name));
  expect([...seen].toSorted()).toEqual(reading.map(([name]) => name).toSorted());
});

it("responses of seed 1 contain every member and every word of the specification", async () => {
  const coverage = await measureCoverage();
  expect(coverage.gaps()).toEqual([]);
  expect(coverage.rows.size).toBeGreaterThan(450);
});

it("Coverage reports members and words that never occur as gaps", () => {
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

import { expect, it } from "vitest";
import { lastHours, groupByMarket, shortName, mostEvenlyTraded } from "../src/MarketSeries.ts";

const HOUR = 3600;
const at = (hour: number, league: string, marketId: string, volume?: number) => ({
  hour: hour * HOUR,
  league,
  marketId,
  json: "",
  value: volume === undefined ? {} : { volume_traded: { [marketId.split("|")[0]!]: volume } },
});

const hours = [
  at(1, "Standard", "oil|shard", 100),
  at(1, "Standard", "gold|shard", 5),
  at(2, "Standard", "gold|shard", 4),
  at(2, "Hardcore", "gold|shard", 1),
  at(3, "Standard", "gold|shard"),
  at(3, "Standard", "no pair", 9),
];

it("makes a series of every market of every league, of its first currency", () => {
  expect(groupByMarket(hours).map(({ currencies, league }) => [league, ...currencies])).toEqual([
    ["Standard", "oil", "shard"],
    ["Standard", "gold", "shard"],
    ["Hardcore", "gold", "shard"],
  ]);
  expect([...groupByMarket(hours)[1]!.volumes]).toEqual([
    [HOUR, 5],
    [2 * HOUR, 4],
    [3 * HOUR, 0],
  ]);
});

it("finds the market that trades most steadily, not the largest", () => {
  expect(mostEvenlyTraded(groupByMarket(hours))).toMatchObject({
    league: "Standard",
    currencies: ["gold", "shard"],
  });
  expect(mostEvenlyTraded([])).toBeUndefined();
});

it("gives the last hours, with zero where nothing was traded", () => {
  const [, gold] = groupByMarket(hours);
  expect(lastHours(gold!, 4, 3 * HOUR)).toEqual([0, 5, 4, 0]);
  expect(lastHours(gold!, 1, 2 * HOUR)).toEqual([4]);
});

it("shortens currencies that are paths", () => {
  expect(shortName("a/path/to/Oil")).toBe("Oil");
  expect(shortName("oil")).toBe("oil");
});

import { expect, it } from "vitest";
import type { RanksOptions, RanksRequest } from "../src/index.ts";
import { useSandbox } from "./sandbox.ts";

const service = useSandbox({ rates: "off" }, ["service:leagues:ladder"]);

const ranksOf = (request: RanksRequest, options?: RanksOptions) =>
  service.call((api) => api.leagues.ranks(request, options));

/** An event that private leagues compete in. */
const eventName = async (): Promise<string> => {
  const credentials = await service.tokenFor(["service:leagues"]);
  const events = await service.call((api) => api.leagues.list({ type: "event" }), { credentials });
  return events.find(({ leagueEvent }) => leagueEvent === true)!.id;
};

it("fetches a few ranks in one request", async () => {
  const sent = await service.requestsDuring(async () => {
    const ranks = await ranksOf({ league: "Standard", offset: 5, count: 3 });
    expect(ranks?.map(({ rank }) => rank)).toEqual([6, 7, 8]);
  });
  expect(sent).toBe(1);
});

it("fetches more page by page, told on the way, and stops where it was asked to", async () => {
  const told: Array<number> = [];
  const sent = await service.requestsDuring(async () => {
    const onProgress = (count: number) => told.push(count);
    const ranks = await ranksOf({ league: "Standard", count: 700 }, { onProgress });
    expect(ranks?.map(({ rank }) => rank)).toEqual(Array.from({ length: 700 }, (_, i) => i + 1));
  });
  expect(told.at(-1)).toBe(700);
  expect(sent).toBe(2);
});

it("orders by class where a class is asked for", async () => {
  const witches = await ranksOf({ league: "Standard", class: "witch", count: 5 });
  expect(witches).toHaveLength(5);
  expect(witches).not.toEqual(await ranksOf({ league: "Standard", count: 5 }));
});

it("takes the event's ladder of private leagues, a few or all of it", async () => {
  const league = await eventName();
  const few = await ranksOf({ league, event: true, count: 2 });
  expect(few).toMatchObject([{ rank: 1, private_league: {} }, { rank: 2 }]);
  const all = await ranksOf({ league, event: true });
  expect(all?.slice(0, 2)).toEqual(few);
  expect(all!.length).toBeGreaterThan(2);
});

it("tells a ladder that is not there from one past its end", async () => {
  expect(await ranksOf({ league: "Nowhere", count: 5 })).toBeNull();
  expect(await ranksOf({ league: "Nowhere" })).toBeNull();
  expect(await ranksOf({ league: "Standard", offset: 15_000 })).toEqual([]);
});

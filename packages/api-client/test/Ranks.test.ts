import { startSandbox } from "@game-data/sandbox";
import { Effect } from "effect";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { GameApi, type RanksOptions, type RanksRequest } from "../src/index.ts";
import { clientLayer, type Sandbox, tokenFor } from "./sandbox.ts";

let sandbox: Sandbox;
let token: string;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1, rates: "off" });
  token = await tokenFor(sandbox, ["service:leagues:ladder"]);
});
afterAll(() => sandbox.close());
beforeEach(() => fetch(`${sandbox.controlUrl}/journal`, { method: "DELETE" }));

const ranksOf = (request: RanksRequest, options?: RanksOptions) =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(GameApi, (api) => api.leagues.ranks(request, options)),
      clientLayer(sandbox, { credentials: token }),
    ),
  );

/** An event that private leagues compete in. */
const eventName = async (): Promise<string> => {
  const credentials = await tokenFor(sandbox, ["service:leagues"]);
  const list = Effect.flatMap(GameApi, (api) => api.leagues.list({ type: "event" }));
  const events = await Effect.runPromise(
    Effect.provide(list, clientLayer(sandbox, { credentials })),
  );
  return events.find(({ leagueEvent }) => leagueEvent === true)!.id;
};

const requests = async () => {
  const response = await fetch(`${sandbox.controlUrl}/journal`);
  const { entries } = (await response.json()) as { readonly entries: ReadonlyArray<unknown> };
  return entries.length;
};

it("fetches a few ranks in one request", async () => {
  const ranks = await ranksOf({ league: "Standard", offset: 5, count: 3 });
  expect(ranks?.map(({ rank }) => rank)).toEqual([6, 7, 8]);
  expect(await requests()).toBe(1);
});

it("fetches more page by page, told on the way, and stops where it was asked to", async () => {
  const told: Array<number> = [];
  const ranks = await ranksOf(
    { league: "Standard", count: 700 },
    { onProgress: (count) => told.push(count) },
  );
  expect(ranks?.map(({ rank }) => rank)).toEqual(Array.from({ length: 700 }, (_, i) => i + 1));
  expect(told.at(-1)).toBe(700);
  expect(await requests()).toBe(2);
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

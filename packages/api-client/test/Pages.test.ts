import { type Route, routes } from "@game-data/contract";
import { Effect, Stream } from "effect";
import { expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { fixtureHttp, layer, type FixtureTable } from "../src/testing.ts";
import { apiOver, recording } from "./recording.ts";

const entry = (rank: number) => ({
  rank,
  character: { id: `${rank}`, name: `c${rank}`, level: 1, class: "Witch" },
});

const ladder = (total = 25): FixtureTable => ({
  "leagues.ladder": ({ url }) => {
    if (url.pathname.includes("Nowhere")) return { body: { league: null } };
    const offset = Number(url.searchParams.get("offset"));
    const limit = Number(url.searchParams.get("limit"));
    const length = Math.max(0, Math.min(limit, total - offset));
    const entries = Array.from({ length }, (_, index) => entry(offset + index + 1));
    return { body: { league: { id: "L", total, cached_since: "", entries } } };
  },
});

const request = { league: "L", limit: 10 };

const collect = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = [];
  for await (const item of items) all.push(item);
  return all;
};

const open = (total?: number) => apiOver(fixtureHttp(ladder(total))).leagues;
const ranks = Array.from({ length: 15 }, (_, index) => index + 11);

it("each page of a ladder has the offset of the next page", async () => {
  const leagues = open();
  const pages = await collect(leagues.ladderPages(request));
  expect(
    pages.map(({ entries, next, offset, total }) => [offset, total, entries.length, next]),
  ).toEqual([
    [0, 25, 10, 10],
    [10, 25, 10, 20],
    [20, 25, 5, undefined],
  ]);
  const rest = await collect(leagues.ladderEntries({ ...request, offset: 10 }));
  expect(rest.map(({ rank }) => rank)).toEqual(ranks);
});

it("ladderEntries returns a stream in Effect, which fails with the error of the call", async () => {
  const entries = (league: string) =>
    Stream.fromEffect(GameApi).pipe(
      Stream.flatMap((api) => api.leagues.ladderEntries({ ...request, league, offset: 10 })),
      Stream.runCollect,
      Effect.provide(layer(ladder())),
    );
  const found = await Effect.runPromise(entries("L"));
  expect(found.map(({ rank }) => rank)).toEqual(ranks);
  const error = await Effect.runPromise(Effect.flip(entries("..")));
  expect(error).toMatchObject({ _tag: "InvalidRequest", operation: "leagues.ladder" });
});

it("ladderPages is empty if the league has no ladder", async () => {
  expect(await collect(open().ladderPages({ league: "Nowhere" }))).toEqual([]);
});

it("ladderPages ends after the 15,000 entries that a ladder shows, whatever its total is", async () => {
  const pages = await collect(open(90_000).ladderPages({ league: "L", offset: 14_000 }));
  expect(pages.map(({ offset }) => offset)).toEqual([14_000, 14_500]);
});

it("a loop over ladderPages that ends early fetches no further page", async () => {
  const entries = Array.from({ length: 10 }, (_, index) => entry(index + 1));
  const body = JSON.stringify({ league: { id: "L", total: 25, cached_since: "", entries } });
  const { http, sent } = recording(() => ({ body }));
  for await (const _ of apiOver(http).leagues.ladderPages(request)) break;
  expect(sent).toHaveLength(1);
});

it("each operation with `limit` and `offset` has a method for pages, also without a total", async () => {
  const leagues = Array.from({ length: 7 }, (_, index) => ({ id: `L${index}` }));
  const api = apiOver(
    fixtureHttp({
      "leagues.list": ({ url: { searchParams: query } }) => {
        const [limit, offset] = ["limit", "offset"].map((key) => Number(query.get(key)));
        return { body: { leagues: leagues.slice(offset, offset! + limit!) } };
      },
    }),
  );
  const pages = await collect(api.leagues.listPages({ limit: 3 }));
  expect(
    pages.map(({ entries, next, offset, total }) => [offset, entries.length, next, total]),
  ).toEqual([
    [0, 3, 3, undefined],
    [3, 3, 6, undefined],
    [6, 1, undefined, undefined],
  ]);
  const last = await collect(api.leagues.listEntries({ offset: 5 }));
  expect(last.map(({ id }) => id)).toEqual(["L5", "L6"]);
  for (const [name, { query = {} }] of Object.entries<Route>(routes)) {
    const [group, method] = name.split(".") as ["leagues", string];
    const isPaged = "limit" in query && "offset" in query;
    const methods = [`${method}Pages`, `${method}Entries`].map((key) => key in api[group]);
    expect([name, ...methods]).toEqual([name, isPaged, isPaged]);
  }
});

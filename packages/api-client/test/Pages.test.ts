import { type Route, routes } from "@game-data/contract";
import { Effect, Stream } from "effect";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { fixtureHttp, layer, type FixtureTable } from "../src/testing.ts";
import { apiOver } from "./recording.ts";

const TOTAL = 25;
const entry = (rank: number) => ({
  rank,
  character: { id: `${rank}`, name: `c${rank}`, level: 1, class: "Witch" },
});

const ladder = (total = TOTAL): FixtureTable => ({
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

describe("pages of a ladder", () => {
  const run = <A, E>(use: (api: GameApi["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.provide(Effect.flatMap(GameApi, use), layer(ladder())));

  it("names the offset of the next page of a ladder", async () => {
    const pages = await run((api) => Stream.runCollect(api.leagues.ladderPages(request)));
    expect(
      pages.map(({ entries, next, offset, total }) => [offset, total, entries.length, next]),
    ).toEqual([
      [0, 25, 10, 10],
      [10, 25, 10, 20],
      [20, 25, 5, undefined],
    ]);
    const rest = await run((api) =>
      Stream.runCollect(api.leagues.ladderEntries({ ...request, offset: pages[0]!.next! })),
    );
    expect(rest.map(({ rank }) => rank)).toEqual(Array.from({ length: 15 }, (_, i) => i + 11));
  });

  it("ends pages at once if there is no ladder", async () => {
    const pages = await run((api) =>
      Stream.runCollect(api.leagues.ladderPages({ league: "Nowhere" })),
    );
    expect(pages).toEqual([]);
  });

  it("ends pages after the 15,000 entries that a ladder shows, whatever its total is", async () => {
    const pages = Effect.flatMap(GameApi, (api) =>
      Stream.runCollect(api.leagues.ladderPages({ league: "L", offset: 14_000 })),
    ).pipe(Effect.provide(layer(ladder(90_000))), Effect.runPromise);
    expect((await pages).map(({ offset }) => offset)).toEqual([14_000, 14_500]);
  });

  it("fails pages with the error of the call", async () => {
    const error = await run((api) =>
      Effect.flip(Stream.runCollect(api.leagues.ladderPages({ league: ".." }))),
    );
    expect(error).toMatchObject({ _tag: "InvalidRequest", operation: "leagues.ladder" });
  });
});

describe("pages without Effect", () => {
  it("returns pages as async iterables in the Promise client", async () => {
    const api = apiOver(fixtureHttp(ladder()));
    let next: number | undefined;
    for await (const page of api.leagues.ladderPages(request)) {
      next = page.next;
      break;
    }
    const ranks: Array<number> = [];
    for await (const { rank } of api.leagues.ladderEntries({ ...request, offset: next! }))
      ranks.push(rank);
    expect(ranks).toEqual(Array.from({ length: 15 }, (_, index) => index + 11));
    await api.close();
  });

  it("has pages for every operation with a limit and an offset, also without a total", async () => {
    const leagues = Array.from({ length: 7 }, (_, index) => ({ id: `L${index}` }));
    const api = apiOver(
      fixtureHttp({
        "leagues.list": ({ url: { searchParams: query } }) => {
          const [limit, offset] = ["limit", "offset"].map((key) => Number(query.get(key)));
          return { body: { leagues: leagues.slice(offset, offset! + limit!) } };
        },
      }),
    );
    const pages: Array<unknown> = [];
    for await (const { entries, next, offset, total } of api.leagues.listPages({ limit: 3 }))
      pages.push([offset, entries.length, next, total]);
    expect(pages).toEqual([
      [0, 3, 3, undefined],
      [3, 3, 6, undefined],
      [6, 1, undefined, undefined],
    ]);
    const ids: Array<string> = [];
    for await (const { id } of api.leagues.listEntries({ offset: 5 })) ids.push(id);
    expect(ids).toEqual(["L5", "L6"]);
    for (const [name, { query = {} }] of Object.entries<Route>(routes)) {
      const [group, method] = name.split(".") as ["leagues", string];
      const isPaged = "limit" in query && "offset" in query;
      const methods = [`${method}Pages`, `${method}Entries`].map((key) => key in api[group]);
      expect([name, ...methods]).toEqual([name, isPaged, isPaged]);
    }
    await api.close();
  });
});

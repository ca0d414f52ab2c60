import { type Route, routes } from "@game-data/contract";
import { Effect, Stream } from "effect";
import { describe, expect, expectTypeOf, it } from "vitest";
import { GameApi } from "../src/index.ts";
import * as Pages from "../src/pages.ts";
import { fixtureTransport, layer, type FixtureTable } from "../src/testing.ts";
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
  const run = <A, E>(effect: Effect.Effect<A, E, GameApi>) =>
    Effect.runPromise(Effect.provide(effect, layer(ladder())));

  it("carry a token that resumes behind them", async () => {
    const pages = await run(
      Effect.flatMap(GameApi, (api) =>
        Stream.runCollect(Pages.pages(api, "leagues.ladder", request)),
      ),
    );
    expect(pages.map(({ offset, total, entries }) => [offset, total, entries.length])).toEqual([
      [0, 25, 10],
      [10, 25, 10],
      [20, 25, 5],
    ]);
    expect(pages.at(-1)?.resume).toBeUndefined();
    const resume = pages[0]?.resume;
    const rest = await run(
      Effect.flatMap(GameApi, (api) =>
        Stream.runCollect(Pages.entries(Pages.pages(api, "leagues.ladder", request, { resume }))),
      ),
    );
    expect(rest.map(({ rank }) => rank)).toEqual(Array.from({ length: 15 }, (_, i) => i + 11));
  });

  it("end at once where there is no ladder", async () => {
    const pages = await run(
      Effect.flatMap(GameApi, (api) =>
        Stream.runCollect(Pages.pages(api, "leagues.ladder", { league: "Nowhere" })),
      ),
    );
    expect(pages).toEqual([]);
  });

  it.each(["", "leagues.ladder:x", "pvpMatches.ladder:10", "leagues.ladder:-1"])(
    "refuse the foreign token %j",
    async (resume) => {
      const error = await run(
        Effect.flatMap(GameApi, (api) =>
          Effect.flip(Stream.runCollect(Pages.pages(api, "leagues.ladder", request, { resume }))),
        ),
      );
      expect(error).toMatchObject({ _tag: "InvalidRequest", operation: "leagues.ladder" });
    },
  );
});

describe("pages without Effect", () => {
  it("are async iterables with the same tokens", async () => {
    const api = apiOver(fixtureTransport(ladder()));
    let resume: string | undefined;
    for await (const page of api.leagues.ladderPages(request)) {
      resume = page.resume;
      break;
    }
    const ranks: Array<number> = [];
    for await (const { rank } of api.leagues.ladderEntries(request, { resume })) ranks.push(rank);
    expect(ranks).toEqual(Array.from({ length: 15 }, (_, index) => index + 11));
    await api.close();
  });

  it("are there for every operation with a limit and an offset, lists without a total too", async () => {
    const leagues = Array.from({ length: 7 }, (_, index) => ({ id: `L${index}` }));
    const transport = fixtureTransport({
      "leagues.list": ({ url: { searchParams: query } }) => {
        const [limit, offset] = ["limit", "offset"].map((key) => Number(query.get(key)));
        return { body: { leagues: leagues.slice(offset, offset! + limit!) } };
      },
    });
    const api = apiOver(transport);
    const pages: Array<unknown> = [];
    for await (const page of api.leagues.listPages({ limit: 3 })) {
      expectTypeOf(page.total).toEqualTypeOf<undefined>();
      pages.push([page.offset, page.entries.length, page.resume]);
    }
    expect(pages).toEqual([
      [0, 3, "leagues.list:3"],
      [3, 3, "leagues.list:6"],
      [6, 1, undefined],
    ]);
    const ids: Array<string> = [];
    for await (const { id } of api.leagues.listEntries(undefined, { resume: "leagues.list:5" }))
      ids.push(id);
    expect(ids).toEqual(["L5", "L6"]);
    for (const [name, { query = {} }] of Object.entries<Route>(routes)) {
      const [group, method] = name.split(".") as ["leagues", string];
      const isPaged = "limit" in query && "offset" in query;
      expect([name, `${method}Pages` in api[group], `${method}Entries` in api[group]]).toEqual([
        name,
        isPaged,
        isPaged,
      ]);
    }
    await api.close();
  });
});

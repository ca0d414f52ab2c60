import { Effect, Stream } from "effect";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import * as Pages from "../src/pages.ts";
import { createGameApi } from "../src/promise.ts";
import { fixtureTransport, layer, type FixtureTable } from "../src/testing.ts";
import { userAgent } from "./sandbox.ts";

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
      Effect.flatMap(GameApi, (api) => Stream.runCollect(Pages.ladder(api, request))),
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
        Stream.runCollect(Pages.entries(Pages.ladder(api, request, { resume }))),
      ),
    );
    expect(rest.map(({ rank }) => rank)).toEqual(Array.from({ length: 15 }, (_, i) => i + 11));
  });

  it("end at once where there is no ladder", async () => {
    const pages = await run(
      Effect.flatMap(GameApi, (api) => Stream.runCollect(Pages.ladder(api, { league: "Nowhere" }))),
    );
    expect(pages).toEqual([]);
  });

  it.each(["", "leagues.ladder:x", "pvpMatches.ladder:10", "leagues.ladder:-1"])(
    "refuse the foreign token %j",
    async (resume) => {
      const error = await run(
        Effect.flatMap(GameApi, (api) =>
          Effect.flip(Stream.runCollect(Pages.ladder(api, request, { resume }))),
        ),
      );
      expect(error).toMatchObject({ _tag: "InvalidRequest", operation: "leagues.ladder" });
    },
  );
});

describe("pages without Effect", () => {
  const open = () =>
    createGameApi({
      baseUrl: "https://api.example",
      userAgent,
      credentials: "token",
      transport: fixtureTransport(ladder()),
    });

  it("are async iterables with the same tokens", async () => {
    const api = open();
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
});

import { Effect, Stream } from "effect";
import { expect, it } from "vitest";
import type { FilterCreate } from "@game-data/contract";
import { GameApi } from "../src/index.ts";
import { layer } from "../src/testing.ts";

it("leaves `public: false` out when it updates an existing filter", async () => {
  const sent: Array<unknown> = [];
  const existing = {
    id: "1",
    filter_name: "F",
    realm: "pc",
    description: "",
    version: "1",
    type: "Normal",
  };
  const fixtures = layer({
    "itemFilters.list": { body: { filters: [existing] } },
    "itemFilters.update": ({ body, url }) => {
      sent.push([url.pathname, body]);
      return { body: { filter: existing } };
    },
  });
  const filter: FilterCreate = { filter_name: "F", realm: "pc", filter: "Show" };
  await Effect.runPromise(
    Effect.gen(function* () {
      const { itemFilters } = yield* GameApi;
      yield* itemFilters.upsert({ ...filter, public: false });
      yield* itemFilters.upsert({ ...filter, public: true });
    }).pipe(Effect.provide(fixtures)),
  );
  expect(sent).toEqual([
    ["/item-filter/1", filter],
    ["/item-filter/1", { ...filter, public: true }],
  ]);
});

it("ends a ladder with the 15 000 entries that it shows, whatever its total says", async () => {
  const offsets: Array<number> = [];
  const entry = { rank: 1, character: { id: "1", name: "n", level: 1, class: "Witch" } };
  const fixtures = layer({
    "leagues.ladder": ({ url }) => {
      offsets.push(Number(url.searchParams.get("offset")));
      const entries = Array.from({ length: 500 }, () => entry);
      return { body: { league: { id: "L", total: 90_000, cached_since: "", entries } } };
    },
  });
  await Effect.runPromise(
    Effect.flatMap(GameApi, (api) =>
      Stream.runDrain(api.leagues.ladderPages({ league: "L", offset: 14_000 })),
    ).pipe(Effect.provide(fixtures)),
  );
  expect(offsets).toEqual([14_000, 14_500]);
});

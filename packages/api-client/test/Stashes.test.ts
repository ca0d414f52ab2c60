/** Methods that combine operations: whole stashes, and filters by name. */
import type { FilterCreate } from "@game-data/contract";
import type { StashTab } from "@game-data/schemas";
import { Effect, Layer } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import { expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { fixtureHttp, layer } from "../src/testing.ts";
import { layerOver } from "./recording.ts";
import { useSandbox } from "./sandbox.ts";

const service = useSandbox();

const tab = (name: string, more: Partial<StashTab> = {}): StashTab => ({
  id: name.padStart(10, "0"),
  name,
  type: "NormalStash",
  metadata: {},
  ...more,
});

it("fetches some tabs, leaves absent ones out, and lists those that fail", async () => {
  const ids = ["0000000001", "0000000002", "ffffffffff", "0000000bad"];
  const fixtures = (status: number) =>
    layer(
      {
        "stashes.get": ({ url }) => {
          const id = url.pathname.split("/").at(-1) ?? "";
          if (id === "0000000bad") return { status, body: {} };
          return id === "ffffffffff" ? { body: { stash: null } } : { body: { stash: tab(id) } };
        },
      },
      { retry: { times: 0 } },
    );
  const some = Effect.flatMap(GameApi, (api) => api.stashes.some({ league: "L", ids }));
  const { failures, tabs: found } = await Effect.runPromise(Effect.provide(some, fixtures(500)));
  expect(found.map(({ id }) => id)).toEqual(["0000000001", "0000000002"]);
  expect(failures).toMatchObject([{ stash_id: "0000000bad", error: { _tag: "ServerError" } }]);
  const refused = await Effect.runPromise(Effect.flip(Effect.provide(some, fixtures(403))));
  expect(refused._tag).toBe("Forbidden");
});

it.each([1, 3])("has at most %i requests in flight for a whole stash", async (concurrency) => {
  const id = (n: number) => String(n).padStart(10, "0");
  let inFlight = 0;
  let most = 0;
  const fixtures = fixtureHttp({
    "stashes.list": {
      body: { stashes: [1, 2, 3, 4, 5].map((n) => ({ ...tab("t"), id: id(n) })) },
    },
    "stashes.get": ({ url }) => {
      const [, , , parent, child] = url.pathname.split("/");
      const children = [1, 2, 3, 4].map((n) => ({
        ...tab("sub"),
        id: id(Number(parent) * 10 + n),
        ...(child && { items: [] }),
      }));
      return { body: { stash: { ...tab("t"), id: parent, children } } };
    },
  });
  const counted = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (http) =>
      HttpClient.transform(http, (send) =>
        Effect.suspend(() => {
          most = Math.max(most, ++inFlight);
          return Effect.ensuring(
            Effect.andThen(Effect.sleep(2), send),
            Effect.sync(() => inFlight--),
          );
        }),
      ),
    ),
  ).pipe(Layer.provide(fixtures));
  const { failures, tabs: all } = await Effect.runPromise(
    Effect.flatMap(GameApi, (api) => api.stashes.all({ league: "L" }, { concurrency })).pipe(
      Effect.provide(
        layerOver(counted, { limiter: { concurrencyWithoutHeaders: 100, maxInFlight: 100 } }),
      ),
    ),
  );
  expect(failures).toEqual([]);
  expect(all.flatMap(({ children }) => children ?? [])).toHaveLength(20);
  expect(most).toBe(concurrency);
});

it("fetches every tab's items, folders and sub-tabs included [DA-61]", async () => {
  for (const kind of ["stashes", "guildStashes"] as const) {
    let subTabs = 0;
    for (const { id: league } of await service.api.accountLeagues.list()) {
      const whole = await service.api[kind].all({ league });
      expect(whole.failures).toEqual([]);
      for (const { children = [], items, type } of whole.tabs) {
        expect(type).not.toBe("Folder");
        subTabs += children?.length ?? 0;
        for (const child of children ?? []) expect(child.items).toBeInstanceOf(Array);
        expect(Boolean(children?.length) || Array.isArray(items)).toBe(true);
      }
      expect(new Set(whole.tabs.map(({ id }) => id)).size).toBe(whole.tabs.length);
    }
    expect(subTabs).toBeGreaterThan(0);
  }
});

it("creates a filter of a name and realm once, and updates it from then on [DA-12] [DA-13]", async () => {
  const filter = { filter_name: "Pushed", realm: "pc", filter: "Show\n" } as const;
  const first = await service.api.itemFilters.upsert(filter);
  const second = await service.api.itemFilters.upsert({ ...filter, filter: "Hide\n" });
  expect([first.status, second.status]).toEqual(["created", "updated"]);
  expect(second.filter).toMatchObject({ id: first.filter.id, filter: "Hide\n" });
  const other = await service.api.itemFilters.upsert({ ...filter, realm: "game2" });
  expect(other.status).toBe("created");
});

it("leaves `public: false` out when it updates an existing filter", async () => {
  const sent: Array<unknown> = [];
  const filter: FilterCreate = { filter_name: "F", realm: "pc", filter: "Show" };
  const existing = { ...filter, id: "1", description: "", version: "1", type: "Normal" };
  const fixtures = layer({
    "itemFilters.list": { body: { filters: [existing] } },
    "itemFilters.update": ({ body, url }) => {
      sent.push([url.pathname, body]);
      return { body: { filter: existing } };
    },
  });
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

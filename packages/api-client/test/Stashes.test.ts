/** Methods that combine operations: whole stashes, and filters by name. */
import { setTimeout } from "node:timers/promises";
import type { FilterCreate } from "@game-data/contract";
import type { StashTab } from "@game-data/schemas";
import { expect, it } from "vitest";
import { fixtureHttp } from "../src/testing.ts";
import { apiOver, recording } from "./recording.ts";
import { useSandbox } from "./sandbox.ts";

const service = useSandbox();

const tab = (name: string, more: Partial<StashTab> = {}): StashTab => ({
  id: name.padStart(10, "0"),
  name,
  type: "NormalStash",
  metadata: {},
  ...more,
});

const json = (body: object) => ({ body: JSON.stringify(body) });

it("stashes.some fetches tabs by id, omits absent tabs, and lists failed tabs in `failures`", async () => {
  const ids = ["0000000001", "0000000002", "ffffffffff", "0000000bad"];
  const some = (status: number) => {
    const { http } = recording(({ url }) => {
      const id = url.split("/").at(-1) ?? "";
      if (id === "0000000bad") return { status, body: "{}" };
      return json({ stash: id === "ffffffffff" ? null : tab(id) });
    });
    return apiOver(http).stashes.some({ league: "L", ids });
  };
  const { failures, tabs } = await some(500);
  expect(tabs.map(({ id }) => id)).toEqual(["0000000001", "0000000002"]);
  expect(failures).toMatchObject([{ stash_id: "0000000bad", error: { _tag: "ServerError" } }]);
  await expect(some(403)).rejects.toMatchObject({ _tag: "Forbidden" });
});

it.each([1, 3])("stashes.all sends at most %i requests at once", async (concurrency) => {
  let inFlight = 0;
  let most = 0;
  const { http } = recording(async ({ url }) => {
    const [, , , parent, child] = new URL(url).pathname.split("/");
    if (parent === undefined) return json({ stashes: [1, 2, 3, 4, 5].map((n) => tab(`${n}`)) });
    most = Math.max(most, ++inFlight);
    await setTimeout(2);
    inFlight--;
    const children = [1, 2, 3, 4].map((n) => ({
      ...tab(`${Number(parent) * 10 + n}`),
      ...(child && { items: [] }),
    }));
    return json({ stash: { ...tab(parent), children } });
  });
  const api = apiOver(http, { limiter: { concurrencyWithoutHeaders: 100, maxInFlight: 100 } });
  const { failures, tabs: all } = await api.stashes.all({ league: "L" }, { concurrency });
  expect(failures).toEqual([]);
  expect(all.flatMap(({ children }) => children ?? [])).toHaveLength(20);
  expect(most).toBe(concurrency);
});

it("stashes.all aborts its other requests after an error that concerns all tabs", async () => {
  const stashes = Array.from({ length: 8 }, (_, index) => tab(`${index}`));
  const { http, sent } = recording((_, index) => {
    if (index === 0) return json({ stashes });
    // The first tab shows that its route has no limits.
    if (index === 1) return json({ stash: stashes[0] });
    return index === 5 ? { status: 403 } : "silence";
  });
  const api = apiOver(http, { limiter: { concurrencyWithoutHeaders: 8 } });
  await expect(api.stashes.all({ league: "L" })).rejects.toMatchObject({ _tag: "Forbidden" });
  const aborted = [false, false, true, true, true, false];
  await expect.poll(() => sent.map(({ signal }) => signal.aborted)).toEqual(aborted);
});

it("`all` fetches every tab with its items, tabs in folders and sub-tabs included [DA-61]", async () => {
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
      // The stashes of a league hold every kind of tab that those of another league hold.
      if (subTabs > 0) break;
    }
    expect(subTabs).toBeGreaterThan(0);
  }
});

it("itemFilters.upsert creates a filter of a name and realm once, then updates it [DA-12] [DA-13]", async () => {
  const filter = { filter_name: "Pushed", realm: "pc", filter: "Show\n" } as const;
  const first = await service.api.itemFilters.upsert(filter);
  const second = await service.api.itemFilters.upsert({ ...filter, filter: "Hide\n" });
  expect([first.status, second.status]).toEqual(["created", "updated"]);
  expect(second.filter).toMatchObject({ id: first.filter.id, filter: "Hide\n" });
  const other = await service.api.itemFilters.upsert({ ...filter, realm: "game2" });
  expect(other.status).toBe("created");
});

it("itemFilters.upsert omits `public: false` when it updates an existing filter", async () => {
  const sent: Array<unknown> = [];
  const filter: FilterCreate = { filter_name: "F", realm: "pc", filter: "Show" };
  const existing = { ...filter, id: "1", description: "", version: "1", type: "Normal" };
  const http = fixtureHttp({
    "itemFilters.list": { body: { filters: [existing] } },
    "itemFilters.update": ({ body, url }) => {
      sent.push([url.pathname, body]);
      return { body: { filter: existing } };
    },
  });
  const { itemFilters } = apiOver(http);
  await itemFilters.upsert({ ...filter, public: false });
  await itemFilters.upsert({ ...filter, public: true });
  expect(sent).toEqual([
    ["/item-filter/1", filter],
    ["/item-filter/1", { ...filter, public: true }],
  ]);
});

import { describe, expect, it } from "vitest";
import { useSandbox } from "./sandbox.ts";

const service = useSandbox();
const { call } = service;

describe("whole stashes", () => {
  it("hold every tab's items, folders and sub-tabs included [DA-61]", async () => {
    for (const kind of ["stashes", "guildStashes"] as const) {
      let tabs = 0;
      let subTabs = 0;
      for (const { id: league } of await call((api) => api.accountLeagues.list())) {
        const whole = await call((api) => api[kind].all({ league }));
        expect(whole.failures).toEqual([]);
        tabs += whole.tabs.length;
        for (const tab of whole.tabs) {
          expect(tab.type).not.toBe("Folder");
          const children = tab.children ?? [];
          subTabs += children.length;
          for (const child of children) expect(child.items).toBeInstanceOf(Array);
          expect(children.length > 0 || Array.isArray(tab.items)).toBe(true);
        }
        expect(new Set(whole.tabs.map(({ id }) => id)).size).toBe(whole.tabs.length);
      }
      expect(tabs).toBeGreaterThan(0);
      expect(subTabs).toBeGreaterThan(0);
    }
  });

  it("name the tabs that could not be had, and keep the others", async () => {
    const leagues = await call((api) => api.accountLeagues.list());
    for (const { id: league } of leagues) {
      const { tabs } = await call((api) => api.stashes.all({ league }));
      if (tabs.length < 2) continue;
      const broken = tabs[1]?.id ?? "";
      const path = `/stash/${encodeURIComponent(league)}/${broken}`;
      const fault = { kind: "status", status: 500 };
      await service.control("POST", "/faults", { match: { path }, fault });
      const partial = await call((api) => api.stashes.all({ league }, { retries: 0 }));
      expect(partial.failures).toMatchObject([
        { stash_id: broken, error: { _tag: "ServerError" } },
      ]);
      expect(partial.tabs).toHaveLength(tabs.length - 1);
      return;
    }
    throw new Error("no league with two tabs");
  });
});

describe("filters by name", () => {
  it("are created once, and updated from then on [DA-12] [DA-13]", async () => {
    const filter = { filter_name: "Pushed", realm: "pc", filter: "Show\n" } as const;
    const first = await call((api) => api.itemFilters.upsert(filter));
    const second = await call((api) =>
      api.itemFilters.upsert({ ...filter, filter: "Hide\n", public: false }),
    );
    expect([first.status, second.status]).toEqual(["created", "updated"]);
    expect(second.filter).toMatchObject({ id: first.filter.id, filter: "Hide\n" });
    const other = await call((api) => api.itemFilters.upsert({ ...filter, realm: "game2" }));
    expect(other.status).toBe("created");
  });
});

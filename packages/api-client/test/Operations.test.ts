import { Effect, Stream } from "effect";
import { describe, expect, it } from "vitest";
import { driftInspector, type DriftReport } from "../src/drift.ts";
import * as Pages from "../src/pages.ts";
import { useSandbox } from "./sandbox.ts";

const service = useSandbox();
const { call } = service;

describe("ladders as streams", () => {
  it("fail with the call's own error", async () => {
    const exit = await call((api) =>
      Effect.exit(Stream.runCollect(Pages.pages(api, "leagues.ladder", { league: ".." }))),
    );
    expect(JSON.stringify(exit)).toContain("InvalidRequest");
  });

  it("of an operation that has none, or that does not exist, are refused by its name", async () => {
    for (const name of ["leagues.lader", "profile.get", "constructor"]) {
      const exit = await call((api) =>
        Effect.exit(Stream.runCollect(Pages.pages(api, name as "leagues.ladder", { league: "L" }))),
      );
      expect(JSON.stringify(exit)).toContain("operation: has no pages");
    }
  });
});

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

describe("drift", () => {
  it("is reported with its place, and the value keeps what it has", async () => {
    const body = { uuid: "u", name: "n", birthday: "today" };
    await service.fault("profile", {
      kind: "status",
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const reports: Array<DriftReport> = [];
    const profile = await call((api) => api.profile.get(), {
      inspect: driftInspector({
        onDrift: (report) => {
          reports.push(report);
        },
      }),
    });
    expect(profile).toEqual(body);
    expect(reports).toMatchObject([{ operation: "profile.get" }]);
    expect(JSON.stringify(reports)).toContain("birthday");
    expect(JSON.stringify(reports)).not.toContain("today");
  });
});

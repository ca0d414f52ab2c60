import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import { Effect, Stream } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { driftInspector, type DriftReport } from "../src/drift.ts";
import type { GameApiError, GameApiOptions } from "../src/index.ts";
import * as Pages from "../src/pages.ts";
import { clientLayer, post, type Sandbox, tokenFor } from "./sandbox.ts";

let sandbox: Sandbox;
let token: string;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1 });
  token = await tokenFor(sandbox, scopes);
});
afterAll(() => sandbox.close());

const call = <A>(
  use: (api: GameApi["Service"]) => Effect.Effect<A, GameApiError>,
  options: Partial<GameApiOptions> = {},
): Promise<A> =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(GameApi, use),
      clientLayer(sandbox, { credentials: token, retry: { base: "5 millis" }, ...options }),
    ),
  );

const someLeague = async () => (await call((api) => api.leagues.list()))[0]?.id ?? "";

describe("ladders as streams", () => {
  it("give the entries of all pages in order, once each", async () => {
    const league = await someLeague();
    const entries = await call((api) =>
      Pages.entries(Pages.pages(api, "leagues.ladder", { league, limit: 200 })).pipe(
        Stream.take(650),
        Stream.runCollect,
      ),
    );
    expect(entries.map(({ rank }) => rank)).toEqual(
      Array.from({ length: entries.length }, (_, index) => index + 1),
    );
  });

  it("begin at an offset, and end where a ladder ends [ER-10]", async () => {
    let longest = { id: "", total: 0 };
    for (const { id } of await call((api) => api.leagues.list())) {
      const ladder = await call((api) => api.leagues.ladder({ league: id, limit: 1 }));
      if ((ladder?.total ?? 0) > longest.total) longest = { id, total: ladder?.total ?? 0 };
    }
    const offset = Math.min(longest.total, 15_000) - 700;
    const entries = await call((api) =>
      Stream.runCollect(
        Pages.entries(Pages.pages(api, "leagues.ladder", { league: longest.id, offset })),
      ),
    );
    expect(entries).toHaveLength(700);
    expect(entries.at(-1)?.rank).toBe(offset + 700);
  });

  it("are there for events and matches too", async () => {
    const [event] = await call((api) => api.leagues.list({ type: "event" }));
    const events = await call((api) =>
      Pages.entries(Pages.pages(api, "leagues.eventLadder", { league: event?.id ?? "" })).pipe(
        Stream.take(5),
        Stream.runCollect,
      ),
    );
    expect(events.length).toBeLessThanOrEqual(5);
    const [match] = await call((api) => api.pvpMatches.list({ type: "upcoming" }));
    const teams = await call((api) =>
      Pages.entries(Pages.pages(api, "pvpMatches.ladder", { match: match?.id ?? "" })).pipe(
        Stream.take(3),
        Stream.runCollect,
      ),
    );
    expect(teams.length).toBeLessThanOrEqual(3);
  });

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
    const refusals = await call((api) =>
      Effect.all([
        Effect.result(api.limits("leagues.lader" as "leagues.list")),
        Effect.result(api.forecast("constructor" as "leagues.list", 1)),
      ]),
    );
    expect(refusals).toMatchObject([
      { failure: { _tag: "InvalidRequest", detail: expect.stringContaining("leagues.lader") } },
      { failure: { _tag: "InvalidRequest", detail: expect.stringContaining("constructor") } },
    ]);
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
      await post(`${sandbox.controlUrl}/faults`, {
        id: "broken-tab",
        match: { path: `/stash/${encodeURIComponent(league)}/${broken}` },
        fault: { kind: "status", status: 500 },
      });
      const partial = await call((api) => api.stashes.all({ league }, { retries: 0 }));
      expect(partial.failures).toMatchObject([
        { stash_id: broken, error: { _tag: "ServerError" } },
      ]);
      expect(partial.tabs).toHaveLength(tabs.length - 1);
      await fetch(`${sandbox.controlUrl}/faults/broken-tab`, { method: "DELETE" });
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
    await post(`${sandbox.controlUrl}/faults`, {
      match: { endpoint: "profile" },
      when: { count: 1 },
      fault: {
        kind: "status",
        status: 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      },
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

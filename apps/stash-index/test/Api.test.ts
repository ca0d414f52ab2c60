/**
 * The API over HTTP, over a sandbox: what `npm run stash-index` serves.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Status } from "@game-data/stream-follower";
import { Effect } from "effect";
import { type RunningIndex, startIndex } from "./support/running.ts";

const league = "Standard";
let index: RunningIndex;

/** A member of each row. */
const each = (rows: ReadonlyArray<any>, member: string) => rows.map((row) => row[member]);

beforeAll(async () => {
  index = await startIndex();
});

afterAll(async () => {
  await index?.close();
});

it("serves the page at its root, and nothing at paths that are none", async () => {
  const page = await fetch(`${index.origin}/`);
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8",
  ]);
  const [, script] = /src="\.(\/assets\/[^"]+)"/u.exec(await page.text())!;
  expect((await fetch(`${index.origin}${script}`)).status).toBe(200);
  expect((await fetch(`${index.origin}/nowhere`)).status).toBe(404);
});

describe("search", () => {
  it("finds by words while they are typed, by mods with a range, by sockets and links", async () => {
    const { items } = await index.get("search", { league, q: "ba", sort: "age" });
    expect(items.length).toBeGreaterThan(0);
    for (const { base, name } of items) expect(`${base} ${name}`.toLowerCase()).toMatch(/\bba/u);
    const asked = { mod: "+# to maximum Vigour:30:", socketsMin: "1", linksMin: "1" };
    const found = await index.get("search", { league, ...asked });
    expect(found.items.length).toBeGreaterThan(0);
    for (const { links, mods, sockets } of found.items) {
      const [, roll] = /^\+(\d+) to maximum Vigour$/mu.exec(mods.join("\n")) ?? [];
      for (const [figure, least] of [
        [roll, 30],
        [sockets, 1],
        [links, 1],
      ])
        expect(Number(figure)).toBeGreaterThanOrEqual(least);
    }
  });

  it.each([
    ["priceMin", { priceMin: "cheap" }],
    ["ilvlMin", { ilvlMin: "-1" }],
    ["limit", { limit: "101" }],
    ["sort", { sort: "luck" }],
    ["sort", { sort: "relevance" }],
    ["cursor", { cursor: "bm90IG9uZQ" }],
    ["league", { league: "Nowhere" }],
    ["currency", { currency: "pebbles" }],
    ["mod", { mod: "+# to maximum Vigour:9:3" }],
    ["priceMin", { priceMin: "5", priceMax: "1" }],
    ["ilvlMin", { ilvlMin: "80", ilvlMax: "60" }],
    ["q", { q: "!!" }],
    ["leage", { leage: "Standard" }],
  ])("refuses a bad %s and names it: %j", async (parameter, query) => {
    const refused = await index.get("search", query);
    expect(refused).toMatchObject({ httpStatus: 400, status: 400, parameter });
    expect(refused.detail.length).toBeGreaterThan(5);
  });
});

it("refuses the cursor of another search, and takes its own in any order of parameters", async () => {
  const { cursor } = await index.get("search", { league, ilvlMin: "2", limit: "1" });
  expect(await index.get("search", { cursor, ilvlMin: "2", league: "Standard" })).toMatchObject({
    httpStatus: 200,
  });
  for (const other of [{ ilvlMin: "3" }, { ilvlMin: "2", q: "band" }, {}])
    expect(await index.get("search", { league, cursor, ...other })).toMatchObject({
      httpStatus: 400,
      parameter: "cursor",
      detail: "belongs to a search with other filters",
    });
});

describe("price check", () => {
  it("has percentiles of all similar listings, the cheapest and outcome", async () => {
    const query = { league, rarity: "rare", q: "band" };
    const check = await index.get("price-check", query);
    const { items } = await index.get("search", { ...query, limit: "100" });
    expect(check).toMatchObject({ listings: items.length, isSample: false });
    const values = each(items, "value");
    const { p5, p50, p95 } = check.percentiles;
    expect(p5).toBeGreaterThanOrEqual(values[0]);
    expect(p95).toBeLessThanOrEqual(values.at(-1));
    const middle = (values.length - 1) / 2;
    expect(p50).toBeCloseTo((values[Math.floor(middle)] + values[Math.ceil(middle)]) / 2, 6);
    expect(each(check.cheapest, "no")).toEqual(each(items.slice(0, 10), "no"));
    expect(check.outcome.stayed).toBeGreaterThan(0);
  });
});

describe("an item as a search", () => {
  const TEXT = [
    "Item Class: Rings\r\nRarity: Rare\r\nQuiet Anchor\r\nSlate Band",
    "Requirements:\r\nLevel: 40",
    "Sockets: R-G B ",
    "Item Level: 72",
    "+12% to all Resistances (implicit)",
    "+64 to maximum Vigour\r\nAdds 4 to 10 Ember Damage",
    "Corrupted",
  ].join("\r\n--------\r\n");

  it("takes base, links and mods from pasted text", async () => {
    expect(await index.post("filters", { item: TEXT })).toMatchObject({
      base: "Slate Band",
      name: "",
      rarity: "rare",
      ilvl: 72,
      sockets: 3,
      links: 2,
      isCorrupted: true,
      mods: [
        { template: "+#% to all Resistances", value: 12, isKnown: true },
        { template: "+# to maximum Vigour", value: 64, min: 57.6, isKnown: true },
        { template: "Adds # to # Ember Damage", value: 7, isKnown: true },
      ],
    });
  });

  it("says what is wrong with another text, and with a member of the body", async () => {
    for (const item of ['{"id": 5}', "{", "a sword", 5])
      expect(await index.post("filters", { item })).toMatchObject({
        ...{ httpStatus: 400, status: 400, parameter: "item" },
      });
  });
});

describe("the exchange", () => {
  it("has markets by movement, and the hours of one", async () => {
    const { markets } = await index.get("exchange/markets", { league });
    const changes = each(markets, "change").map(Math.abs);
    expect(changes).toEqual(changes.toSorted((a, b) => b - a));
    const [{ first, second }] = markets;
    const hoursOf = async (pair: Record<string, string>) =>
      (await index.get("exchange/history", { league, ...pair })).hours;
    const hours = await hoursOf({ first, second });
    const turned = await hoursOf({ first: second, second: first });
    expect(hours.length).toBeGreaterThan(0);
    expect(turned).toHaveLength(hours.length);
    expect(turned[0].typical * hours[0].typical).toBeCloseTo(1, 9);
  });
});

describe("sellers", () => {
  it("lists a seller's tabs, and the items of a tab", async () => {
    const { items } = await index.get("search", { league, limit: "1" });
    const { seller, tab } = items[0];
    const { tabs } = await index.get(`sellers/${encodeURIComponent(seller)}`);
    expect(each(tabs, "id")).toContain(tab);
    expect(each((await index.get(`tabs/${tab}`)).items, "no")).toContain(items[0].no);
    expect(await index.get("sellers/Nobody%230")).toMatchObject({ httpStatus: 404 });
  });
});

describe("health", () => {
  const ask = async (origin: string, path: string) => {
    const response = await fetch(`${origin}${path}`);
    return { status: response.status, body: await response.json() };
  };

  it("tells those who run it of every part, and strangers the verdict alone", async () => {
    await expect.poll(async () => (await ask(index.opsUrl, "/health/ready")).status).toBe(200);
    const { body } = await ask(index.opsUrl, "/health");
    const names = body.streams.map(({ parts, stream }: any) => [
      stream,
      parts.map(({ name }: any) => name),
    ]);
    expect(names).toEqual(
      [
        ["stashes/pc", "indexer items"],
        ["exchange/pc", "indexer markets"],
      ].map(([stream, indexer]) => [
        stream,
        expect.arrayContaining(["commit", indexer, "lease", "source"]),
      ]),
    );
    expect(await ask(index.origin, "/health")).toEqual({ status: 200, body: { ok: true } });
    expect(await (await fetch(`${index.opsUrl}/metrics`)).text()).toContain(
      "game_data_follower_live",
    );
  });

  it("is derived: a part that does not answer turns it red, and green again", async () => {
    const streams = await Effect.runPromise(Status.Streams);
    const startedAt = Date.now() - 100_000;
    streams.set("stashes/console_a", {
      facts: { startedAt, headSeq: 0n },
      parts: new Map([["store", { busySince: startedAt, failures: 0 }]]),
    });
    try {
      for (const path of ["/health", "/health/live", "/health/ready"])
        expect(await ask(index.origin, path)).toEqual({ status: 503, body: { ok: false } });
      expect((await ask(index.opsUrl, "/health")).body.reason).toContain("store stuck");
    } finally {
      streams.delete("stashes/console_a");
    }
    expect(await ask(index.origin, "/health/ready")).toEqual({ status: 200, body: { ok: true } });
  });
});

describe("the server", () => {
  it("describes itself in OpenAPI, with every parameter", async () => {
    const document = await (await fetch(`${index.origin}/openapi.json`)).json();
    const names = each(document.paths["/api/search"].get.parameters, "name");
    expect(Object.keys(document.paths["/api/search"].get.responses)).toContain("400");
    for (const name of ["q", "mod", "priceMin", "cursor", "sort"]) expect(names).toContain(name);
  });
});

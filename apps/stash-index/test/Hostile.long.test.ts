/**
 * The worst that strangers write and request: each input costs little, and the follower keeps its
 * lease and its pages.
 */
import { cpuOf } from "@game-data/test-support";
import { Item, ListedStash } from "@game-data/schemas/effect";
import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Filters, SearchRequest } from "../src/search/Filters.ts";
import { lastHour, type RunningIndex, startIndex } from "./support/running.ts";
import { hourPage, item, market, openTestIndex, stash, stashPage } from "./support/testIndex.ts";

/** Milliseconds of CPU, of all threads. */
const MAX_MILLIS = 200;

/** Texts that make a backtracking expression slow, and texts that make anything slow. */
const WORST = [
  `~price 1${" ".repeat(99_000)}x`,
  "1".repeat(100_000),
  "<a>{".repeat(25_000),
  "[a|".repeat(33_000),
  "\n".repeat(100_000),
  `Rarity: Rare\nA\nB\n--------\n1${" ".repeat(99_000)}x`,
  "\ud800".repeat(100_000),
  Array.from({ length: 20_000 }, (_, n) => `w${n}`).join(" "),
];
const NO_TEXTS = [{ toString: 1, valueOf: 1 }, [[[[1]]]], null, true, 1e308];

const expectCheap = async (run: () => Promise<unknown>) => {
  const { millis } = await cpuOf(MAX_MILLIS, run);
  expect(millis).toBeLessThan(MAX_MILLIS);
};

it.each([
  ...Object.keys(Item.fields).map((member) => ["item", member] as const),
  ...Object.keys(ListedStash.fields).map((member) => ["change", member] as const),
])("indexes a page within 200 ms of CPU, whatever an %s has as its %s", async (record, member) => {
  const index = await openTestIndex();
  let seq = 0;
  for (const value of [...WORST, ...NO_TEXTS, WORST]) {
    const bad = { [member]: value };
    const row = record === "item" ? stash([item(1, bad), item(2)]) : stash([item(2)], bad);
    await expectCheap(() => index.apply([stashPage(++seq, [row])]));
  }
  await index.close();
});

describe("a large index beside a follower", () => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  const path = join(folder, "pages.db");
  let index: RunningIndex;
  beforeAll(async () => {
    const large = await openTestIndex(path);
    // Every listing has a name, a mod and a currency of its own.
    const rare = (no: number) =>
      item(no, {
        name: `Word${no} of Many`,
        frameType: 3,
        explicitMods: [`+${no % 90} to word${no % 5000}`],
        note: `~price ${1 + (no % 50)} ${no % 2 === 0 ? `coin-${no % 150}` : `word-${no}`}`,
      });
    const codes = Array.from({ length: 150 }, (_, n) => `coin-${n}`);
    const pairs = codes.flatMap((a, at) => codes.slice(at + 1).map((b) => `${a}|${b}`));
    const markets = pairs.map((pair) => market("Standard", pair, 2));
    await large.apply([hourPage(lastHour(), markets)]);
    for (let seq = 1; seq <= 40; seq += 1) {
      const items = Array.from({ length: 1000 }, (_, at) => rare(seq * 1000 + at));
      const id = seq.toString(16).padStart(64, "0");
      await large.apply([stashPage(seq, [stash(items, { id })])]);
    }
    await large.close();
    // Another realm, so that its pages are beside the large ones in the tables.
    index = await startIndex({ path, realm: "console_a", queryTimeout: "500 millis" });
    await index.untilIndexed();
  }, 240_000);
  afterAll(async () => {
    await index?.close();
    rmSync(folder, { recursive: true });
  });

  /** Requests that match much, and the worst texts as each parameter of the API. */
  const hostileRequests = () => {
    // As long as the API permits, so that they reach the queries.
    const texts = [...WORST.map((text) => text.slice(0, 400)), "of", "word", "-1", "NaN", "1e308"];
    const withTexts = (route: string, names: ReadonlyArray<string>, query = {}) =>
      names.flatMap((name) =>
        texts.map((text) => {
          const parameters = { ...query, [name]: text.toWellFormed() };
          return `${route}?${new URLSearchParams(parameters)}`;
        }),
      );
    const mods = Array.from({ length: 12 }, (_, n) => `mod=%2B%23 to word${n}:1:`).join("&");
    const pair = { league: "Standard", first: "gilt-orb", second: "tide-shard" };
    return [
      ...["search?q=many of w&sort=-price", `search?${mods}`, "search?ilvlMin=999"],
      ...["price-check?", "price-check?q=of", "suggest?q=w&what=mods", "search?modText=word1"],
      ...withTexts("search", Object.keys(SearchRequest.fields)),
      ...withTexts("price-check", Object.keys(Filters.fields)),
      ...withTexts("suggest", ["q", "what"], { q: "a" }),
      ...withTexts("exchange/currencies", ["league"]),
      ...withTexts("exchange/markets", ["league"]),
      ...withTexts("exchange/history", Object.keys(pair), pair),
    ];
  };

  it("the stash index answers each hostile request within 200 ms of CPU, and keeps its lease", async () => {
    using db = new DatabaseSync(path, { readOnly: true });
    // A follower that loses its lease claims the stream with a greater epoch.
    const epoch = () =>
      db.prepare("SELECT epoch FROM stream WHERE realm = 'console_a' AND source = 'stashes'").get();
    const first = epoch();
    const requests = hostileRequests();
    expect(requests.length).toBeGreaterThan(400);
    for (const request of requests)
      await expectCheap(async () => {
        const response = await fetch(`${index.origin}/api/${request}`);
        await response.text();
        expect([200, 400, 503]).toContain(response.status);
      });
    for (const text of WORST) {
      const named = JSON.stringify(item(1, { baseType: text.slice(0, 5000) }));
      for (const pasted of [text.slice(0, 59_000), named])
        await expectCheap(async () => {
          const { httpStatus } = await index.post("filters", { item: pasted });
          expect([200, 400, 413]).toContain(httpStatus);
        });
    }
    const { seq } = await index.get("status");
    await index.advance("2 minutes");
    const poll = { timeout: 60_000 };
    await expect.poll(async () => (await index.get("status")).seq, poll).toBeGreaterThan(seq);
    expect(epoch()).toEqual(first);
  }, 300_000);

  it("the API answers 150 heavy queries or refuses them with 503, and /health does not wait", async () => {
    // The longest time for which a request of health waits for this thread, in CPU: wall time is
    // that of the machine.
    const cpu = () => process.threadCpuUsage().user / 1000;
    let [last, longest] = [cpu(), 0];
    const timer = setInterval(() => {
      const now = cpu();
      [longest, last] = [Math.max(longest, now - last), now];
    }, 5);
    const heavy = Array.from({ length: 150 }, async (_, at) => {
      const response = await fetch(`${index.origin}/api/price-check?q=of&ilvlMin=${at % 10}`);
      expect([200, 503]).toContain(response.status);
      if (response.status === 503)
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    });
    const probes = Array.from({ length: 20 }, () => fetch(`${index.origin}/health`));
    for (const { status } of await Promise.all(probes)) expect(status).toBe(200);
    await Promise.all(heavy);
    clearInterval(timer);
    expect(longest).toBeLessThan(300);
  });
});

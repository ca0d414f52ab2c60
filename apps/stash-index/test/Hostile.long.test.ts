/**
 * The worst that strangers write and request: each input costs little, and the follower keeps its
 * lease and its pages.
 */
import { cpuOf } from "@game-data/test-support";
import { Item, ListedStash } from "@game-data/schemas/effect";
import { PageLog } from "@game-data/stream-follower";
import { Effect } from "effect";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../src/web/server.ts";
import { type RunningIndex, start, startIndex } from "./support/running.ts";
import {
  hourPage,
  item,
  market,
  memoryLog,
  openTestIndex,
  stash,
  stashPage,
  type TestIndex,
} from "./support/testIndex.ts";

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

describe("a page of the stream", () => {
  let index: TestIndex;
  beforeAll(async () => {
    index = await openTestIndex();
  });
  afterAll(() => index.close());
  let seq = 0;

  const members = [
    ...Object.keys(Item.fields).map((name) => ["item", name] as const),
    ...Object.keys(ListedStash.fields).map((name) => ["change", name] as const),
  ];
  it.each(members)(
    "indexes a page within 200 ms of CPU, whatever the %s has as its %s",
    async (record, member) => {
      for (const value of [...WORST, ...NO_TEXTS, WORST]) {
        const bad = { [member]: value };
        const row = record === "item" ? stash([item(1, bad), item(2)]) : stash([item(2)], bad);
        await expectCheap(() => {
          seq += 1;
          return index.apply([stashPage(seq, [row])]);
        });
      }
    },
  );
});

describe("a large index", () => {
  let index: TestIndex;
  let origin: string;
  let end: () => Promise<unknown>;

  beforeAll(async () => {
    index = await openTestIndex();
    // Every listing has a name, a mod and a currency of its own.
    const rare = (no: number) =>
      item(no, {
        name: `Word${no} of Many`,
        frameType: 3,
        explicitMods: [`+${no % 90} to word${no % 5000}`],
        note: `~price ${1 + (no % 50)} ${no % 2 === 0 ? `coin-${no % 150}` : `word-${no}`}`,
      });
    const page = (seq: number) => {
      const items = Array.from({ length: 1000 }, (_, at) => rare(seq * 1000 + at));
      return stashPage(seq, [stash(items, { id: seq.toString(16).padStart(64, "0") })]);
    };
    const codes = Array.from({ length: 150 }, (_, n) => `coin-${n}`);
    const pairs = codes.flatMap((a, at) => codes.slice(at + 1).map((b) => `${a}|${b}`));
    const markets = pairs.map((pair) => market("Standard", pair, 2));
    await index.apply([hourPage(3600, markets)]);
    for (let seq = 1; seq <= 40; seq += 1) await index.apply([page(seq)]);
    [origin, end] = await start(
      serve({
        ...{ file: index.file, realm: "pc", host: "127.0.0.1", port: 0, ratePerSecond: 10_000 },
      }).pipe(Effect.provideService(PageLog.PageLog, memoryLog())),
    );
  }, 120_000);
  afterAll(async () => {
    await end();
    await index.close();
  });

  it.each([
    ["search?q=of"],
    ["search?q=word"],
    ["search?q=many of w&sort=-price"],
    [`search?${Array.from({ length: 12 }, (_, n) => `mod=%2B%23 to word${n}:1:`).join("&")}`],
    ["search?ilvlMin=999"],
    ["search?modText=word"],
    ["search?modText=word1"],
    ["search?name=nothing"],
    ["price-check?"],
    ["price-check?q=of"],
    ["suggest?q=w"],
    ["suggest?q=w&what=mods"],
    ["exchange/currencies?league=Standard"],
    ["exchange/markets?league=Standard"],
  ])("responds to %s within 200 ms of CPU", (path) =>
    expectCheap(async () => {
      const response = await fetch(`${origin}/api/${path}`);
      expect([200, 503]).toContain(response.status);
      await response.text();
    }),
  );

  it("answers 150 heavy queries or refuses them with 503, and /health does not wait", async () => {
    // The longest time for which a request of health waits for this thread, in CPU: wall time is
    // that of the machine.
    const cpu = () => process.threadCpuUsage().user / 1000;
    let [last, longest] = [cpu(), 0];
    const timer = setInterval(() => {
      const now = cpu();
      [longest, last] = [Math.max(longest, now - last), now];
    }, 5);
    const heavy = Array.from({ length: 150 }, async (_, at) => {
      const response = await fetch(`${origin}/api/price-check?q=of&ilvlMin=${at % 10}`);
      return { status: response.status, after: response.headers.get("retry-after") };
    });
    const probes = Array.from({ length: 20 }, async () => (await fetch(`${origin}/health`)).status);
    expect(new Set(await Promise.all(probes))).toEqual(new Set([200]));
    for (const { after, status } of await Promise.all(heavy)) {
      expect([200, 503]).toContain(status);
      if (status === 503) expect(Number(after)).toBeGreaterThan(0);
    }
    clearInterval(timer);
    expect(longest).toBeLessThan(300);
  });
});

describe("beside a follower", () => {
  let index: RunningIndex;
  beforeAll(async () => {
    index = await startIndex({ queryTimeout: "500 millis" });
  }, 120_000);
  afterAll(() => index.close());

  /** Watches the lease, and returns its epochs and how often it was over. */
  const watchLease = () => {
    const db = new DatabaseSync(index.path, { readOnly: true });
    const find = db.prepare(
      "SELECT epoch, expires_at AS until FROM stream WHERE source = 'stashes'",
    );
    const seen = { epochs: new Set<unknown>(), lost: 0 };
    const timer = setInterval(() => {
      const lease = find.get();
      seen.epochs.add(lease?.["epoch"]);
      if (Number(lease?.["until"]) < Date.now()) seen.lost += 1;
    }, 20);
    return () => {
      clearInterval(timer);
      db.close();
      expect([seen.epochs.size, seen.lost]).toEqual([1, 0]);
    };
  };
  const expectMorePages = async () => {
    const { seq } = await index.get("status");
    await index.advance("2 minutes");
    await expect
      .poll(async () => (await index.get("status")).seq, { timeout: 30_000 })
      .toBeGreaterThan(seq);
  };

  it("answers the worst input of every parameter at little cost, and keeps the lease", async () => {
    const stop = watchLease();
    const document = await (await fetch(`${index.origin}/openapi.json`)).json();
    const good: Readonly<Record<string, string>> = {
      ...{ league: "Standard", q: "a", first: "gilt-orb", second: "tide-shard" },
    };
    let tried = 0;
    for (const [path, { get }] of Object.entries<any>(document.paths)) {
      if (get === undefined) continue;
      const isStream = "text/event-stream" in get.responses[200].content;
      for (const { name: worst } of get.parameters.filter((each: any) => each.in === "query"))
        for (const text of [...WORST.map((each) => each.slice(0, 5000)), "-1", "NaN", "1e308"]) {
          const query = new URLSearchParams();
          for (const { name, required } of get.parameters)
            if (required === true && good[name] !== undefined) query.set(name, good[name]);
          query.set(worst, text.toWellFormed());
          await expectCheap(async () => {
            const method = isStream ? "HEAD" : "GET";
            const response = await fetch(`${index.origin}${path}?${query}`, { method });
            await response.text();
            expect([200, 400, 431, 503]).toContain(response.status);
          });
          tried += 1;
        }
    }
    expect(tried).toBeGreaterThan(400);
    for (const text of WORST)
      await expectCheap(() => index.post("filters", { item: text.slice(0, 59_000) }));
    await expectMorePages();
    stop();
  }, 240_000);
});

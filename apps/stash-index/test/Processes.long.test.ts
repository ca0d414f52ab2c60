/**
 * Processes of the program: killed at any moment and rebuilt, and several of them over one log.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { Changes } from "@game-data/stream-follower";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { describeWithService } from "@game-data/test-support";
import { Effect, Stream } from "effect";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { itemKey } from "../src/indexer/itemFacts.ts";
import { openIndexers, runIndexers } from "../src/indexer/runIndexers.ts";
import { type GeneratedChange, modelOf, modsByTemplate } from "./support/changes.ts";
import { type Node, startNode, untilIndexed } from "./support/processes.ts";

const PAGES = 30;
/** Each start costs seconds; CI runs them all. */
const KILLS = process.env["REQUIRE_SERVICES"] === "1" ? 8 : 2;
const WORLD = {
  streamStashes: 300,
  streamPageSize: 25,
  streamItems: 24,
  streamHistoryPages: PAGES,
  streamChangesPerMinute: 0,
  exchangeHistoryHours: 48,
};

let folder: string;
let sandbox: RunningSandbox;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stash-index-test-"));
  sandbox = await startSandbox({ seed: 3, world: WORLD, rates: "off" });
});

afterAll(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything that an index says of its listings, without the numbers that a file gives. */
const contentOf = (path: string) => {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map(({ mods, ...row }) =>
        JSON.stringify({ ...row, mods: mods && modsByTemplate(db, String(mods)) }),
      )
      .toSorted();
  const content = {
    items: rows(
      `SELECT hex(tab.key) AS tab, item.key, league.name AS league, term.base, term.name, item.rarity, item.ilvl,
         item.amount, currency.code, item.first_seen, item.mods
       FROM item JOIN tab ON tab.no = item.tab JOIN league ON league.no = item.league
       JOIN term ON term.no = item.term LEFT JOIN currency ON currency.no = item.currency`,
    ),
    gone: rows(
      "SELECT hex(tab.key) AS tab, gone.amount, gone.first_seen, gone.gone_at, gone.reason FROM gone JOIN tab ON tab.no = gone.tab",
    ),
    tabs: rows("SELECT hex(key) AS tab, seq, public, items, name FROM tab"),
    leagues: rows("SELECT name, listed FROM league WHERE listed <> 0"),
    markets: rows("SELECT * FROM market_hour"),
  };
  db.close();
  return content;
};

describe("a process that is killed", () => {
  it("goes on where it stood: the index equals a rebuild, and an oracle computed from the log", async () => {
    const store = join(folder, "killed.db");
    const index = `${store}.items`;
    const args = ["--store", `sqlite:${store}`, "--roles", "follower,indexer"];
    for (let kill = 0; kill < KILLS; kill++) {
      const node = startNode(sandbox, args);
      await node.ready;
      await sleep(20 + kill * 90);
      await node.end("SIGKILL");
    }
    const last = startNode(sandbox, args);
    const seqOf = (source: string) => {
      const db = new DatabaseSync(index, { readOnly: true });
      const row = db.prepare("SELECT seq FROM indexer WHERE source = ?").get(source);
      db.close();
      return Number(row?.["seq"] ?? 0);
    };
    const lastHour = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
    await last.ready;
    await expect.poll(() => seqOf("stashes"), { timeout: 60_000 }).toBeGreaterThanOrEqual(PAGES);
    await expect
      .poll(() => seqOf("exchange"), { timeout: 60_000 })
      .toBeGreaterThanOrEqual(lastHour);
    await last.end("SIGTERM");

    const rebuilt = join(folder, "rebuilt.items");
    const pages = await Effect.runPromise(
      Effect.gen(function* () {
        const indexers = yield* openIndexers(rebuilt);
        yield* runIndexers(indexers, "pc", { until: "caughtUp" });
        const key = { source: "stashes", realm: "pc" } as const;
        const batches = yield* Stream.runCollect(Changes.subscribe({ key, until: "caughtUp" }));
        return batches.map(({ changes }) => changes.map(({ value }) => value as GeneratedChange));
      }).pipe(Effect.provide(StoreUrl.logLayer({ kind: "sqlite", path: store })), Effect.scoped),
    );
    expect(contentOf(index)).toEqual(contentOf(rebuilt));

    const { items } = contentOf(index);
    expect(pages.flat()).toHaveLength(PAGES * WORLD.streamPageSize);
    const listed = items.map((text) => {
      const { amount, base, key, league } = JSON.parse(text);
      return [league, key, base, amount].join();
    });
    const expected = modelOf(pages.flat()).map(({ facts: { base, price }, id, league }) =>
      [league, itemKey({ id }, 0), base, price?.amount].join(),
    );
    expect(listed.toSorted()).toEqual(expected.toSorted());
  }, 180_000);
});

/** The same queries for every mode. */
const QUERIES = ["Standard", "Hardcore", "Lanternway", "Hardcore%20Lanternway"].flatMap(
  (league) => [
    ...["exchange/markets", "exchange/currencies"].map((path) => `${path}?league=${league}`),
    ...[
      ...["", "q=ba", "q=rod", "rarity=rare", "rarity=magic&ilvlMin=40", "socketsMin=2"],
      ...["linksMin=2", "mod=%2B%23%20to%20maximum%20Vigour:30:", "priceMin=1&priceMax=500"],
      ...["modText=resistance", "base=Slate%20Band", "corrupted=no&q=helm"],
    ].flatMap((filters) =>
      ["search?sort=price", "search?sort=-price", "search?sort=age&limit=20", "price-check?"].map(
        (kind) => `${kind}&league=${league}&${filters}`,
      ),
    ),
  ],
);

type Answer = readonly [query: string, status: number, body: string];

const answersOf = async (url: string): Promise<ReadonlyArray<Answer>> => {
  const answers: Array<Answer> = [];
  for (const query of QUERIES) {
    const response = await fetch(`${url}api/${query}`);
    answers.push([query, response.status, await response.text()]);
  }
  return answers;
};

/**
 * Without what depends on when a page arrived: two logs got their pages at different times. Nodes
 * over one log agree on the times too.
 */
const timeless = (answers: ReadonlyArray<Answer>): ReadonlyArray<Answer> =>
  answers.map(([query, status, body]) => [
    query,
    status,
    body
      .replaceAll(/"(?:firstSeen|seenAt|soldAfterMillis)":(?:\d+(?:\.\d+)?|null)/gu, "")
      .replaceAll(/"cursor":"[^"]*"/gu, ""),
  ]);

interface Log {
  readonly args: ReadonlyArray<string>;
  readonly close: () => Promise<unknown>;
}

/** The run of several processes over a log, against one process over a file. */
const sameAnswers = (name: string, open: () => Promise<Log>) =>
  it("answers the same 200 queries as one process over a file, with two indexers of which one is killed", async () => {
    const opened = await open();
    const nodes: Array<Node> = [];
    const start = (...args: ReadonlyArray<string>) => {
      const node = startNode(sandbox, args);
      nodes.push(node);
      return node;
    };
    try {
      const embedded = start("--store", `sqlite:${join(folder, `${name}-embedded.db`)}`);
      const { args: log } = opened;
      start(...log, "--roles", "follower");
      const [a, b] = ["a", "b"].map((each) => join(folder, `${name}-${each}.items`));
      const first = start(...log, "--roles", "indexer,web", "--index", a!);
      const doomed = start(...log, "--roles", "indexer", "--index", b!);
      await doomed.ready;
      await sleep(300);
      await doomed.end("SIGKILL");
      const second = start(...log, "--roles", "indexer,web", "--index", b!);
      expect(QUERIES.length).toBeGreaterThanOrEqual(200);
      const answers: Array<ReadonlyArray<Answer>> = [];
      for (const { ready } of [embedded, first, second]) {
        const url = (await ready).url!;
        await untilIndexed(url, PAGES);
        answers.push(await answersOf(url));
      }
      const [expected = [], ofFirst = [], ofSecond] = answers;
      expect(expected.filter(([, status]) => status !== 200)).toEqual([]);
      expect(timeless(ofFirst)).toEqual(timeless(expected));
      expect(ofSecond).toEqual(ofFirst);
    } finally {
      for (const { child, end } of nodes)
        if ((child.exitCode ?? child.signalCode) === null) await end("SIGKILL");
      await opened.close();
    }
  }, 180_000);

/** A database of its own on the server. */
const makeDatabase = async (url: string): Promise<Log> => {
  const name = `stash_index_${process.pid}_${Date.now()}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { args: ["--store", own.href], close: async () => undefined };
};

describeWithService("postgres", "several processes over PostgreSQL", (database) => {
  sameAnswers("postgres", () => makeDatabase(database));
});

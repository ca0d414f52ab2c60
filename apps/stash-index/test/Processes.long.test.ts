/** Processes of the program: killed at any moment, and several of them over one log. */
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { describeWithService } from "@game-data/test-support";
import { Effect } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { indexFile, openIndex, runIndexer } from "../src/index/searchIndex.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const PAGES = 30;
const WORLD = {
  ...{ streamStashes: 300, streamPageSize: 25, streamItems: 24, streamHistoryPages: PAGES },
  ...{ streamChangesPerMinute: 0, exchangeHistoryHours: 48 },
};

let folder: string;
let sandbox: RunningSandbox;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  sandbox = await startSandbox({ seed: 3, world: WORLD, rates: "off" });
});
afterAll(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

const children: Array<ChildProcess> = [];

/** Starts a process, and waits for its ready line. */
const startNode = async (...args: ReadonlyArray<string>) => {
  const { clientId, clientSecret = "" } = sandbox.clients.find(
    (each) => each.clientId === "example-service",
  )!;
  const service = ["--base-url", sandbox.baseUrl, "--auth-url", sandbox.authUrl];
  const child = spawn(
    process.execPath,
    [MAIN, "--json", ...service, "--client-id", clientId, "--rate", "100000", ...args],
    {
      env: { ...process.env, GAME_DATA_CLIENT_SECRET: clientSecret },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  children.push(child);
  const [line] = await once(createInterface(child.stdout), "line");
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await once(child, "exit");
  };
  return { url: (JSON.parse(line) as { readonly url?: string }).url!, end };
};
afterAll(() => children.forEach((child) => child.kill("SIGKILL")));

/** Everything that an index has, without numbers that depend on the order of writes. */
const contentOf = (file: string) => {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = (query: string) =>
    db
      .prepare(query)
      .all()
      .map((row) => JSON.stringify(row))
      .toSorted();
  const content = {
    items: rows(
      `SELECT tab.id, key, version, league.name, amount, currency, item.seq, seen_at, ended, ended_at, doc
       FROM item JOIN tab ON tab.no = item.tab JOIN league ON league.no = item.league
       JOIN item_doc ON item_doc.no = item.no`,
    ),
    tabs: rows("SELECT id, seq, seller, name FROM tab"),
    leagues: rows("SELECT name, listed FROM league WHERE listed <> 0"),
    words: rows("SELECT count(*) FROM item_word"),
    markets: rows("SELECT * FROM market_hour"),
  };
  db.close();
  return content;
};

it("has the same rows after four kills as an index that is built from the same log at once", async () => {
  const store = join(folder, "killed.db");
  const args = ["--store", `sqlite:${store}`, "--roles", "follower,indexer"];
  for (let kill = 0; kill < 4; kill += 1) {
    const node = await startNode(...args);
    await sleep(20 + kill * 120);
    await node.end("SIGKILL");
  }
  const last = await startNode(...args);
  const seqOf = (source: string) => {
    const db = new DatabaseSync(indexFile(store), { readOnly: true });
    const query = "SELECT seq FROM indexer WHERE name = 'search' AND source = ?";
    const row = db.prepare(query).get(source);
    db.close();
    return Number(row?.["seq"] ?? 0);
  };
  const lastHour = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
  const poll = { timeout: 120_000 };
  await expect.poll(() => seqOf("stashes"), poll).toBeGreaterThanOrEqual(PAGES);
  await expect.poll(() => seqOf("exchange"), poll).toBeGreaterThanOrEqual(lastHour);
  await last.end("SIGTERM");
  const rebuilt = join(folder, "rebuilt");
  await Effect.gen(function* () {
    yield* runIndexer(yield* openIndex(rebuilt), "pc", "caughtUp");
  }).pipe(
    Effect.provide(StoreUrl.logLayer({ kind: "sqlite", path: store })),
    Effect.scoped,
    Effect.runPromise,
  );
  const content = contentOf(indexFile(store));
  expect(content).toEqual(contentOf(indexFile(rebuilt)));
  expect(content.items.length).toBeGreaterThan(500);
}, 240_000);

const QUERIES = [
  "",
  "q=ba",
  "modText=resistance",
  "rarity=rare&sort=-price",
  "sort=age",
  "priceMin=1&priceMax=500",
].map((filters) => `league=Standard&${filters}`);

const answersOf = async (url: string) => {
  const deadline = Date.now() + 120_000;
  const isReady = async () => {
    const { behind, seq } = await (await fetch(`${url}api/status`)).json();
    const { hour } = await (await fetch(`${url}api/exchange/currencies?league=Standard`)).json();
    const lastHour = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
    return behind === 0 && seq >= PAGES && hour >= lastHour;
  };
  while (Date.now() < deadline && !(await isReady())) await sleep(200);
  const answers = QUERIES.map(async (query) => {
    const response = await fetch(`${url}api/search?${query}`);
    // Two logs received their pages at different times.
    const body = (await response.text()).replaceAll(/"firstSeen":\d+/gu, "");
    return { query, status: response.status, body };
  });
  return Promise.all(answers);
};

describeWithService("postgres", "several processes over PostgreSQL", (address) => {
  it("returns the same results from each process over PostgreSQL as from one over SQLite", async () => {
    const name = `stash_index_${process.pid}`;
    const client = new Client({ connectionString: address });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const store = new URL(address);
    store.pathname = `/${name}`;
    const log = ["--store", store.href];
    await startNode(...log, "--roles", "follower");
    const nodes = await Promise.all([
      startNode("--store", `sqlite:${join(folder, "embedded.db")}`),
      ...["a", "b"].map((index) =>
        startNode(...log, "--roles", "indexer,web", "--index", join(folder, index)),
      ),
    ]);
    const [expected, ...answers] = await Promise.all(nodes.map(({ url }) => answersOf(url)));
    expect(new Set(expected!.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers).toEqual([expected, expected]);
  }, 300_000);
});

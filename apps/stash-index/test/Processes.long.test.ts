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
import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { indexFile, openIndex, runIndexer } from "../src/index/searchIndex.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const PAGES = 30;
const WORLD = {
  ...{ streamStashes: 300, streamPageSize: 25, streamItems: 24, streamHistoryPages: PAGES },
  ...{ streamChangesPerMinute: 0, exchangeHistoryHours: 48 },
};
const lastHour = () => Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
const poll = { timeout: 120_000 };

let folder: string;
let sandbox: RunningSandbox;
const children: Array<ChildProcess> = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  sandbox = await startSandbox({ seed: 3, world: WORLD, rates: "off" });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process, and waits for its ready line. */
const startNode = async (...args: ReadonlyArray<string>) => {
  const { clientId, clientSecret } = sandbox.clients.find(
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

/** Returns the rows of a query over an index, in an order that does not depend on the order of writes. */
const rowsIn = (store: string, query: string) => {
  using db = new DatabaseSync(indexFile(store), { readOnly: true });
  return Array.from(db.prepare(query).all(), (row) => JSON.stringify(row)).toSorted();
};

/** Everything that an index has, without the numbers of rows. */
const contentOf = (store: string) =>
  [
    `SELECT tab.id, key, version, league.name, amount, currency, item.seq, seen_at, ended, ended_at, doc
     FROM item JOIN tab ON tab.no = item.tab JOIN league ON league.no = item.league
     JOIN item_doc ON item_doc.no = item.no`,
    "SELECT id, seq, seller, name FROM tab",
    "SELECT name, listed FROM league WHERE listed <> 0",
    "SELECT count(*) FROM item_word",
    "SELECT * FROM market_hour",
  ].map((query) => rowsIn(store, query));

it("has the same rows after four kills as an index that is built from the same log at once", async () => {
  const store = join(folder, "killed.db");
  const args = ["--store", `sqlite:${store}`, "--roles", "follower,indexer"];
  for (let kill = 0; kill < 4; kill += 1) {
    const node = await startNode(...args);
    await sleep(20 + kill * 120);
    await node.end("SIGKILL");
  }
  const last = await startNode(...args);
  const seqs = () =>
    rowsIn(store, "SELECT seq FROM indexer WHERE name = 'search' AND source <> ''");
  // The last hour is another one if the clock passes an hour meanwhile.
  const ends = () => [PAGES, lastHour()].map((seq) => JSON.stringify({ seq })).toSorted();
  await expect.poll(() => isDeepStrictEqual(seqs(), ends()), poll).toBe(true);
  await last.end("SIGTERM");
  const rebuilt = join(folder, "rebuilt");
  await Effect.flatMap(openIndex(rebuilt), (index) => runIndexer(index, "pc", "caughtUp")).pipe(
    Effect.provide(StoreUrl.logLayer({ kind: "sqlite", path: store })),
    Effect.scoped,
    Effect.runPromise,
  );
  const content = contentOf(store);
  expect(content).toEqual(contentOf(rebuilt));
  expect(content[0]!.length).toBeGreaterThan(500);
}, 240_000);

describeWithService("postgres", "several processes over PostgreSQL", (address) => {
  it("returns the same results from each process over PostgreSQL as from one over SQLite", async () => {
    const name = `stash_index_${process.pid}`;
    const client = new Client({ connectionString: address });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const log = ["--store", new URL(name, address).href];
    await startNode(...log, "--roles", "follower");
    const nodes = await Promise.all([
      startNode("--store", `sqlite:${join(folder, "embedded.db")}`),
      ...["a", "b"].map((index) =>
        startNode(...log, "--roles", "indexer,web", "--index", join(folder, index)),
      ),
    ]);
    const results = nodes.map(async ({ url }) => {
      const get = async (path: string): Promise<any> => {
        const response = await fetch(`${url}api/${path}`);
        // A query is late if the machine is busy.
        return response.status === 503 ? get(path) : response.json();
      };
      const hour = async () => (await get("exchange/currencies?league=Standard")).hour;
      await expect.poll(async () => (await get("status")).seq, poll).toBeGreaterThanOrEqual(PAGES);
      await expect.poll(hour, poll).toBeGreaterThanOrEqual(lastHour());
      const { items } = await get("search?league=Standard&modText=resistance&limit=100");
      // Two logs received their pages at different times.
      return items.map((item: object) => ({ ...item, firstSeen: 0 }));
    });
    const [expected, ...others] = await Promise.all(results);
    expect(expected.length).toBeGreaterThan(10);
    expect(others).toEqual([expected, expected]);
  }, 300_000);
});

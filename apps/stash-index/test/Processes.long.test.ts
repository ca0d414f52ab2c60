/** Processes of the program: killed at any moment, and several of them over one log. */
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { describeWithService } from "@game-data/test-support";
import { Effect } from "effect";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { indexFile, openIndex, runIndexer } from "../src/index/searchIndex.ts";
import { lastHour, startIndex } from "./support/running.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const PAGES = 30;
const WORLD = {
  ...{ streamStashes: 300, streamPageSize: 25, streamItems: 24, streamHistoryPages: PAGES },
  ...{ streamChangesPerMinute: 0, exchangeHistoryHours: 48 },
};
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

/** Returns the rows of a query over an index, sorted. */
const rowsIn = (store: string, query: string) => {
  using db = new DatabaseSync(indexFile(store), { readOnly: true });
  return Array.from(db.prepare(query).all(), (row) => JSON.stringify(row)).toSorted();
};

const TABLES = "league tab term mod item item_doc item_word market_hour".split(" ");
const contentOf = (store: string) => {
  expect(rowsIn(store, "SELECT no FROM item").length).toBeGreaterThan(500);
  return TABLES.map((table) => rowsIn(store, `SELECT * FROM ${table}`));
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
  expect(contentOf(store)).toEqual(contentOf(rebuilt));
}, 240_000);

it("goes on with the sandbox's stream after a restart, and says that it does not follow a new sandbox", async () => {
  const path = join(folder, "again.db");
  const first = await startIndex({ path });
  await first.untilIndexed();
  const { seq } = await first.get("status");
  await first.close();
  // A copy of the index alone has every row.
  expect(statSync(`${indexFile(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  const second = await startIndex({ path });
  await second.advance("5 minutes");
  const status = () => second.get("status");
  await expect.poll(async () => (await status()).seq, poll).toBeGreaterThan(seq);
  expect(await status()).toMatchObject({ isFollowing: true });
  await second.close();
  rmSync(`${path}.sandbox`);
  const third = await startIndex({ path });
  const report = async () => (await fetch(`${third.opsUrl}/health`)).text();
  await expect.poll(report, poll).toContain("rejects the change id");
  expect(await third.get("status")).toMatchObject({ isFollowing: false });
  await third.close();
}, 240_000);

describeWithService("postgres", "several processes over PostgreSQL", (address) => {
  it("has the same index in two web processes beside a follower of its own", async () => {
    const name = `stash_index_${process.pid}`;
    const client = new Client({ connectionString: address });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const log = ["--store", new URL(name, address).href];
    await startNode(...log, "--roles", "follower");
    const indexes = ["a", "b"].map((node) => join(folder, node));
    for (const index of indexes) {
      const { url } = await startNode(...log, "--roles", "indexer,web", "--index", index);
      const get = async (path: string) => (await fetch(`${url}api/${path}`)).json() as any;
      const hour = async () => (await get("exchange/currencies?league=Standard")).hour;
      await expect.poll(async () => (await get("status")).seq, poll).toBeGreaterThanOrEqual(PAGES);
      await expect.poll(hour, poll).toBeGreaterThanOrEqual(lastHour());
    }
    const [first, second] = indexes.map(contentOf);
    expect(first).toEqual(second);
  }, 300_000);
});

it("serves, and follows the stream to its end, although a response was 403", async () => {
  const match = { endpoint: "publicStashTabs" };
  const fault = { match, when: { count: 1 }, fault: { kind: "status", status: 403 } } as const;
  const index = await startIndex({ fault });
  const failure = async () => {
    const { streams } = await (await fetch(`${index.opsUrl}/health`)).json();
    const parts = streams.flatMap((stream: any) => stream.parts);
    return parts.find((part: any) => part.name === "source" && part.failure)?.failure.tag;
  };
  await expect.poll(failure, poll).toBe("PageRefused");
  expect((await fetch(`${index.origin}/health/live`)).status).toBe(200);
  // The response that ends a follower is requested again a minute later.
  await index.untilIndexed();
  expect(await failure()).toBeUndefined();
  await index.close();
}, 240_000);

it("ends with 64 and a sentence for an unknown flag", () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [MAIN, "--prot", "1"]);
  expect([status, `${stdout}`]).toEqual([64, ""]);
  expect(`${stderr}`).toMatch(/^error: .*--prot/u);
});

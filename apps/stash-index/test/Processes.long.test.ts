/** Processes of the program: killed at any moment, and several of them over one log. */
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { describeWithService } from "@game-data/test-support";
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
import { indexFile } from "../src/index/searchIndex.ts";
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
  const client = sandbox.clients.find(({ clientId }) => clientId === "example-service")!;
  const service = ["--json", "--base-url", sandbox.baseUrl, "--auth-url", sandbox.authUrl];
  const all = [MAIN, ...service, "--client-id", client.clientId, ...args];
  const env = { ...process.env, GAME_DATA_CLIENT_SECRET: client.clientSecret };
  const child = spawn(process.execPath, all, { env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(createInterface(child.stdout), "line");
  return child;
};

/** Returns the rows of a query over an index, sorted. */
const rowsIn = (index: string, query: string) => {
  using db = new DatabaseSync(indexFile(index), { readOnly: true });
  return Array.from(db.prepare(query).all(), (row) => JSON.stringify(row)).toSorted();
};

const TABLES = "league tab term mod item item_doc item_word market_hour".split(" ");

describeWithService("postgres", "several processes over PostgreSQL", (address) => {
  it("an index whose process was killed four times has the rows of another index of the same log", async () => {
    const name = `stash_index_${process.pid}`;
    const client = new Client({ connectionString: address });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const log = ["--store", new URL(name, address).href];
    const [killed = "", other = ""] = ["killed", "other"].map((index) => join(folder, index));
    const start = () => startNode(...log, "--roles", "follower,indexer", "--index", killed);
    for (let kill = 0; kill < 4; kill += 1) {
      const node = await start();
      await sleep(20 + kill * 120);
      node.kill("SIGKILL");
    }
    await start();
    await startNode(...log, "--roles", "indexer,web", "--index", other);
    // The last hour is another one if the clock passes an hour meanwhile.
    const ends = () => [PAGES, lastHour()].map((seq) => JSON.stringify({ seq })).toSorted();
    const isIndexed = (index: string) =>
      isDeepStrictEqual(
        rowsIn(index, "SELECT seq FROM indexer WHERE name = 'search' AND source <> ''"),
        ends(),
      );
    await expect.poll(() => isIndexed(killed) && isIndexed(other), poll).toBe(true);
    expect(rowsIn(other, "SELECT no FROM item").length).toBeGreaterThan(500);
    for (const table of TABLES) {
      const rows = rowsIn(other, `SELECT * FROM ${table}`);
      expect(rowsIn(killed, `SELECT * FROM ${table}`)).toEqual(rows);
    }
  }, 300_000);
});

it("the stash index continues after a restart, and reports the change id that a new sandbox rejects", async () => {
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
  expect((await fetch(`${third.origin}/health/caught-up`)).status).toBe(503);
  await third.close();
}, 240_000);

it("the stash index continues to serve and to follow after a 403 of the service", async () => {
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

it("stash-index exits with 64 and a sentence for an unknown flag", () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [MAIN, "--prot", "1"]);
  expect([status, `${stdout}`]).toEqual([64, ""]);
  expect(`${stderr}`).toMatch(/^error: .*--prot/u);
});

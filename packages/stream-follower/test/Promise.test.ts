/** `follow`: the stream in one call, against the sandbox and through the client without Effect. */
import { createGameApi } from "@game-data/api-client/promise";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { follow, type FollowOptions } from "../src/promise.ts";

const WORLD = { streamHistoryPages: 8, streamPageSize: 20, exchangeHistoryHours: 6 };

let sandbox: RunningSandbox;
let folder: string;
const clients: Array<{ close: () => Promise<unknown> | void }> = [];
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1, world: WORLD });
  // A busy machine is slow, and the stream would grow meanwhile.
  const body = '{"freeze":true}';
  const frozen = await fetch(`${sandbox.controlUrl}/clock`, { method: "POST", body });
  if (!frozen.ok) throw new Error("the clock is not frozen");
  folder = mkdtempSync(join(tmpdir(), "follow-"));
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const client = async (scopes = ["service:psapi", "service:cxapi"] as const) => {
  const credentials = await sandbox.token({ clientId: "example-service", scopes: [...scopes] });
  const userAgent = { clientId: "example-service", version: "1.0.0", contact: "me@example.com" };
  const api = createGameApi({ baseUrl: sandbox.baseUrl, userAgent, credentials });
  clients.push(api);
  return api;
};

/** The whole stream, or its first batches, as ids and versions. */
const collect = async (options: FollowOptions, batches = Infinity) => {
  const rows: Array<readonly [bigint, string]> = [];
  let version = options?.after;
  let left = batches;
  for await (const batch of follow(options)) {
    for (const { id } of batch.changes) rows.push([batch.version, id]);
    for (const { marketId } of batch.markets) rows.push([batch.version, marketId]);
    version = batch.version;
    left -= 1;
    if (left === 0) break;
  }
  return { rows, version };
};

it("follow reads both streams to their ends with a store in memory", async () => {
  const api = await client();
  const stashes = { source: "stashes", store: "sqlite::memory:", api, until: "caughtUp" } as const;
  const { rows } = await collect(stashes);
  expect(rows.length).toBeGreaterThan(100);
  const { rows: markets } = await collect({ ...stashes, source: "exchange", realm: "game2" });
  expect(markets.length).toBeGreaterThan(5);
  expect(await collect(stashes)).toMatchObject({ rows });
});

it("follow returns each row once if its loop is left after a batch and resumed", async () => {
  const api = await client();
  const all = await collect({
    source: "stashes",
    store: "sqlite::memory:",
    api,
    until: "caughtUp",
  });
  for (const at of [1, 3, 7]) {
    const store = `sqlite:${join(folder, `left-${at}.db`)}`;
    const options = { source: "stashes", store, api, until: "caughtUp" } as const;
    // A lease that the first loop kept would let the second one stand by.
    const first = await collect(options, at);
    const second = await collect({ ...options, after: first.version });
    expect([...first.rows, ...second.rows]).toEqual(all.rows);
  }
});

it("follow throws the reason of its signal, and releases the lease, if it is aborted while it polls", async () => {
  const api = await client();
  const store = `sqlite:${join(folder, "aborted.db")}`;
  const aborting = new AbortController();
  const reason = new Error("enough");
  const seen: Array<bigint> = [];
  const loop = async () => {
    const options = { source: "stashes", store, api, signal: aborting.signal } as const;
    for await (const { version } of follow(options)) {
      seen.push(version);
      if (seen.length === 8) setTimeout(() => aborting.abort(reason), 0);
    }
  };
  await expect(loop()).rejects.toBe(reason);
  const again = await collect({ source: "stashes", store, api, until: "caughtUp", after: 8n });
  expect(again.rows).toEqual([]);
  await expect(collect({ source: "stashes", store, api, signal: aborting.signal })).rejects.toBe(
    reason,
  );
});

it.each([
  ["options", undefined],
  ["options", null],
  ["source", { source: undefined }],
  ["source", { source: "nope", store: "file.db" }],
  ["realm", { realm: "game2" }],
  ["store", { store: undefined }],
  ["store", { store: 7 }],
  ["api", { api: undefined }],
  ["api", { api: {} }],
  ["after", { after: 8 }],
  ["until", { until: "tomorrow" }],
  ["signal", { signal: {} }],
  ["untill", { untill: "caughtUp" }],
])("follow throws ConfigurationInvalid for an invalid option: %s", async (option, change) => {
  const api = { publicStashTabs: { raw: () => {} }, currencyExchange: { raw: () => {} } };
  const options = change && { source: "stashes", store: "sqlite::memory:", api, ...change };
  await expect(collect(options as never)).rejects.toMatchObject({
    _tag: "ConfigurationInvalid",
    option,
  });
});

it("the loop of follow throws the error that halted the follower", async () => {
  const api = await client(["service:cxapi"] as never);
  const options = { source: "stashes", store: "sqlite::memory:", api } as const;
  await expect(collect(options)).rejects.toMatchObject({
    ...{ _tag: "PageRefused", reason: "forbidden", scope: "service:psapi" },
  });
  await expect(collect({ ...options, store: "file.db" })).rejects.toMatchObject({
    _tag: "InvalidStoreUrl",
  });
});

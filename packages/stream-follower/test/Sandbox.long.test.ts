/** The follower against the sandbox, over real loopback HTTP and through the API client. */
import { Effect, Layer } from "effect";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { useCleanups } from "./support/hooks.ts";
import { sandboxApi } from "../examples/sandbox-api.ts";
import { Follower, Lease } from "../src/index.ts";
import { GameApiSource } from "../src/api-client/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { tagOf } from "./support/Run.ts";

const { cleanups } = useCleanups();
let sandbox: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  sandbox = await open();
});
afterAll(() => sandbox?.sandbox.close());

/** Small: the size of a history says nothing about the follower. */
const WORLD = { streamHistoryPages: 8, streamPageSize: 20, exchangeHistoryHours: 24 };

const open = async () => {
  const opened = await sandboxApi({ seed: 1, world: WORLD });
  const source = GameApiSource.layer.pipe(Layer.provide(opened.api));
  const run = (
    memory: SinkMemory.Memory,
    ...runs: Array<Follower.StashRun | Follower.ExchangeRun>
  ) =>
    Effect.runPromiseExit(
      Effect.forEach(runs, (one) => Follower.run(one), { concurrency: "unbounded" }).pipe(
        Effect.provide(Layer.mergeAll(SinkMemory.layer(memory), Lease.none, source)),
      ),
    );
  const control = (path: string, body: unknown) =>
    fetch(`${opened.sandbox.controlUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { ...opened, run, control };
};

it(
  "reads every stream of every realm to its end at once, on one budget [ST-03] [CX-03]",
  { timeout: 180_000 },
  async () => {
    const memory = SinkMemory.empty();
    const exit = await sandbox.run(
      memory,
      ...(["pc", "console_a", "console_b"] as const).map(
        (realm) => ({ source: "stashes", realm, until: "caughtUp" }) as const,
      ),
      { source: "exchange", realm: "game2", until: "caughtUp" },
    );
    expect(tagOf(exit)).toBe(undefined);
    expect([...memory.checkpoints.keys()].toSorted()).toEqual([
      "exchange/game2",
      "stashes/console_a",
      "stashes/console_b",
      "stashes/pc",
    ]);
    expect(memory.quarantine).toEqual([]);
    expect(memory.gaps).toEqual([]);
    expect(memory.markets.size).toBeGreaterThan(50);
    // Each realm's own: no two streams end at one id, but the hours of all exchanges have one name.
    const ends = [...memory.checkpoints.values()].map(({ nextId }) => nextId);
    expect(new Set(ends).size).toBe(ends.length);
    await sandbox.sandbox.verify({ match: { path: "/currency-exchange/game2" }, atLeast: 1 });
  },
);

it("fills the same store if every fifth response has a fault", { timeout: 90_000 }, async () => {
  const memories = [SinkMemory.empty(), SinkMemory.empty()];
  await sandbox.control("/clock", { freeze: true });
  const faults = [
    { kind: "status", status: 503 },
    { kind: "truncate", atByte: 4000, ending: "reset" },
    { kind: "gzipCut" },
    { kind: "malformedJson", at: "tail" },
  ].map((fault, seed) => ({
    match: { endpoint: "publicStashTabs" },
    when: { probability: 0.1, seed },
    fault,
  }));
  for (const [index, memory] of memories.entries()) {
    if (index === 1) expect((await sandbox.control("/faults", faults)).status).toBe(200);
    const exit = await sandbox.run(memory, {
      source: "stashes",
      until: "caughtUp",
      backoff: { base: 10, cap: 50 },
      badPageRetryDelays: [50, 100, 200, 300],
    });
    expect(tagOf(exit)).toBe(undefined);
  }
  await fetch(`${sandbox.sandbox.controlUrl}/faults`, { method: "DELETE" });
  const [clean, torn] = memories.map((memory) => ({
    pages: memory.pages,
    stashes: [...memory.stashes].map(([id, { seq, change }]) => [id, seq, change?.value ?? null]),
  }));
  expect(torn!.pages).toEqual(clean!.pages);
  expect(torn!.stashes).toEqual(clean!.stashes);
});

it("runs the example of an own sink", { timeout: 60_000 }, async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  cleanups.push(() => log.mockRestore());
  await import("../examples/own-sink.ts");
  const printed = JSON.parse(String(log.mock.lastCall)) as Record<string, unknown>;
  expect(printed).toMatchObject({ ended: "caughtUp" });
  expect(printed["sellers"]).toBeGreaterThan(1);
});

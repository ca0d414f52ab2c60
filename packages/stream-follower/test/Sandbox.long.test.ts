/** The follower against the sandbox, over real loopback HTTP and through the API client. */
import { Effect, Layer } from "effect";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { useCleanups } from "./support/hooks.ts";
import { sandboxApi } from "../examples/sandbox-api.ts";
import { Follower, Lease, Sink } from "../src/index.ts";
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
        Effect.provideService(Sink.Sink, SinkMemory.make(memory)),
        Effect.provide(Layer.merge(Lease.none, source)),
      ),
    );
  return { ...opened, run };
};

it(
  "followers read the streams of all realms to their ends at once, on one budget [ST-03] [CX-03]",
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

it("the example own-sink.ts runs, and prints a summary", { timeout: 60_000 }, async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  cleanups.push(() => log.mockRestore());
  await import("../examples/own-sink.ts");
  const printed = JSON.parse(String(log.mock.lastCall)) as Record<string, unknown>;
  expect(printed).toMatchObject({ ended: "caughtUp" });
  expect(printed["sellers"]).toBeGreaterThan(1);
});

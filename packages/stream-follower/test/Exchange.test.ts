/** The history of the currency exchange (§4.2). */
import { Exit } from "effect";
import { describe, expect, it } from "vitest";
import type { Follower, Status } from "../src/index.ts";
import type { Answer, Seen } from "./support/FaultServer.ts";
import { follow, tagOf, waitsOf } from "./support/Run.ts";

const HOUR = 3600;
const FIRST = 1_772_812_800;
const hours = (count: number) => Array.from({ length: count }, (_, index) => FIRST + index * HOUR);

const pair = { chaos: 1, divine: 2 };
const MARKET = {
  ...{ league: "Standard", market_id: "chaos|divine", volume_traded: pair },
  ...{ lowest_stock: pair, highest_stock: pair, lowest_ratio: pair, highest_ratio: pair },
};

const pageOf = (next: number, markets: ReadonlyArray<unknown> = [MARKET]): Answer => ({
  body: JSON.stringify({ next_change_id: next, markets }),
});

/** Answers `count` hours from the first; behind them the end, with the status of live deployments. */
const history =
  (count: number) =>
  (seen: Seen): Answer => {
    const hour = seen.id === undefined ? FIRST : Number(seen.id);
    if (hour === FIRST + count * HOUR) return { ...pageOf(hour, []), status: 404 };
    return hours(count).includes(hour) ? pageOf(hour + HOUR) : { status: 404, body: "{}" };
  };

const run = (options: Partial<Follower.ExchangeRun> = {}): Follower.ExchangeRun => ({
  ...{ source: "exchange", until: "caughtUp" },
  ...options,
});

const hoursIn = (memory: Awaited<ReturnType<typeof follow>>["memory"]) =>
  [...memory.markets.values()].map(({ hour }) => hour);

describe("the exchange", () => {
  it("a follower reads the exchange from its first hour [CX-05] to the hour that returns its own id [CX-13]", async () => {
    const answer = (seen: Seen) =>
      Number(seen.id) === FIRST + HOUR ? pageOf(FIRST + 2 * HOUR, []) : history(4)(seen);
    const { exit, memory, seen } = await follow({ answer }, run());
    expect(exit).toEqual(Exit.succeed({ pages: 4, rows: 3, ended: "caughtUp" }));
    expect(seen[0]?.id).toBe(undefined);
    expect(hoursIn(memory)).toEqual(hours(4).toSpliced(1, 1));
    expect(memory.pages.map((page) => page.seq)).toEqual(hours(4).map(BigInt));
  });

  it("a follower waits at the end of the exchange for the next hour of the service's clock [CL-15]", async () => {
    const startOfDay = Date.parse("2026-03-06T14:20:00Z");
    const { seen } = await follow(
      {
        answer: (one) => {
          const date = new Date(startOfDay + one.at).toUTCString();
          return { ...history(1)(one), headers: { date } };
        },
      },
      run({ until: "forever" }),
      { limitMillis: 3 * 3_600_000 },
    );
    const calls = seen.slice(1).map((one) => startOfDay + one.at);
    expect(calls.length).toBeGreaterThanOrEqual(3);
    for (const at of calls.slice(1)) expect((at / 1000) % HOUR).toBeLessThanOrEqual(31);
    const between = waitsOf(seen.slice(2));
    expect(Math.min(...between)).toBeGreaterThanOrEqual(3_500_000);
  });

  it("a follower restarts from the first hour, and stores a gap, if its hour is gone [CX-14]", async () => {
    const old = String(FIRST - 100 * HOUR);
    const { memory, seen } = await follow(
      { answer: history(3) },
      run({ from: { id: old }, onIdRejected: "restartFromStart" }),
    );
    expect(seen.filter((one) => one.id === old).length).toBe(4);
    expect(memory.gaps).toEqual([{ kind: "restarted", from: old, to: String(FIRST) }]);
    expect(hoursIn(memory)).toEqual(hours(3));
  });

  it("a follower commits an hour of the exchange once if the hour is returned again unchanged", async () => {
    const { memory, seen } = await follow(
      { answer: ({ id = FIRST }) => pageOf(Math.min(Number(id) + HOUR, FIRST + HOUR)) },
      run({ until: "forever" }),
      { limitMillis: 3 * 3_600_000 },
    );
    expect(seen.length).toBeGreaterThanOrEqual(4);
    expect(memory.pages.map(({ nextId }) => Number(nextId))).toEqual([FIRST + HOUR]);
  });

  it("a follower requests an hour of the exchange every minute while it leads to an earlier hour", async () => {
    const streams = new Map<string, Status.StreamRecord>();
    const { memory, seen } = await follow(
      { answer: ({ id }) => pageOf(FIRST + (id === undefined ? 2 : 1) * HOUR) },
      run(),
      { limitMillis: 200_000, streams },
    );
    expect(memory.pages).toHaveLength(1);
    expect(waitsOf(seen).slice(1).map(Math.round)).toEqual([60_000, 60_000, 60_000]);
    const { failure } = streams.get("exchange/pc")!.parts.get("source")!;
    expect(failure).toMatchObject({ tag: "ProtocolViolation", reason: "backwards" });
  });

  it("a follower jumps to the hour of `jumpTo`, and stores a gap, if its hour is refused", async () => {
    const old = String(FIRST - 100 * HOUR);
    const to = String(FIRST + HOUR);
    const { memory } = await follow(
      { answer: history(3) },
      run({ from: { id: old }, onIdRejected: { jumpTo: to } }),
    );
    expect(memory.gaps).toEqual([{ kind: "jumped", from: old, to }]);
    expect(hoursIn(memory)).toEqual(hours(3).slice(1));
  });

  it("a follower accepts a refusal, an empty page or another hour for an impossible hour [NS-33]", async () => {
    const odd = String(FIRST + 1234);
    const refused = await follow({ answer: history(2) }, run({ from: { id: odd } }));
    expect(tagOf(refused.exit)).toBe("ChangeIdRejected");
    const future = await follow(
      { answer: (seen) => pageOf(Number(seen.id), []) },
      run({ from: { id: String(FIRST + 9999 * HOUR) } }),
    );
    expect(future.memory.pages).toEqual([]);
    expect(Exit.isSuccess(future.exit)).toBe(true);
    const moved = await follow(
      {
        answer: (seen) => (Number(seen.id) < FIRST ? pageOf(FIRST + HOUR) : history(3)(seen)),
      },
      run({ from: { id: String(FIRST - 5 * HOUR) } }),
    );
    expect(Exit.isSuccess(moved.exit)).toBe(true);
    expect(moved.memory.gaps.length).toBe(1);
    expect(moved.memory.checkpoints.get("exchange/pc")?.nextId).toBe(String(FIRST + 3 * HOUR));
  });
});

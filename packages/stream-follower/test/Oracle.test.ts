/** The oracle of status tells each lie of a follower: a check that could not fail would be none. */
import { describe, expect, it } from "vitest";
import { falsehoods, LIMIT_MILLIS, type Look, Oracle, type Truth } from "../chaos/Oracle.ts";
import type { Status } from "../src/index.ts";

const there: Truth = { changedAt: 0, isStoreThere: true, pages: 5, running: ["one", "two"] };
const away: Truth = { ...there, isStoreThere: false };

interface Said {
  readonly ready?: boolean;
  readonly live?: boolean;
  readonly gauge?: number;
  readonly reason?: string;
  readonly stream?: Partial<Status.StreamStatus>;
}

const look = (name: string, said: Said, at = 1): Look => {
  const { gauge, live = true, ready = true, reason, stream } = said;
  const held = { state: "caughtUp", isCaughtUp: true, lagSeconds: 0, headSeq: 5n, ...stream };
  const lag = held.lagSeconds === undefined ? "" : `lag_seconds{a="b"} ${held.lagSeconds}\n`;
  const metrics = `ready{a="b"} ${gauge ?? Number(ready)}\n${lag}`;
  const report = { live, ready, caughtUp: false, reason, streams: [held as Status.StreamStatus] };
  return {
    name,
    at,
    said: { isReady: ready, report, metrics: metrics.replaceAll(/^/gmu, "game_data_follower_") },
  };
};

const standby = look("two", {
  stream: { state: "standby", isCaughtUp: false, lagSeconds: undefined, headSeq: 0n },
});
const red = (lagSeconds: number, at = 1): ReadonlyArray<Look> =>
  ["one", "two"].map((name) =>
    look(
      name,
      {
        ready: false,
        reason: "stashes/pc: commit retrying: no answer",
        stream: { state: "retrying", isCaughtUp: false, lagSeconds },
      },
      at,
    ),
  );

describe("the oracle of status", () => {
  it("finds nothing where the truth is told", () => {
    expect(falsehoods(there, [look("one", {}), standby])).toEqual([]);
    expect(falsehoods(away, red(3))).toEqual([]);
  });

  const lies: ReadonlyArray<readonly [string, Truth, Said, RegExp]> = [
    ["ready while the store is away", away, {}, /says ready/u],
    ["not ready while it is there", there, { ready: false }, /says not ready/u],
    ["a restart asked for", there, { live: false }, /restart/u],
    ["another gauge", there, { gauge: 0 }, /another gauge/u],
    ["standby without another", away, { stream: { state: "standby" } }, /another follows/u],
    ["caught up without a store", away, { ready: false, reason: "commit retrying" }, /caught up/u],
    ["no reason", away, { ready: false, stream: { isCaughtUp: false } }, /no store as the reason/u],
    ["more pages than there are", there, { stream: { headSeq: 6n } }, /more pages/u],
    ["caught up before the end", there, { stream: { headSeq: 4n } }, /before the end/u],
    ["a lag at the end", there, { stream: { lagSeconds: 2 } }, /does not say caught up/u],
  ];
  it.each(lies)("tells of %s", (_, truth, said, problem) => {
    expect(falsehoods(truth, [look("one", said), standby]).join("\n")).toMatch(problem);
  });

  it("tells of two that follow, of none, and of silence", () => {
    expect(falsehoods(there, [look("one", {}), look("two", {})])).toEqual([
      "2 say that they follow",
    ]);
    expect(falsehoods(there, [standby, { ...standby, name: "one" }])).toEqual([
      "0 say that they follow",
    ]);
    expect(falsehoods(there, [look("one", {}), { name: "two", at: 1 }])).toEqual([
      "two says nothing",
    ]);
  });

  it("gives a status twenty seconds, and no more", () => {
    const oracle = new Oracle();
    for (const at of [1, LIMIT_MILLIS - 1, LIMIT_MILLIS + 2]) {
      expect(oracle.problems).toEqual([]);
      oracle.compare(away, [look("one", {}, at), look("two", {}, at)], "a stop");
    }
    expect(oracle.problems).toContainEqual(expect.stringContaining("after a stop: one says ready"));
    expect(oracle.isSettled(away)).toBe(false);
  });

  it("lets nobody take back that the store is away, and wants the lag to grow; silence is neither", () => {
    const oracle = new Oracle();
    // What was seen before the change says nothing about it.
    const after = { ...away, changedAt: 1 };
    oracle.compare(after, red(2, 1), "a stop");
    expect(oracle.rounds).toBe(0);
    for (const at of [2, 3]) oracle.compare(after, red(at, at), "a stop");
    oracle.compare(after, [red(4, 4)[0]!, { name: "two", at: 4 }], "a stop");
    expect([oracle.problems, oracle.isSettled(after)]).toEqual([[], true]);
    oracle.compare(after, [look("one", {}, 5), red(3, 5)[1]!], "a stop");
    const told = oracle.problems.join("\n");
    expect(told).toContain("after a stop: one says ready again");
    expect(told).toContain("after a stop: two has a lag that does not grow");
  });
});

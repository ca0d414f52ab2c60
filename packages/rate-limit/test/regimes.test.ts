/**
 * Regimes in virtual time. Eight of them run here, all of them with three seeds in
 * regimes.long.test.ts.
 */
import { describe, expect, it } from "vitest";
import { lateServers, regimes, smallWindows } from "./model/regimes.ts";
import { type Regime, simulate } from "./model/simulate.ts";

/** One of each kind: rules, buckets, users, foreign requests, damaged headers, changes, restarts. */
const SELECTED = new Set([
  "nested 12:6 + 40:60, 3 fibers",
  "15:10 b5 + 30:300 b60",
  "2:10 + 5:300",
  "6 users, ip 60:60, account 30:60",
  "foreign, steady 10/min of 30:60",
  "30 % of answers with missing or broken headers",
  "limits change 40 to 10, +4:10, to 100",
  "restart each 24 s, kept store, 30:60 b60",
]);
const selected = regimes.filter(({ name }) => SELECTED.has(name));

const named = (list: ReadonlyArray<Regime>) => list.map((regime) => [regime.name, regime] as const);

it("runs eight regimes", () => expect(selected).toHaveLength(SELECTED.size));

it.each(named(selected))(
  "reaches its share of the requests of an omniscient client: %s [NS-11]",
  (_, regime) => {
    const { utilisation, violations } = simulate(regime, 1);
    expect(violations).toBeLessThanOrEqual(regime.violations ?? 0);
    expect(utilisation).toBeGreaterThanOrEqual(regime.target);
  },
);

it.each(named(smallWindows))("waits with nothing in flight always end: %s", (_, regime) => {
  for (const seed of [1, 2, 3]) {
    // The planner of the model throws if a wait has no end.
    const { utilisation, violations } = simulate(regime, seed);
    expect(utilisation).toBeGreaterThanOrEqual(regime.target);
    expect(violations).toBeLessThanOrEqual(regime.violations!);
  }
});

it("sends no burst on 64 routes of one unknown policy", () => {
  const regime = lateServers.find(({ name }) => name.startsWith("64 routes"))!;
  expect(simulate(regime, 1).violations).toBe(0);
});

describe("requests that are never answered, or late", () => {
  it.each([1])(
    "sends most of the requests that fit although some are answered late or never, seed %i [NS-11]",
    (seed) => {
      for (const [name, least] of [
        ["2 % of the requests are never answered", 90],
        ["5 % of the answers take 100 s", 70],
      ] as const) {
        const run = simulate(
          lateServers.find((each) => each.name === name)!,
          seed,
        );
        expect(run.violations).toBe(0);
        expect(run.utilisation).toBeGreaterThanOrEqual(least);
      }
    },
  );
});

describe("counts that cannot be trusted", () => {
  it.each([
    "3:10, and the count is always 1",
    "50 % of the counts cannot be",
    "30 % of the counts are five responses old",
  ])("gets no refusal from counts that cannot be trusted: %s", (name) => {
    const run = simulate(
      lateServers.find((each) => each.name === name)!,
      1,
    );
    expect(run.violations).toBe(0);
    expect(run.utilisation).toBeGreaterThan(90);
  });

  it("lowers a stated limit that is too high", () => {
    const regime = lateServers.find(({ name }) => name === "a stated limit that is too high")!;
    const run = simulate(regime, 1);
    expect(run.violations).toBeLessThan(9);
    expect(run.utilisation).toBeGreaterThan(65);
  });
});

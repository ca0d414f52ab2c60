/**
 * Regimes in virtual time: nothing is lost that was reached once. Eight of them run to their end here,
 * all of them with three seeds in regimes.long.test.ts.
 */
import { describe, expect, it } from "vitest";
import { digest, figures, firstMinutes, plans, recorded } from "./model/recorded.ts";
import { coarseClock, traces, turns } from "./model/queueTrace.ts";
import { regimes } from "./model/regimes.ts";
import { simulate } from "./model/simulate.ts";
import type { Regime } from "./model/simulate.ts";

/** One of each kind: rules, buckets, users, others' requests, damaged headers, changes, restarts. */
const WHOLE = new Set([
  "nested 12:6 + 40:60, 3 fibers",
  "15:10 b5 + 30:300 b60",
  "6 users, ip 60:60, account 30:60",
  "foreign, steady 10/min of 30:60",
  "30 % of answers with missing or broken headers",
  "limits change 40 to 10, +4:10, to 100",
  "restart each 24 s, kept store, 30:60 b60",
  "half of the answers are 404",
]);
const whole = regimes.filter(({ name }) => WHOLE.has(name));

describe("the planner against true sliding windows", () => {
  it("runs eight regimes to their end", () => expect(whole).toHaveLength(WHOLE.size));

  it.each(whole.map((regime) => [regime.name, regime] as const))(
    "keeps its share of the oracle's requests: %s [NS-11]",
    (name, regime) => {
      const run = simulate(regime, 1);
      const { utilisation, violations } = run;
      expect(violations).toBeLessThanOrEqual(regime.violations ?? 0);
      expect(utilisation).toBeGreaterThanOrEqual(regime.target);
      // A plan is deterministic: `node test/model/recorded.ts --write` records a new one.
      expect(figures(run)).toBe(recorded()[name]);
    },
  );
});

describe("the first minutes", () => {
  it.each(plans.map((regime) => [regime.name, regime] as const))(
    "go as recorded: %s",
    (name, regime) => expect(firstMinutes(regime)).toBe(recorded()[`first minutes: ${name}`]),
  );
});

describe("the first minute", () => {
  const short = (
    fibers: number,
    limits: ReadonlyArray<readonly [max: number, period: number]>,
    oneWay: NonNullable<Regime["oneWay"]>,
  ): Regime => ({
    name: "the first minute",
    server: () => ({
      policies: [
        {
          name: "p",
          windows: limits.map(([max, period]) => ({ rule: "account", max, period, bucket: 0 })),
        },
      ],
      penalty: 2000,
    }),
    hours: 1 / 60,
    fibers,
    oneWay,
    target: 0,
  });

  it("spends no probe on a departure that tells nothing", () => {
    const limits = [
      [20, 1000],
      [60, 4000],
    ] as const;
    // A wasted one costs the wait for the longest bucket, eight seconds of the minute.
    for (let seed = 1; seed <= 12; seed++) {
      const run = simulate(
        short(8, limits, (random) => 1 + 39 * random() ** 2),
        seed,
      );
      expect([seed, run.violations]).toEqual([seed, 0]);
      expect(run.utilisation).toBeGreaterThan(94);
    }
  });

  it.each([34, 36, 40])("is safe for a program that is slow when it starts: %i ways", (slow) => {
    let ways = 0;
    // Requests seem to take long to arrive, and then they do not.
    const run = simulate(
      short(3, [[5, 1000]], () => (ways++ < slow ? 60 : 2)),
      1,
    );
    expect(run.violations).toBe(0);
    expect(run.utilisation).toBeGreaterThan(90);
  });
});

describe("a clock that moves in steps", () => {
  it("does not take requests of one instant for answered before each other", async () => {
    const { served, violations } = await coarseClock();
    expect(violations).toBe(0);
    // Ten in four seconds, for a minute; the first one tells that there are limits.
    expect(served).toBeGreaterThan(140);
  });
});

describe("the queue in virtual time", () => {
  it.each(Object.entries(traces))("grants and refuses as recorded: %s", async (name, trace) =>
    expect(digest(await trace())).toBe(recorded()[`queue: ${name}`]),
  );

  it("lets a waiting request rise above those that keep coming", async () => {
    const granted = (await turns()).filter(
      (line) => line.includes("slow") && line.includes("granted"),
    );
    // All twelve of them, though requests of a higher priority come every three seconds.
    expect(granted).toHaveLength(12);
  });

  it("serves users of one priority in turn", async () => {
    const first = (await turns())
      .filter((line) => line.includes("slow") && line.includes("granted"))
      .slice(0, 6)
      .map((line) => Number(/slow (\d+)/u.exec(line)![1]) % 3);
    for (const user of [0, 1, 2]) expect(first.filter((each) => each === user)).toHaveLength(2);
  });

  it("keeps reserved places free for requests of a higher priority", async () => {
    const waits = (await turns())
      .filter((line) => /first (6|12|18|24) granted/u.test(line))
      .map((line) => Number(line.split(" ").at(-1)));
    expect(waits).toEqual([0, 0, 0, 0]);
  });
});

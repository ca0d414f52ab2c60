/**
 * Regimes in virtual time. All of them run with three seeds in regimes.long.test.ts.
 */
import { expect, it } from "vitest";
import { lateServers, regimes, smallWindows } from "./model/regimes.ts";
import { type Regime, simulate } from "./model/simulate.ts";

/** One of each kind: rules, buckets, users, foreign requests, damaged headers, changes, restarts. */
const SELECTED = new Set([
  "nested 12:6 + 40:60, 3 fibers",
  "15:10 b5 + 30:300 b60",
  "2:10 + 5:300",
  "6 users, ip 60:60, account 30:60",
  "foreign, steady 10/min of 30:60",
  "no -State, b5, 15:10",
  "30 % of answers with missing or broken headers",
  "limits change 40 to 10, +4:10, to 100",
  "restart each 24 s, kept store, 30:60 b60",
]);
const selected = regimes.filter(({ name }) => SELECTED.has(name));

it("each selected simulation is defined", () => expect(selected).toHaveLength(SELECTED.size));

const rows = (list: ReadonlyArray<Regime>, ...seeds: ReadonlyArray<number>) =>
  list.map((regime) => [regime.name, regime, seeds] as const);

// The planner of the model throws if a wait with nothing in flight has no end.
it.each([...rows([...selected, ...lateServers], 1), ...rows(smallWindows, 1, 2, 3)])(
  "the planner reaches its share of the requests of an omniscient client: %s [NS-11]",
  (_, regime, seeds) => {
    for (const seed of seeds) {
      const { utilisation, violations } = simulate(regime, seed);
      expect(violations).toBeLessThanOrEqual(regime.violations ?? 0);
      expect(utilisation).toBeGreaterThanOrEqual(regime.target);
    }
  },
);

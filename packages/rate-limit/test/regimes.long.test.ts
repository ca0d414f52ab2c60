/** All regimes with three seeds, and 200 random services. */
import { describe, expect, it } from "vitest";
import { regimes } from "./model/regimes.ts";
import { randomService } from "./model/randomService.ts";
import { type Regime, simulate } from "./model/simulate.ts";

const mean = (values: ReadonlyArray<number>) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("all regimes with three seeds", () => {
  it.each(regimes.map((regime) => [regime.name, regime] as const))(
    "the planner reaches its target in a simulation with three seeds: %s",
    (_, regime) => {
      const runs = [1, 2, 3].map((seed) => simulate(regime, seed));
      const allowed = regime.violations ?? 0;
      for (const { violations } of runs)
        expect(violations).toBeLessThanOrEqual(allowed && allowed + 2);
      expect(mean(runs.map((run) => run.utilisation))).toBeGreaterThanOrEqual(regime.target);
    },
  );
});

it.each([
  ["a rule absent for 30 s in 5 min", ({ "x-rate-limit-rules": rules }) => rules === "ip", 100],
  ["one refusal reaches four in flight", ({ "retry-after": wait }) => wait !== undefined, 4],
] as ReadonlyArray<[string, (headers: Record<string, string>) => boolean, number]>)(
  "a simulated service sends the responses that its name describes: %s",
  (name, isExpected, least) => {
    const regime = regimes.find((each) => each.name.startsWith(name))!;
    let count = 0;
    const server: Regime["server"] = (random) => {
      const options = regime.server(random);
      return {
        ...options,
        headers: (before, ...rest) => {
          const headers = options.headers?.(before, ...rest) ?? before;
          if (isExpected(headers)) count++;
          return headers;
        },
      };
    };
    simulate({ ...regime, server }, 1);
    expect(count).toBeGreaterThanOrEqual(least);
  },
);

describe("200 random services", () => {
  it.each(Array.from({ length: 10 }, (_, index) => index * 20))(
    "the planner gets no refusal from random services: %i and the next 19",
    (first) => {
      for (let seed = first + 1; seed <= first + 20; seed++)
        expect([seed, simulate(randomService(seed), seed).violations]).toEqual([seed, 0]);
    },
  );
});

/** All regimes with three seeds, and 200 random services. */
import { describe, expect, it } from "vitest";
import { regimes } from "./model/regimes.ts";
import type { ModelWindow } from "./model/Server.ts";
import { generator, type Regime, simulate } from "./model/simulate.ts";

const mean = (values: ReadonlyArray<number>) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("all regimes with three seeds", () => {
  it.each(regimes.map((regime) => [regime.name, regime] as const))(
    "reaches its target with three seeds: %s",
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
  "the responses of a regime are what its name says: %s",
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

/** A service of 1 to 4 windows with hidden buckets, and the longest time of one way. */
const randomService = (seed: number) => {
  const random = generator(seed * 104_729);
  const pick = <A>(list: ReadonlyArray<A>) => list[Math.floor(random() * list.length)]!;
  const count = 1 + Math.floor(random() * 4);
  let period = pick([1, 2, 5, 10]);
  let max = 2 + Math.floor(random() * 30);
  const windows: Array<ModelWindow> = [];
  for (let index = 0; index < count; index++) {
    const longest = Math.max(5, 2 * period);
    windows.push({
      rule: pick(["account", "client", "ip"]),
      max,
      period: period * 1000,
      bucket: Math.min(pick([0, 1, 5, 7, 10, 20, 30, 60]), longest) * 1000,
    });
    period *= pick([3, 5, 6]);
    max = Math.max(max + 1, Math.floor(max * (1.5 + 3 * random())));
  }
  return { windows, longestWay: random() * 1000 };
};

describe("200 random services", () => {
  it.each(Array.from({ length: 10 }, (_, index) => index * 20))(
    "gets no refusal from random services: %i and the next 19",
    (first) => {
      for (let seed = first + 1; seed <= first + 20; seed++) {
        const { longestWay, windows } = randomService(seed);
        const run = simulate(
          {
            name: `service ${seed}`,
            server: (random) => ({
              policies: [{ name: "p", windows }],
              phase: Math.floor(random() * 60_000),
            }),
            hours: 0.25,
            fibers: 8,
            identities: ["a", "b", "c"],
            oneWay: (random) => 5 + random() * longestWay,
            target: 0,
          },
          seed,
        );
        expect([seed, run.violations]).toEqual([seed, 0]);
      }
    },
  );
});

/** For any policies, latencies and interleavings: no true sliding window is ever exceeded. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { simulate } from "./model/simulate.ts";

/** A window with a hidden bucket that the limiter looks for. */
const window = fc
  .record({
    rule: fc.constantFrom("account", "ip"),
    max: fc.integer({ min: 1, max: 40 }),
    period: fc.integer({ min: 1, max: 120 }),
    bucket: fc.constantFrom(0, 0, 1, 5, 7),
  })
  .map(({ bucket, max, period, rule }) => ({
    rule,
    max,
    period: period * 1000,
    bucket: Math.min(bucket, Math.max(5, max > 1 ? 2 * period : 0)) * 1000,
  }));

it("never exceeds a true sliding window of the declared rules [NS-11]", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(window, {
        minLength: 1,
        maxLength: 4,
        selector: ({ period, rule }) => `${rule} ${period}`,
      }),
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 1, max: 3 }),
      (windows, latency, fibers, seed, users) => {
        const run = simulate(
          {
            name: "any",
            server: () => ({ policies: [{ name: "p", windows: structuredClone(windows) }] }),
            hours: 0.05,
            fibers,
            identities: Array.from({ length: users }, (_, index) => `u${index}`),
            oneWay: (random) => random() * latency,
            target: 0,
          },
          seed,
        );
        expect(run.violations).toBe(0);
        expect(run.served).toBeGreaterThan(0);
      },
    ),
    { numRuns: 60, seed: 7 },
  );
});

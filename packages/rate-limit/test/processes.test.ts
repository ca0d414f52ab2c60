/** Several processes on one budget in a simulated Redis: no 429, and hardly a place unused. */
import { describe, expect, it } from "vitest";
import { firstSeconds, recorded } from "./model/recorded.ts";
import { machines, runCluster } from "./model/processes.ts";

const [calm, busy, crowded] = machines;
/** Whole minutes where services are tested, else the first seconds: stalls came then. */
const isWhole = process.env["REQUIRE_SERVICES"] === "1";
const seconds = isWhole ? 60 : 12;

describe("four processes over Redis, simulated", () => {
  it.each(machines.map((machine) => [machine.name, machine] as const))(
    "begin as recorded on a %s machine",
    async (name, machine) =>
      expect(await firstSeconds(machine)).toBe(recorded()[`cluster: ${name}`]),
  );

  const stalled = [
    // Of requests in flight together each report counts some of the others twice.
    ["calm", 3, calm!],
    // The store counted a request that rounding hid from all processes.
    ["crowded", 5, crowded!],
    // Places were spent on departures that were known already.
    ["busy", 1, busy!],
    ["busy", 2, busy!],
    ["crowded", 1, crowded!],
  ] as const;

  it.each(isWhole ? stalled : stalled.slice(0, 2))(
    "use nearly all of the first minute on a %s machine, seed %i [NS-11]",
    async (_, seed, machine) => {
      const { each, share, stall, violations } = await runCluster({ machine, seconds }, seed);
      expect(violations).toBe(0);
      expect(share).toBeGreaterThanOrEqual(isWhole ? 0.95 : 0.8);
      // The longest wait is the one for the first departure.
      expect(stall).toBeLessThan(1500);
      // Each of them has its turns.
      expect(Math.min(...each)).toBeGreaterThan(seconds);
    },
  );

  it.each(isWhole ? [1, 2, 3, 4, 5, 6] : [1, 4])(
    "follow clocks that run fast or slow, and share alike, seed %i",
    async (seed) => {
      const { each, served, share, violations } = await runCluster(
        { machine: calm!, seconds: 1.5 * seconds, drift: 0.01 },
        seed,
      );
      expect(violations).toBe(0);
      expect(share).toBeGreaterThanOrEqual(isWhole ? 0.95 : 0.8);
      // Who is first once is not first each time.
      expect(Math.min(...each)).toBeGreaterThan((0.7 * served) / each.length);
    },
  );

  it.each(isWhole ? [1000, 5000] : [5000])(
    "find a bucket of %i ms without exceeding it",
    async (bucket) => {
      const windows = [
        { max: 20, period: 1000 },
        { max: 60, period: 4000, bucket },
      ];
      const { served, violations } = await runCluster(
        { machine: busy!, seconds: seconds / 2, windows },
        1,
      );
      expect(violations).toBe(0);
      expect(served).toBeGreaterThan((bucket === 1000 ? 5 : 3) * seconds);
    },
  );
});

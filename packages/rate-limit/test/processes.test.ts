/** Several processes on one budget in a simulated Redis: no 429, and hardly a place unused. */
import { describe, expect, it } from "vitest";
import { machines, runCluster } from "./model/processes.ts";

const [calm, busy, crowded] = machines;

describe("four processes over Redis, simulated", () => {
  it.each([
    // Of requests in flight together each report counts some of the others twice.
    ["calm", 3, calm!],
    ["busy", 2, busy!],
    // Places were spent on departures that were known already.
    ["busy", 1, busy!],
    // The store counted a request that rounding hid from all processes.
    ["crowded", 5, crowded!],
    ["crowded", 1, crowded!],
  ])("use 95 per cent of a minute on a %s machine, seed %i [NS-11]", async (_, seed, machine) => {
    const { each, share, stall, violations } = await runCluster({ machine, seconds: 60 }, seed);
    expect(violations).toBe(0);
    expect(share).toBeGreaterThanOrEqual(0.95);
    // The longest wait is the one for the first departure.
    expect(stall).toBeLessThan(1500);
    // Each of them has its turns.
    expect(Math.min(...each)).toBeGreaterThan(100);
  });

  it("follow clocks that run fast or slow", async () => {
    const { share, violations } = await runCluster(
      { machine: calm!, seconds: 90, drift: 0.002 },
      1,
    );
    expect(violations).toBe(0);
    expect(share).toBeGreaterThanOrEqual(0.95);
  });

  it.each([1000, 5000])("find a bucket of %i ms without exceeding it", async (bucket) => {
    const windows = [
      { max: 20, period: 1000 },
      { max: 60, period: 4000, bucket },
    ];
    const { served, violations } = await runCluster({ machine: busy!, seconds: 30, windows }, 1);
    expect(violations).toBe(0);
    expect(served).toBeGreaterThan(bucket === 1000 ? 300 : 200);
  });
});

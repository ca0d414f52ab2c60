import { describe, expect, it } from "vitest";
import { faultSoak } from "../scripts/faultSoak.ts";

describe("calls under fire", () => {
  it("each call under random faults returns the right value or error, and leaves no socket open", async () => {
    const summary = await faultSoak(600);
    expect(summary.wrong).toEqual([]);
    const failed = Object.values(summary.errors).reduce((sum, count) => sum + count, 0);
    expect(summary.values + failed).toBe(600);
    // On a busy machine, calls without a fault end with Timeout too.
    expect(summary.values + (summary.errors["Timeout"] ?? 0)).toBeGreaterThan(450);
    expect(summary.values).toBeGreaterThan(100);
    expect(summary.socketsLeft).toBe(0);
  });
});

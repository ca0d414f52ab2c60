import { describe, expect, it } from "vitest";
import { faultSoak } from "../scripts/faultSoak.ts";

describe("calls under fire", () => {
  it("each ends in the right value or a right error, and leaves no socket behind", async () => {
    const summary = await faultSoak(600);
    expect(summary.wrong).toEqual([]);
    const failed = Object.values(summary.errors).reduce((sum, count) => sum + count, 0);
    expect(summary.values + failed).toBe(600);
    expect(summary.values).toBeGreaterThan(450);
    expect(summary.socketsLeft).toBe(0);
  });
});

/** For any policies, latencies and interleavings: no true sliding window is ever exceeded. */
import { expect, it } from "vitest";
import { randomService } from "./model/randomService.ts";
import { simulate } from "./model/simulate.ts";

it("the planner never exceeds a true sliding window of the declared rules [NS-11]", () => {
  for (let seed = 1001; seed <= 1020; seed++) {
    const { served, violations } = simulate({ ...randomService(seed), hours: 0.05 }, seed);
    expect([seed, violations]).toEqual([seed, 0]);
    expect(served).toBeGreaterThan(0);
  }
});

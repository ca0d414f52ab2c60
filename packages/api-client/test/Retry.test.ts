import { describe, expect, it } from "vitest";
import { RetryBudget, retryDelay, retrySettings } from "../src/Retry.ts";

describe("waits between attempts", () => {
  it("are random up to a bound that doubles, and no longer than the cap", () => {
    const settings = retrySettings({ base: "100 millis", cap: "1 second" });
    expect([0, 1, 2, 3, 9].map((retry) => retryDelay(settings, retry, 1, 0))).toEqual([
      100, 200, 400, 800, 1000,
    ]);
    expect(retryDelay(settings, 5, 0, 0)).toBe(0);
    expect(retryDelay(settings, 1, 0.5, 0)).toBe(100);
  });

  it("are never shorter than the service asked for", () => {
    const settings = retrySettings();
    for (const random of [0, 0.3, 1]) {
      expect(retryDelay(settings, 0, random, 7000)).toBeGreaterThanOrEqual(7000);
    }
  });

  it("have defaults", () => {
    expect(retrySettings()).toEqual({ times: 3, base: 250, cap: 20_000, budget: 20 });
  });
});

describe("the budget", () => {
  it("is spent by retries and earned back by successes, up to where it began", () => {
    const budget = new RetryBudget(2);
    expect([budget.withdraw(), budget.withdraw(), budget.withdraw()]).toEqual([true, true, false]);
    budget.deposit();
    expect(budget.withdraw()).toBe(false);
    budget.deposit();
    expect(budget.withdraw()).toBe(true);
    for (let success = 0; success < 100; success++) budget.deposit();
    expect([budget.withdraw(), budget.withdraw(), budget.withdraw()]).toEqual([true, true, false]);
  });
});

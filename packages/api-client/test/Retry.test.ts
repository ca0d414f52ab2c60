import { describe, expect, it } from "vitest";
import { createGameApi } from "../src/promise.ts";
import { retryDelay, retrySettings } from "../src/Retry.ts";
import { recording } from "./recording.ts";
import { userAgent } from "./sandbox.ts";

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
  it("is spent by retries and earned back by successes, up to where it began", async () => {
    const statuses = [503, 200, 503, 200, 200, 200, 503, 200, 503];
    const api = createGameApi({
      baseUrl: "https://api.example",
      userAgent,
      retry: { times: 1, base: 0, budget: 1 },
      transport: recording((_, index) => ({ status: statuses[index]! })).transport,
    });
    const ends: Array<string> = [];
    for (let call = 0; call < 7; call++)
      await api.profile.get().then(
        () => ends.push("value"),
        ({ _tag }) => ends.push(_tag),
      );
    expect(ends).toEqual([
      "value",
      "ServerError",
      "value",
      "value",
      "value",
      "value",
      "ServerError",
    ]);
  });
});

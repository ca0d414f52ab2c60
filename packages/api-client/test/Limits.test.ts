import { routes } from "@game-data/contract";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { fetchLimits, limitProbes } from "../src/index.ts";
import { useSandbox } from "./sandbox.ts";

const { call } = useSandbox({ rates: "realistic" });

it("learns the windows of every probe by one request, and forecasts from them", async () => {
  const known = await call((api) =>
    Effect.forEach(limitProbes, (probe) => fetchLimits(api, probe, 1000)),
  );
  expect(known.map(({ route }) => route)).toEqual(limitProbes.map(({ route }) => route));
  for (const { forecastMillis, limits, policy, windows } of known) {
    expect(limits).toBe("learned");
    expect(policy).not.toBe("");
    expect(windows[0]).toMatchObject({ used: 1, max: expect.any(Number) });
    // A thousand requests are more than any window holds.
    expect(forecastMillis).toBeGreaterThan(0);
  }
});

it("asks for the scope that the operation wants", () => {
  for (const { operation, route, scope } of limitProbes)
    expect([routes[operation].route, routes[operation].scopes]).toEqual([route, [scope]]);
});

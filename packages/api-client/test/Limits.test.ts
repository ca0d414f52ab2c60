import { routes, scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import { Effect, Layer } from "effect";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fetchLimits, GameApi, limitProbes } from "../src/index.ts";
import { type Sandbox, tokenFor, userAgent } from "./sandbox.ts";

let sandbox: Sandbox;
let token: string;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1, rates: "realistic" });
  token = await tokenFor(sandbox, scopes);
});
afterAll(() => sandbox.close());

it("learns the windows of every probe by one request, and forecasts from them", async () => {
  const layer = GameApi.layer({
    baseUrl: sandbox.baseUrl,
    credentials: token,
    userAgent,
  }).pipe(Layer.provide(NodeHttpClient.layerUndici));
  const known = await Effect.runPromise(
    Effect.provide(
      Effect.flatMap(GameApi, (api) =>
        Effect.forEach(limitProbes, (probe) => fetchLimits(api, probe, 1000)),
      ),
      layer,
    ),
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

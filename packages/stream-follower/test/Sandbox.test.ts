/** The follower against the sandbox, over real loopback HTTP and through the API client. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { GameApi } from "@game-data/api-client";
import { startSandbox } from "@game-data/sandbox";
import { Effect, Layer } from "effect";
import { expect, it } from "vitest";
import { Follower, GameApiSource, Lease, SinkMemory } from "../src/index.ts";

it("x", async () => {
  const sandbox = await startSandbox({ seed: 1 });
  const issued = await fetch(`${sandbox.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      clientId: "example-service",
      scopes: ["service:psapi", "service:cxapi"],
    }),
  });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const memory = SinkMemory.empty();
  const api = GameApi.layer({
    baseUrl: sandbox.baseUrl,
    userAgent: { clientId: "example-service", version: "1.0.0", contact: "a@example.com" },
    credentials: token,
  }).pipe(Layer.provide(NodeHttpClient.layerUndici));
  const summary = await Effect.runPromise(
    Follower.run({ source: "stashes", until: "caughtUp", decode: "full" }).pipe(
      Effect.provide(
        Layer.mergeAll(
          SinkMemory.layer(memory),
          Lease.none,
          GameApiSource.layer.pipe(Layer.provide(api)),
        ),
      ),
    ),
  );
  console.log(summary, memory.stashes.size, memory.quarantine.length);
  const s2 = await Effect.runPromise(
    Follower.run({ source: "exchange", realm: "game2", until: "caughtUp", decode: "full" }).pipe(
      Effect.provide(
        Layer.mergeAll(
          SinkMemory.layer(memory),
          Lease.none,
          GameApiSource.layer.pipe(Layer.provide(api)),
        ),
      ),
    ),
  );
  console.log(s2, memory.markets.size, memory.quarantine.length, memory.gaps);
  expect(1).toBe(1);
  await sandbox.close();
});

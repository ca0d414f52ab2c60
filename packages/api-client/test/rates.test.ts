import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import { Duration, Effect } from "effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GameApi, withResponse } from "../src/index.ts";
import { clientLayer, type Sandbox, tokenFor } from "./sandbox.ts";

let sandbox: Sandbox;
let token: string;

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 1 });
  token = await tokenFor(sandbox, scopes);
}, 60_000);
afterEach(() => sandbox.close());

const policies = (rule: string, buckets: boolean) =>
  fetch(`${sandbox.controlUrl}/policies`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      enabled: true,
      hiddenBuckets: buckets ? { shortSeconds: 1, longSeconds: 2, longFromSeconds: 4 } : null,
      policies: { "profile-limit": { Client: rule } },
      endpoints: { profile: "profile-limit" },
    }),
  });

describe("the limiter against the sandbox's own counters", () => {
  it.each([
    ["true sliding windows", false],
    ["hidden buckets", true],
  ])(
    "%s: as many calls as permitted, and no 429 [NS-10] [NS-11]",
    async (_, buckets) => {
      expect((await policies("6:2:10,10:4:10", buckets)).status).toBeLessThan(300);
      const statuses: Array<number | undefined> = [];
      await Effect.runPromise(
        Effect.gen(function* () {
          const api = yield* GameApi;
          const call = Effect.map(withResponse(api.profile.get()), ({ response }) => {
            statuses.push(response?.status);
            expect(response?.attempts).toBe(1);
          });
          yield* Effect.forEach([1, 2, 3], () => Effect.forever(call), {
            concurrency: 3,
            discard: true,
          }).pipe(Effect.timeoutOption("13 seconds"));
        }).pipe(
          Effect.provide(
            clientLayer(sandbox, {
              credentials: token,
              limiter: {
                suspectedBucket: (period) => (Duration.toMillis(period) < 4000 ? 1000 : 2000),
              },
            }),
          ),
        ),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      // Ten in four seconds, or in six with the bucket.
      expect(statuses.length).toBeGreaterThanOrEqual(0.95 * (buckets ? 20 : 27));
    },
    40_000,
  );
});

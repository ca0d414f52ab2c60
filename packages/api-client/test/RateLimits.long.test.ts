import { scopes } from "@game-data/contract";
import { createSandboxHandler } from "@game-data/sandbox";
import { Effect, Fiber, Layer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { userAgent } from "./sandbox.ts";

type Handler = Awaited<ReturnType<typeof createSandboxHandler>>;

const tell = async (sandbox: Handler, method: string, path: string, body: unknown) => {
  const response = await sandbox.fetch(
    new Request(`${sandbox.controlUrl}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as { readonly access_token: string };
};

const policies = (rule: string, buckets: boolean) => ({
  enabled: true,
  hiddenBuckets: buckets ? { shortSeconds: 5, longSeconds: 10, longFromSeconds: 20 } : null,
  policies: { "profile-limit": { Client: rule } },
  endpoints: { profile: "profile-limit" },
});

/** The service's clock and ours go on together by so much at a time. */
const STEP = 200;
const STEPS = 1500;
/** By then the limiter has found out how the service counts. */
const LEARNED = 500;

describe("the limiter against the sandbox's own counters", () => {
  it.each([
    ["true sliding windows", false],
    ["hidden buckets", true],
  ] as const)(
    "%s: as many calls as permitted, and no 429 [NS-10] [NS-11]",
    (_, buckets) =>
      Effect.gen(function* () {
        const sandbox = yield* Effect.acquireRelease(
          Effect.promise(() => createSandboxHandler({ seed: 1 })),
          (handler) => Effect.promise(() => handler.close()),
        );
        const say = (method: string, path: string, body: unknown) =>
          Effect.promise(() => tell(sandbox, method, path, body));
        const { access_token } = yield* say("POST", "/tokens", {
          clientId: "example-web",
          account: sandbox.accounts[0]?.name,
          scopes,
        });
        yield* say("POST", "/clock", { freeze: true });
        yield* say("PUT", "/policies", policies("6:10:10,10:20:10", buckets));

        let inFlight = 0;
        const transport: typeof globalThis.fetch = async (input, init) => {
          inFlight++;
          try {
            // No wire, no cipher.
            return await sandbox.fetch(new Request(String(input).replace("https:", "http:"), init));
          } finally {
            inFlight--;
          }
        };
        const statuses: Array<number | undefined> = [];
        let atFirst = 0;
        const settled = Effect.promise(async () => {
          let quiet = 0;
          while (quiet < 2) {
            await new Promise<void>((resolve) => setImmediate(resolve));
            quiet = inFlight === 0 ? quiet + 1 : 0;
          }
        });
        yield* Effect.gen(function* () {
          const api = yield* GameApi;
          const call = api.profile.get({
            onResponse: ({ attempts, status }) => {
              statuses.push(status);
              expect(attempts).toBe(1);
            },
          });
          const callers = yield* Effect.forkChild(
            Effect.forEach([1, 2, 3], () => Effect.forever(call), {
              concurrency: 3,
              discard: true,
            }),
          );
          for (let step = 0; step < STEPS; step++) {
            if (step === LEARNED) atFirst = statuses.length;
            yield* say("POST", "/clock", { advance: `${STEP} millis` });
            yield* TestClock.adjust(STEP);
            yield* settled;
          }
          yield* Fiber.interrupt(callers);
        }).pipe(
          Effect.provide(
            GameApi.layer({
              baseUrl: sandbox.baseUrl.replace("http:", "https:"),
              userAgent,
              credentials: access_token,
            }).pipe(
              Layer.provide(FetchHttpClient.layer),
              Layer.provide(Layer.succeed(FetchHttpClient.Fetch, transport)),
            ),
          ),
        );
        expect(new Set(statuses)).toEqual(new Set([200]));
        // Ten in 20 seconds, or in 30 with the bucket, for 200 seconds.
        const permitted = buckets ? 66 : 100;
        expect(statuses.length - atFirst).toBeGreaterThanOrEqual(0.95 * permitted);
        // One place of six is kept back while it learns.
        expect(atFirst).toBeGreaterThanOrEqual(0.35 * permitted);
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise),
    120_000,
  );
});

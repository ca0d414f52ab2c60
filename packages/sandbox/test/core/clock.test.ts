/**
 * One virtual clock: beside the real one, frozen, moved, driven by `TestClock`, and kept over a
 * restart.
 */
import { assert, describe, it } from "@effect/vitest";
import { createSandboxHandler, Sandbox } from "@game-data/sandbox";
import { Clock, Duration, Effect } from "effect";
import { TestClock } from "effect/testing";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it as plain } from "vitest";

const clockOf = Effect.map(Sandbox, ({ clock }) => clock);
const start = Date.parse("2026-03-01T00:00:00Z");
const inProcess = Sandbox.layerInProcess({ now: "2026-03-01T00:00:00Z" });

describe("the virtual clock", () => {
  it.effect("runs with the surrounding clock, from where it was set", () =>
    Effect.gen(function* () {
      const clock = yield* clockOf;
      assert.strictEqual(yield* clock.now, start);
      yield* TestClock.adjust("5 seconds");
      assert.strictEqual(yield* clock.now, start + 5_000);
      assert.strictEqual(clock.nowUnsafe(), start + 5_000);
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("advances, is set, and never advances backwards", () =>
    Effect.gen(function* () {
      const clock = yield* clockOf;
      assert.strictEqual(yield* clock.advance("31 seconds"), start + 31_000);
      assert.strictEqual(yield* clock.advance(Duration.millis(-1)), start + 31_000);
      assert.strictEqual(yield* clock.set(start - 1), start - 1);
      yield* TestClock.adjust("1 seconds");
      assert.strictEqual(yield* clock.now, start + 999);
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("stands still when frozen, can be moved then, and runs on from there", () =>
    Effect.gen(function* () {
      const clock = yield* clockOf;
      yield* clock.freeze();
      yield* TestClock.adjust("1 hour");
      assert.strictEqual(yield* clock.now, start);
      assert.strictEqual(yield* clock.advance("2 seconds"), start + 2_000);
      assert.strictEqual((yield* clock.state).frozen, true);
      yield* clock.resume;
      yield* TestClock.adjust("1 seconds");
      assert.strictEqual(yield* clock.now, start + 3_000);
      assert.strictEqual(yield* clock.freeze(start), start);
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("goes back to its first instant at a reset", () =>
    Effect.gen(function* () {
      const clock = yield* clockOf;
      yield* clock.freeze();
      yield* clock.advance("1 days");
      assert.strictEqual(yield* clock.reset, start);
      assert.strictEqual((yield* clock.state).frozen, false);
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("is Effect's own clock for whoever handles a request", () =>
    Effect.gen(function* () {
      const clock = yield* clockOf;
      yield* clock.advance("1 days");
      const seen = yield* Clock.currentTimeMillis.pipe(
        Effect.provideService(Clock.Clock, clock.effectClock),
      );
      assert.strictEqual(seen, start + 86_400_000);
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("driven by TestClock ages what the server issued [LC-01]", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox;
      const exchange = async (wait: Effect.Effect<void>) => {
        const redirect = await consent(sandbox);
        await Effect.runPromise(wait);
        const form = new URLSearchParams({
          grant_type: "authorization_code",
          client_id: "example-desktop",
          code: new URL(redirect).searchParams.get("code") ?? "",
          redirect_uri: "http://127.0.0.1:8765/callback",
          code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        });
        const response = await sandbox.fetch(
          new Request(`${sandbox.authUrl}/oauth/token`, {
            method: "POST",
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: form.toString(),
          }),
        );
        return response.status;
      };
      const context = yield* Effect.context<never>();
      const adjust = (duration: Duration.Input) =>
        Effect.provide(TestClock.adjust(duration), context);
      assert.strictEqual(yield* Effect.promise(() => exchange(adjust("29 seconds"))), 200);
      assert.strictEqual(yield* Effect.promise(() => exchange(adjust("31 seconds"))), 400);
    }).pipe(Effect.provide(inProcess)),
  );
});

const consent = (sandbox: Sandbox["Service"]): Promise<string> => {
  const query = new URLSearchParams({
    client_id: "example-desktop",
    response_type: "code",
    scope: "account:profile",
    state: "s",
    redirect_uri: "http://127.0.0.1:8765/callback",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  return sandbox.consent(`${sandbox.authUrl}/oauth/authorize?${query}`);
};

plain("keeps its offset in the file over a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-clock-"));
  const file = join(folder, "f.db");
  const readNow = async (sandbox: Awaited<ReturnType<typeof createSandboxHandler>>) => {
    const response = await sandbox.fetch(new Request(`${sandbox.authUrl}/my/applications`));
    return Date.parse(response.headers.get("date") ?? "");
  };
  const first = await createSandboxHandler({ file, now: "2030-01-01T00:00:00Z" });
  expect(Math.abs((await readNow(first)) - Date.parse("2030-01-01T00:00:00Z"))).toBeLessThan(
    60_000,
  );
  await first.close();
  const second = await createSandboxHandler({ file });
  expect(Math.abs((await readNow(second)) - Date.parse("2030-01-01T00:00:00Z"))).toBeLessThan(
    60_000,
  );
  await second.close();
  rmSync(folder, { recursive: true });
});

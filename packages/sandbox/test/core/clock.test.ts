/**
 * One virtual clock: beside the real one, frozen, moved, driven by `TestClock`, and kept over a
 * restart.
 */
import { assert, describe, it } from "@effect/vitest";
import { createSandboxHandler, Sandbox } from "@game-data/sandbox";
import { Duration, Effect } from "effect";
import { TestClock } from "effect/testing";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it as plain } from "vitest";
import { authorizeQuery, DESKTOP, pkce } from "../oauth/harness.ts";

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
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("stands still when frozen, is moved then, runs on from there, and is reset", () =>
    Effect.gen(function* () {
      const clock = yield* clockOf;
      yield* clock.freeze();
      yield* TestClock.adjust("1 hour");
      assert.strictEqual(yield* clock.now, start);
      assert.strictEqual(yield* clock.advance("2 seconds"), start + 2_000);
      assert.strictEqual(yield* clock.advance(Duration.millis(-1)), start + 2_000);
      assert.strictEqual((yield* clock.state).frozen, true);
      yield* clock.resume;
      yield* TestClock.adjust("1 seconds");
      assert.strictEqual(yield* clock.now, start + 3_000);
      assert.strictEqual(yield* clock.set(start - 1), start - 1);
      assert.strictEqual(yield* clock.freeze(start), start);
      yield* clock.advance("1 days");
      assert.strictEqual(yield* clock.reset, start);
      assert.strictEqual((yield* clock.state).frozen, false);
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("driven by TestClock ages what the server issued [LC-01]", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox;
      const exchange = async (wait: Effect.Effect<void>) => {
        const { challenge, verifier } = pkce();
        const of = { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri };
        const query = authorizeQuery({ ...of, code_challenge: challenge });
        const redirect = await sandbox.consent(`${sandbox.authUrl}/oauth/authorize?${query}`);
        await Effect.runPromise(wait);
        const body = new URLSearchParams({
          ...of,
          grant_type: "authorization_code",
          code: new URL(redirect).searchParams.get("code") ?? "",
          code_verifier: verifier,
        });
        const request = new Request(`${sandbox.authUrl}/oauth/token`, { method: "POST", body });
        return (await sandbox.fetch(request)).status;
      };
      const context = yield* Effect.context<never>();
      const adjust = (duration: Duration.Input) =>
        Effect.provide(TestClock.adjust(duration), context);
      assert.strictEqual(yield* Effect.promise(() => exchange(adjust("29 seconds"))), 200);
      assert.strictEqual(yield* Effect.promise(() => exchange(adjust("31 seconds"))), 400);
    }).pipe(Effect.provide(inProcess)),
  );
});

plain("keeps its offset in the file over a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-clock-"));
  const file = join(folder, "f.db");
  for (const now of ["2030-01-01T00:00:00Z", undefined]) {
    await using sandbox = await createSandboxHandler({ file, now });
    const response = await sandbox.fetch(new Request(`${sandbox.authUrl}/my/applications`));
    const shown = Date.parse(response.headers.get("date") ?? "");
    expect(Math.abs(shown - Date.parse("2030-01-01T00:00:00Z"))).toBeLessThan(60_000);
  }
  rmSync(folder, { recursive: true });
});

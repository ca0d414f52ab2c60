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

const clockOf = Effect.map(Sandbox, ({ clock }) => clock);
const start = Date.parse("2026-03-01T00:00:00Z");
const inProcess = Sandbox.layerInProcess({ now: "2026-03-01T00:00:00Z" });

describe("the virtual clock", () => {
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

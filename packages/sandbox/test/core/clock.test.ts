/** One virtual clock: beside the real one, frozen, moved, driven by `TestClock`. */
import { assert, describe, it } from "@effect/vitest";
import { Sandbox } from "@game-data/sandbox";
import { Duration, Effect } from "effect";
import { TestClock } from "effect/testing";

const clockOf = Effect.map(Sandbox, ({ clock }) => clock);
const start = Date.parse("2026-03-01T00:00:00Z");
const inProcess = Sandbox.layerInProcess({ now: "2026-03-01T00:00:00Z" });

describe("the virtual clock", () => {
  it.effect("the virtual clock can be frozen, moved, continued and reset", () =>
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

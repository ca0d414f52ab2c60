import { Effect, Fiber } from "effect";
import { expect, it } from "vitest";
import { terminationSignal } from "../src/Signals.ts";

it("completes with the first signal and leaves every later one, of either kind, to its default", async () => {
  const before = ["SIGTERM", "SIGINT"].map((signal) => process.listenerCount(signal));
  const waiting = Effect.runFork(terminationSignal());
  process.emit("SIGTERM", "SIGTERM");
  expect(await Effect.runPromise(Fiber.join(waiting))).toBe("SIGTERM");
  expect(["SIGTERM", "SIGINT"].map((signal) => process.listenerCount(signal))).toEqual(before);
});

/**
 * A process that is paused during a renewal: between its intent and the send, and between the
 * response and the write of the new tokens. By the time it wakes, others may take it for dead.
 */
import { assert, describe } from "@effect/vitest";
import { Deferred, Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { Session } from "../src/index.ts";
import { signedIn, steppedStore } from "./clients.ts";
import { it } from "./it.ts";

const reveal = Redacted.value;

/** Where the process stops: after its intent is durable, or before its new tokens are written. */
type Pause = "after the intent" | "before the tokens";

/** A process that stops once, until it is woken, and another one on the same store. */
const pausedHolder = Effect.fnUntraced(function* (
  pause: Pause,
  options: Session.SessionOptions = {},
) {
  const { hooks, memory, store } = steppedStore();
  const paused = yield* Deferred.make<void>();
  const wake = yield* Deferred.make<void>();
  hooks.at = (step) => {
    if (step !== pause) return Effect.void;
    hooks.at = () => Effect.void;
    return Effect.andThen(Deferred.succeed(paused, undefined), Deferred.await(wake));
  };
  const { client, server } = yield* signedIn({ store: memory });
  const holder = Session.forUser(client, { ...options, store });
  const other = Session.forUser(client, { ...options, store: memory });
  // The access token has expired, so the caller waits for the renewal.
  yield* TestClock.adjust("1 hour");
  const fiber = yield* Effect.forkChild(holder.accessToken);
  yield* Deferred.await(paused);
  const sends = () => server.received.map(({ form }) => form.get("refresh_token"));
  return { fiber, memory, other, sends, wake: Deferred.succeed(wake, undefined) };
});

describe("a process that is paused between its intent and the send", () => {
  it.effect(
    "a process paused before its refresh request sends it if it wakes within five seconds",
    function* () {
      const { fiber, sends, wake } = yield* pausedHolder("after the intent");
      yield* TestClock.adjust("5 seconds");
      yield* wake;
      assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
      assert.deepStrictEqual(sends(), ["RT-1"]);
    },
  );

  it.effect(
    "a process paused for over five seconds writes a new intent before its refresh",
    function* () {
      const { fiber, memory, sends, wake } = yield* pausedHolder("after the intent");
      const old = (yield* memory.read("desktop"))?.version;
      yield* TestClock.adjust("5001 millis");
      assert.deepStrictEqual(sends(), []);
      yield* wake;
      assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
      assert.deepStrictEqual(sends(), ["RT-1"]);
      assert.notStrictEqual((yield* memory.read("desktop"))?.version, old);
    },
  );

  it.effect("a paused process sends no refresh if another server has renewed", function* () {
    const { fiber, other, sends, wake } = yield* pausedHolder("after the intent");
    yield* TestClock.adjust("26 seconds");
    assert.strictEqual(reveal(yield* other.accessToken), "AT-2");
    yield* wake;
    assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
    assert.deepStrictEqual(sends(), ["RT-1"]);
  });
});

describe("a process that is paused for 30 s between the response and the write", () => {
  it.effect(
    "a process paused before it stores new tokens replaces the end that another server wrote",
    function* () {
      const paused = yield* pausedHolder("before the tokens", { onLostAnswer: "signIn" });
      const { fiber, other, sends, wake } = paused;
      yield* TestClock.adjust("30 seconds");
      const error = yield* Effect.flip(other.accessToken);
      assert.deepInclude(error, { _tag: "InvalidGrant", lostAnswer: true });
      assert.deepStrictEqual(yield* other.status, { _tag: "Dead", lostAnswer: true });
      yield* wake;
      assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
      assert.strictEqual(reveal(yield* other.accessToken), "AT-2");
      assert.deepStrictEqual(sends(), ["RT-1"]);
    },
  );
});

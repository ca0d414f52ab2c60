/**
 * A process that was paused between its intent and the send does not send any more: by the time it
 * wakes, others may take it for dead.
 */
import { assert, describe } from "@effect/vitest";
import { Deferred, Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { Session, TokenStore } from "../src/index.ts";
import { decode } from "../src/internal/Grant.ts";
import { signedIn } from "./clients.ts";
import { it } from "./it.ts";

const reveal = Redacted.value;

/** A process whose first write of an intent is durable, and returns only when it is woken. */
const pausedAfterIntent = Effect.fnUntraced(function* () {
  const memory = TokenStore.memory();
  const paused = yield* Deferred.make<void>();
  const wake = yield* Deferred.make<void>();
  let intents = 0;
  const store: TokenStore.TokenStore = {
    read: memory.read,
    write: (key, expected, next) =>
      Effect.gen(function* () {
        const isWritten = yield* memory.write(key, expected, next);
        if (!next || !decode(next.text)?.intent) return isWritten;
        intents += 1;
        if (intents > 1) return isWritten;
        yield* Deferred.succeed(paused, undefined);
        yield* Deferred.await(wake);
        return isWritten;
      }),
  };
  const { client, server } = yield* signedIn({ store: memory });
  const holder = Session.forUser(client, { store });
  const other = Session.forUser(client, { store: memory });
  // The access token has ended, so the caller waits for the renewal.
  yield* TestClock.adjust("1 hour");
  const fiber = yield* Effect.forkChild(holder.accessToken);
  yield* Deferred.await(paused);
  const sends = () => server.received.map(({ form }) => form.get("refresh_token"));
  return { fiber, memory, other, sends, wake: Deferred.succeed(wake, undefined) };
});

describe("a holder that was paused between its intent and the send", () => {
  it.effect("sends at once if it wakes within `sendWithin`", function* () {
    const { fiber, sends, wake } = yield* pausedAfterIntent();
    yield* TestClock.adjust("5 seconds");
    yield* wake;
    assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
    assert.deepStrictEqual(sends(), ["RT-1"]);
  });

  it.effect("sends nothing for that intent after it, and starts over with a new one", function* () {
    const { fiber, memory, sends, wake } = yield* pausedAfterIntent();
    const old = (yield* memory.read("desktop"))?.version;
    yield* TestClock.adjust("5001 millis");
    assert.deepStrictEqual(sends(), []);
    yield* wake;
    assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
    assert.deepStrictEqual(sends(), ["RT-1"]);
    assert.notStrictEqual((yield* memory.read("desktop"))?.version, old);
  });

  it.effect("sends nothing at all when another server has taken over", function* () {
    const { fiber, other, sends, wake } = yield* pausedAfterIntent();
    // Beyond M + T the intent counts as lost, and the access token has ended.
    yield* TestClock.adjust("26 seconds");
    assert.strictEqual(reveal(yield* other.accessToken), "AT-2");
    yield* wake;
    assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
    assert.deepStrictEqual(sends(), ["RT-1"]);
  });
});

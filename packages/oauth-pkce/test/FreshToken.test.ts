/** A fresh token costs one read for a new session, and nothing after it. */
import { assert, describe } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { Session, TokenStore } from "../src/index.ts";
import { signedIn } from "./clients.ts";
import { it } from "./it.ts";

/** A store that counts, and has no lock: two functions are all that a store is. */
const countingStore = () => {
  const memory = TokenStore.memory();
  const counts = { reads: 0, writes: 0 };
  const store: TokenStore.TokenStore = {
    read: (key) => Effect.tap(memory.read(key), () => Effect.sync(() => (counts.reads += 1))),
    write: (...entry) =>
      Effect.tap(memory.write(...entry), () => Effect.sync(() => (counts.writes += 1))),
  };
  return { store, counts };
};

describe("a fresh token from a store", () => {
  it.effect("costs 200 new sessions at once one read each, and no write or request", function* () {
    const { counts, store } = countingStore();
    const { client, server } = yield* signedIn({ store });
    Object.assign(counts, { reads: 0, writes: 0 });
    const sessions = Array.from({ length: 200 }, () => Session.forUser(client, { store }));
    yield* Effect.all(
      sessions.map(({ accessToken }) => accessToken),
      { concurrency: "unbounded" },
    );
    assert.deepStrictEqual(counts, { reads: 200, writes: 0 });
    assert.strictEqual(server.received.length, 0);
  });

  it.effect("costs one session one read, however many callers it has", function* () {
    const { counts, store } = countingStore();
    const { client } = yield* signedIn({ store });
    Object.assign(counts, { reads: 0, writes: 0 });
    const session = Session.forUser(client, { store });
    yield* Effect.all(
      Array.from({ length: 200 }, () => session.accessToken),
      { concurrency: "unbounded" },
    );
    yield* TestClock.adjust("50 minutes");
    yield* session.accessToken;
    assert.deepStrictEqual(counts, { reads: 1, writes: 0 });
  });

  it.effect("costs a renewal one read and two writes: the intent and the tokens", function* () {
    const { counts, store } = countingStore();
    const { client, server } = yield* signedIn({ store });
    yield* TestClock.adjust("1 hour");
    Object.assign(counts, { reads: 0, writes: 0 });
    yield* Session.forUser(client, { store }).accessToken;
    assert.deepStrictEqual(counts, { reads: 1, writes: 2 });
    assert.strictEqual(server.received.length, 1);
  });
});

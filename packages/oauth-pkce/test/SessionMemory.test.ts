/** The memory of a session between calls, and the events that clear it. */
import { assert, describe } from "@effect/vitest";
import { Deferred, Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { Session, TokenStore, type TokenSet } from "../src/index.ts";
import { signedIn, storedTokens, servedBackend } from "./clients.ts";
import { json, rotating, type Reply } from "./FakeServer.ts";
import { it } from "./it.ts";

const reveal = Redacted.value;

/** A store in memory that can be told to fail at writing, or to let reads wait. */
const troubled = () => {
  const memory = TokenStore.memory();
  const trouble = { isFull: false, gate: undefined as Deferred.Deferred<void> | undefined };
  const store: TokenStore.TokenStore = {
    ...memory,
    read: (key) =>
      Effect.andThen(trouble.gate ? Deferred.await(trouble.gate) : Effect.void, memory.read(key)),
    write: (...args) =>
      trouble.isFull && !args[2]?.text.includes("intent")
        ? Effect.die("disk full")
        : memory.write(...args),
  };
  return { memory, store, trouble };
};

const another = (tokens: TokenSet.TokenSet, text: string): TokenSet.TokenSet => ({
  ...tokens,
  accessToken: Redacted.make(text),
});

describe("what a session remembers", () => {
  it.effect(
    "C19: a renewal that trusted the refused token is followed by one that does not",
    function* () {
      const { store, trouble } = troubled();
      const { server, client, tokens } = yield* signedIn({ store });
      // Knows nothing yet: its first renewal adopts what the store holds.
      const session = Session.forUser(client, { store });
      trouble.gate = yield* Deferred.make<void>();
      const trusting = yield* Effect.forkChild(session.accessToken);
      yield* Effect.yieldNow;
      const refusing = yield* Effect.forkChild(session.renew(tokens.accessToken));
      yield* Effect.yieldNow;
      yield* Deferred.succeed(trouble.gate, undefined);
      assert.strictEqual(reveal(yield* Fiber.join(trusting)), "AT-1");
      assert.strictEqual(reveal(yield* Fiber.join(refusing)), "AT-2");
      assert.strictEqual(server.received.length, 1);
    },
  );

  it.effect(
    "C20: after a 401, a token that could not be saved comes before the refused one",
    function* () {
      const { memory, store, trouble } = troubled();
      const { server, session, tokens } = yield* signedIn({ store });
      trouble.isFull = true;
      yield* Effect.exit(session.renew(tokens.accessToken));
      trouble.isFull = false;
      assert.strictEqual(reveal(yield* session.accessToken), "AT-2");
      assert.strictEqual(reveal((yield* storedTokens(memory))!.accessToken), "AT-2");
      assert.strictEqual(server.received.length, 1);
    },
  );

  it.effect(
    "C20: a token that could not be saved does not overwrite a newer sign-in",
    function* () {
      const { memory, store, trouble } = troubled();
      const { client, session, tokens } = yield* signedIn({ store });
      trouble.isFull = true;
      yield* Effect.exit(session.renew(tokens.accessToken));
      trouble.isFull = false;
      yield* Session.forUser(client, { store: memory }).signIn(another(tokens, "AT-sibling"));
      assert.strictEqual(reveal(yield* session.accessToken), "AT-sibling");
      assert.strictEqual(reveal((yield* storedTokens(memory))!.accessToken), "AT-sibling");
    },
  );

  it.effect("C20: what was saved and removed elsewhere is not brought back", function* () {
    const store = TokenStore.memory();
    const { client, server } = yield* servedBackend(
      rotating({ expires_in: null, refresh_token: undefined }),
    );
    const session = Session.forApplication(client, { scopes: ["service:psapi"], store });
    const tokens = yield* session.tokens;
    const entry = yield* store.read("backend");
    yield* store.write("backend", entry?.version, undefined);
    server.reply = json({ error: "invalid_client" }, 401);
    yield* Effect.flip(session.renew(tokens.accessToken));
    assert.isUndefined(yield* storedTokens(store, "backend"));
  });

  it.effect("C20: a sign-in forgets also what could not be saved", function* () {
    const { store, trouble } = troubled();
    const { server, session, tokens } = yield* signedIn({ store });
    yield* TestClock.adjust("1 hour");
    trouble.isFull = true;
    yield* Effect.exit(session.accessToken);
    trouble.isFull = false;
    yield* session.signIn(tokens);
    assert.strictEqual(reveal(yield* session.accessToken), "AT-3");
    assert.strictEqual(server.received.at(-1)!.form.get("refresh_token"), "RT-1");
  });
});

describe("in a token's last minute", () => {
  const almostOver = Effect.fnUntraced(function* (reply: Reply) {
    const { server, session } = yield* signedIn();
    yield* TestClock.adjust("3599 seconds");
    server.reply = reply;
    return session;
  });

  it.effect("C20: a verdict about the client is told at once", function* () {
    const session = yield* almostOver(json({ error: "invalid_client" }, 401));
    assert.strictEqual((yield* Effect.flip(session.accessToken))._tag, "InvalidClient");
  });
});

it.effect("a new session costs one read, and a renewal one read and two writes", function* () {
  const memory = TokenStore.memory();
  const counts = { reads: 0, writes: 0 };
  const store: TokenStore.TokenStore = {
    read: (key) => Effect.suspend(() => ((counts.reads += 1), memory.read(key))),
    write: (...entry) => Effect.suspend(() => ((counts.writes += 1), memory.write(...entry))),
  };
  const { client, server } = yield* signedIn({ store: memory });
  const sessions = Array.from({ length: 200 }, () => Session.forUser(client, { store }));
  const ask = sessions.flatMap(({ accessToken }) => [accessToken, accessToken]);
  yield* Effect.all(ask, { concurrency: "unbounded" });
  assert.deepStrictEqual(counts, { reads: 200, writes: 0 });
  yield* TestClock.adjust("50 minutes");
  yield* sessions[0]!.accessToken;
  assert.deepStrictEqual(counts, { reads: 200, writes: 0 });
  assert.strictEqual(server.received.length, 0);
  yield* TestClock.adjust("10 minutes");
  yield* sessions[0]!.accessToken;
  assert.deepStrictEqual(counts, { reads: 201, writes: 2 });
  assert.strictEqual(server.received.length, 1);
});

/** Edges of a flow that no ordinary callback comes near. */
import { assert, describe } from "@effect/vitest";
import { Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { PendingAuthorization, PkceFlow } from "../src/index.ts";
import { publicClient, startedFlow, validCallback } from "./clients.ts";
import { fakeServer, json, tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";

const WEEK = 7 * 24 * 3600 * 1000;

describe("a flow", () => {
  it.effect("asks for one scope at least", function* () {
    const client = yield* publicClient("https://auth.example.com");
    const error = yield* Effect.flip(PkceFlow.start(client, { scopes: [] }));
    assert.strictEqual(error._tag, "ConfigurationInvalid");
    assert.strictEqual(error.option, "scopes");
  });

  it.effect("is read from its own text alone", function* () {
    const { pending } = yield* startedFlow(yield* publicClient("https://auth.example.com"));
    const text = PendingAuthorization.serialize(pending);
    assert.deepStrictEqual(PendingAuthorization.deserialize(text), pending);
    const { state: _, ...stateless } = JSON.parse(Redacted.value(text)) as Record<string, unknown>;
    for (const other of ["", "{}", "[]", JSON.stringify(stateless)])
      assert.isUndefined(PendingAuthorization.deserialize(other));
  });

  it.effect("C17: the consent's end counts from the exchange", function* () {
    const server = yield* fakeServer();
    const client = yield* publicClient(server.url);
    const callback = yield* validCallback(client);
    yield* TestClock.adjust("20 seconds");
    const tokens = yield* PkceFlow.exchange(client, callback);
    assert.strictEqual(tokens.consentExpiresAt, 20_000 + WEEK);
  });

  it.effect("C15: a token's life counts from the request, not from the answer", function* () {
    const server = yield* fakeServer();
    const client = yield* publicClient(server.url);
    const callback = yield* validCallback(client);
    let release = () => {};
    server.reply = (...args) => (release = () => json(tokenBody({ expires_in: 60 }))(...args));
    const exchange = yield* Effect.forkChild(PkceFlow.exchange(client, callback));
    while (server.received.length === 0) yield* Effect.yieldNow;
    yield* TestClock.adjust("10 seconds");
    release();
    const { issuedAt, expiresAt } = yield* Fiber.join(exchange);
    assert.deepStrictEqual({ issuedAt, expiresAt }, { issuedAt: 0, expiresAt: 60_000 });
  });

  it.effect("C4: a state that differs in a single bit is another one", function* () {
    const client = yield* publicClient("https://auth.example.com");
    const { pending, state } = yield* startedFlow(client);
    for (let at = 0; at < state.length; at++)
      for (let bit = 0; bit < 7; bit++) {
        const other = String.fromCharCode(state.charCodeAt(at) ^ (1 << bit));
        const changed = state.slice(0, at) + other + state.slice(at + 1);
        const query = new URLSearchParams({ state: changed, code: "the-code" });
        const error = yield* Effect.flip(PkceFlow.validateCallback(client, pending, query));
        assert.strictEqual(error._tag, "StateMismatch");
      }
  });

  it.effect(
    "C4: an answered flow is remembered as long as it could be answered again",
    function* () {
      // A memory of its own: the process's holds the flows of other tests.
      const answered = PendingAuthorization.UsedStates.defaultValue();
      const at = (millis: number) => 1e9 + millis;
      assert.isTrue(yield* answered.claim("first", at(1000), at(0)));
      assert.isTrue(yield* answered.claim("second", at(2000), at(0)));
      assert.isFalse(yield* answered.claim("first", at(1000), at(999)));
      // Over: forgotten, or a busy server would remember all flows that there ever were.
      assert.isTrue(yield* answered.claim("first", at(3000), at(1000)));
      assert.isFalse(yield* answered.claim("second", at(2000), at(1999)));
    },
  );
});

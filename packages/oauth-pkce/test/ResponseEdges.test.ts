/**
 * Answers that look like something else: of success, of an inherited member, of a description that
 * may be shown.
 */
import { assert, describe } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { Introspection, Revocation } from "../src/index.ts";
import { publicClient } from "./clients.ts";
import { fakeServer, inTurn, json, type Reply } from "./FakeServer.ts";
import { it } from "./it.ts";

const BEARER = "bearer-sentinel-0123456789";

describe("an answer", () => {
  it.effect("C29: about a token holds own members only, whatever their names", function* () {
    const body = JSON.parse('{"active":false,"__proto__":{"active":true,"scope":"oauth:revoke"}}');
    const server = yield* fakeServer(json(body));
    const client = yield* publicClient(server.url);
    const status = yield* Introspection.introspect(client, Redacted.make("AT-1"));
    assert.isFalse(status.active);
    assert.deepStrictEqual(status.scopes, []);
    assert.isNull(Object.getPrototypeOf(status.claims));
  });

  it.effect("C23: that repeats the bearer of a call is not shown", function* () {
    const echo = { error: "invalid_request", error_description: `what is ${BEARER}?` };
    const server = yield* fakeServer(json(echo, 400));
    const client = yield* publicClient(server.url);
    const using = Redacted.make(BEARER);
    const error = yield* Effect.flip(Revocation.revoke(client, Redacted.make("AT-1"), { using }));
    assert.strictEqual(server.received[0]!.headers.authorization, `Bearer ${BEARER}`);
    assert.strictEqual(error._tag, "RequestRejected");
    assert.include(error.message, "withheld");
    assert.notInclude(error.message + JSON.stringify(error), BEARER);
  });

  it.effect("C23: repeats no credential that is empty", function* () {
    const said = { error: "invalid_request", error_description: "a token is missing" };
    const server = yield* fakeServer(json(said, 400));
    const client = yield* publicClient(server.url);
    const error = yield* Effect.flip(Revocation.revoke(client, Redacted.make("")));
    assert.include(error.message, "a token is missing");
  });

  it.live("C29: that a broken connection swallowed is asked for again", function* () {
    const broken: Reply = (_, response) => response.socket?.resetAndDestroy();
    const server = yield* fakeServer(inTurn(broken, json({ active: true })));
    const client = yield* publicClient(server.url);
    const status = yield* Introspection.introspect(client, Redacted.make("AT-1"));
    assert.isTrue(status.active);
    assert.strictEqual(server.received.length, 2);
  });
});

/**
 * Answers that look like something else: of success, of an inherited member, of a description that
 * may be shown.
 */
import { assert, describe, it } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { Introspection, PkceFlow, Revocation } from "../src/index.ts";
import { sanitize } from "../src/internal/sanitize.ts";
import { publicClient, validCallback } from "./clients.ts";
import { fakeServer, inTurn, json, tokenBody, type Reply } from "./FakeServer.ts";

const exchangeWith = Effect.fnUntraced(function* (body: unknown, status: number) {
  const server = yield* fakeServer(json(body, status));
  const client = yield* publicClient(server.url);
  return yield* PkceFlow.exchange(client, yield* validCallback(client));
});

const BEARER = "bearer-sentinel-0123456789";

describe("an answer", () => {
  it.effect.each([201, 404, 418])(
    "C15: of status %i is a success by its status, not its body",
    (status) =>
      Effect.gen(function* () {
        const exit = yield* Effect.result(exchangeWith(tokenBody(), status));
        if (status === 201) return assert.strictEqual(exit._tag, "Success");
        assert.deepInclude(yield* Effect.flip(exchangeWith(tokenBody(), status)), {
          _tag: "OAuthResponseMalformed",
          status,
          reason: "no error code",
        });
      }),
  );

  it.effect.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "C16: with the error %s is a refusal like any other",
    (error) =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(exchangeWith({ error }, 400));
        assert.deepInclude(failure, { _tag: "RequestRejected", error, status: 400 });
      }),
  );

  it.effect.each(["server_error", "temporarily_unavailable"])(
    "C20: with the error %s says nothing about the grant, whatever its status",
    (error) =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(exchangeWith({ error }, 400));
        assert.deepInclude(failure, { _tag: "ServerUnavailable", error, status: 400 });
      }),
  );

  it.effect("C29: about a token holds own members only, whatever their names", () =>
    Effect.gen(function* () {
      const body = JSON.parse(
        '{"active":false,"__proto__":{"active":true,"scope":"oauth:revoke"}}',
      );
      const server = yield* fakeServer(json(body));
      const client = yield* publicClient(server.url);
      const status = yield* Introspection.introspect(client, Redacted.make("AT-1"));
      assert.isFalse(status.active);
      assert.deepStrictEqual(status.scopes, []);
      assert.isNull(Object.getPrototypeOf(status.claims));
    }),
  );

  it.effect("C23: that repeats the bearer of a call is not shown", () =>
    Effect.gen(function* () {
      const echo = { error: "invalid_request", error_description: `what is ${BEARER}?` };
      const server = yield* fakeServer(json(echo, 400));
      const client = yield* publicClient(server.url);
      const using = Redacted.make(BEARER);
      const error = yield* Effect.flip(Revocation.revoke(client, Redacted.make("AT-1"), { using }));
      assert.strictEqual(server.received[0]!.headers.authorization, `Bearer ${BEARER}`);
      assert.strictEqual(error._tag, "RequestRejected");
      assert.include(error.message, "withheld");
      assert.notInclude(error.message + JSON.stringify(error), BEARER);
    }),
  );

  it("C23: that repeats a credential in other letters, behind an ampersand, is not shown", () => {
    const encoded = [...BEARER].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("");
    assert.include(sanitize(`what?a=b&c=${encoded}`, [BEARER]), "withheld");
  });

  it.effect("C23: repeats no credential that is empty", () =>
    Effect.gen(function* () {
      const said = { error: "invalid_request", error_description: "a token is missing" };
      const server = yield* fakeServer(json(said, 400));
      const client = yield* publicClient(server.url);
      const error = yield* Effect.flip(Revocation.revoke(client, Redacted.make("")));
      assert.include(error.message, "a token is missing");
    }),
  );

  it("C30: that is long is read as far as it could be shown, whatever it repeats", () => {
    const long = "x".repeat(2000);
    assert.strictEqual(sanitize(long + BEARER, [BEARER]), long.slice(0, 200));
    assert.include(sanitize(`${long.slice(0, 1990)}${BEARER}`, [BEARER]), "withheld");
  });

  it.live("C29: that a broken connection swallowed is asked for again", () =>
    Effect.gen(function* () {
      const broken: Reply = (_, response) => response.socket?.resetAndDestroy();
      const server = yield* fakeServer(inTurn(broken, json({ active: true })));
      const client = yield* publicClient(server.url);
      const status = yield* Introspection.introspect(client, Redacted.make("AT-1"));
      assert.isTrue(status.active);
      assert.strictEqual(server.received.length, 2);
    }),
  );
});

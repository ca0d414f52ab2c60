import { assert, describe, test } from "@effect/vitest";
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { Clock, Duration, Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { PkceFlow, TokenCall, TokenRequest, TokenSet } from "../src/index.ts";
import { served, tokenSet, validCallback, whileTimePasses } from "./clients.ts";
import { inTurn, json, raw, tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";

const exchangeWith = Effect.fnUntraced(function* (
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
) {
  const reply = typeof body === "string" ? raw : json;
  const { client } = yield* served(reply(body as string, status, headers));
  return yield* PkceFlow.exchange(client, yield* validCallback(client));
});

const malformed = (reason: string) =>
  ({ _tag: "OAuthResponseMalformed", status: 200, reason }) as const;

describe("a token response", () => {
  it.effect(
    "a token response becomes a TokenSet with every member of §4.1 [OA-16, OA-27, OA-28, OA-29, OA-30, OA-33]",
    function* () {
      yield* TestClock.setTime(1_000_000);
      const tokens = yield* exchangeWith(tokenBody());
      assert.strictEqual(Redacted.value(tokens.accessToken), "AT-1");
      assert.strictEqual(Redacted.value(tokens.refreshToken!), "RT-1");
      assert.deepInclude(tokens, {
        issuedAt: 1_000_000,
        expiresAt: 1_000_000 + 36_000_000,
        scopes: ["account:profile"],
        username: "Account",
        sub: "3f1f4c5e-0000-4000-8000-000000000001",
      });
    },
  );

  const refused: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    expires_in: [-1, 1e300, "soon", "", "-1", "1e3", "1.5", true, [3600], {}],
    token_type: ["mac", undefined, null, ["bearer"], "bearer2", "2bearer"],
    access_token: [undefined, "", null, 1, "a\r\nX: y", "a\0", "é"],
    refresh_token: ["a\nb", {}],
    scope: [["a"]],
  };
  const rows = Object.entries(refused).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  it.effect.each(rows)(
    "a token response with %s %j fails with OAuthResponseMalformed [OA-28, OA-29]",
    function* ([name, value]) {
      const error = yield* Effect.flip(exchangeWith(tokenBody({ [name]: value })));
      assert.deepInclude(error, malformed(name));
    },
  );

  const accepted: ReadonlyArray<readonly [object, object]> = [
    [{ expires_in: undefined }, { expiresAt: "unknown" }],
    [{ expires_in: null }, { expiresAt: "never" }],
    [{ expires_in: 10 }, { expiresAt: 10_000 }],
    [{ expires_in: 0 }, { expiresAt: 0 }],
    [{ expires_in: "3600" }, { expiresAt: 3_600_000 }],
    [{ expires_in: 1.23456 }, { expiresAt: 1234 }],
    [{ expires_in: 3_155_760_000 }, { expiresAt: 3_155_760_000_000 }],
    [{ token_type: "BeArEr" }, {}],
    [{ access_token: '!~"\\ +/=-._' }, {}],
    [{ refresh_token: null }, { refreshToken: undefined }],
    [{ refresh_token: "" }, { refreshToken: undefined }],
    [{ scope: null }, { scopes: ["account:profile"] }],
    [{ scope: undefined }, { scopes: ["account:profile"] }],
    [{ scope: "" }, { scopes: [] }],
    [{ foo: 1, id_token: "x", "": null }, {}],
    [
      { username: 1, sub: {} },
      { username: undefined, sub: undefined },
    ],
    [{ sub: "" }, { sub: undefined }],
  ];
  it.effect.each(accepted)(
    "a token response with %j becomes a TokenSet with %j [OA-28, OA-29, OA-30, CL-13, NS-31]",
    function* ([changes, expected]) {
      const tokens = yield* exchangeWith(tokenBody({ ...changes }));
      assert.deepInclude(
        { refreshToken: undefined, username: undefined, sub: undefined, ...tokens },
        expected,
      );
    },
  );

  test("missingScopes lists the requested scopes that were not granted", () => {
    const { missingScopes } = TokenSet;
    assert.deepStrictEqual(missingScopes(tokenSet(), ["account:profile", "a"]), ["a"]);
  });
});

describe("an error response", () => {
  const html = "<html><script>alert(1)</script>invalid_grant</html>";
  const challenge = { "www-authenticate": 'Basic realm="x"' };
  const wait = (seconds: string) => ({ "retry-after": seconds });
  const code = (error: unknown) => ({ error });
  const misleading = { ...code("invalid_request"), error_description: "invalid_grant" };
  const tokensAndError = { ...tokenBody(), ...code("invalid_grant") };
  /** Status and body, the error's tag with its code and its seconds, and headers. */
  type Case = readonly [number, unknown, string, Record<string, string>?];
  const cases: Readonly<Record<string, Case>> = {
    invalid_grant: [400, code("invalid_grant"), "InvalidGrant invalid_grant"],
    invalid_client: [401, code("invalid_client"), "InvalidClient invalid_client"],
    "a bare 401 with a challenge": [401, "", "InvalidClient invalid_client", challenge],
    unauthorized_client: [400, code("unauthorized_client"), "InvalidClient unauthorized_client"],
    invalid_scope: [400, code("invalid_scope"), "InvalidScope invalid_scope"],
    "an unknown code": [400, code("x_custom.7"), "RequestRejected x_custom.7"],
    "forbidden characters": [400, code('a"b\\c\r\nd\u0000é'), "RequestRejected a b c d"],
    "a description that names another code": [400, misleading, "RequestRejected invalid_request"],
    "an empty error": [400, code(""), "RequestRejected unreadable_error"],
    "tokens and an error": [200, tokensAndError, "InvalidGrant invalid_grant"],
    "server_error with 400": [400, code("server_error"), "ServerUnavailable server_error"],
    "a 503 with JSON": [503, code("invalid_grant"), "ServerUnavailable invalid_grant"],
    "a 503 with Retry-After": [503, "", "ServerUnavailable 17", wait("17")],
    "a 429": [429, "", "ServerUnavailable 1", wait("1")],
    "a 500 of HTML": [500, html, "ServerUnavailable"],
    "a 400 of HTML": [400, html, "OAuthResponseMalformed no error code"],
    "a 200 of HTML": [200, html, "OAuthResponseMalformed no JSON object"],
    "a 418 with tokens": [418, tokenBody(), "OAuthResponseMalformed no error code"],
    "an inherited member": [400, code("__proto__"), "RequestRejected __proto__"],
    "an error that is an object": [400, code({ a: 1 }), "OAuthResponseMalformed no error code"],
  };
  it.effect.each(Object.keys(cases))("a token endpoint's error: %s [ER-08]", function* (name) {
    const [status, body, expected, headers] = cases[name]!;
    const error: object = yield* Effect.flip(exchangeWith(body, status, headers));
    const { _tag, error: found, reason, retryAfter } = error as Record<string, unknown>;
    const seconds = Duration.isDuration(retryAfter) && Duration.toSeconds(retryAfter);
    assert.strictEqual([_tag, found, seconds, reason].filter(Boolean).join(" "), expected);
    assert.propertyVal(error, "status", status);
    assert.notInclude((error as Error).message, "alert");
  });

  it.effect("an OAuth error's description is cut and has no control characters", function* () {
    const error_description = `\u001b[31mcode\r\nis "expired" <img src=x>\u202e ${"x".repeat(5000)}`;
    const error = yield* Effect.flip(
      exchangeWith({ error: "invalid_grant", error_description, error_uri: "javascript:0" }, 400),
    );
    assert.strictEqual(error._tag, "InvalidGrant");
    assert.match(
      error.message,
      /; description \[31mcode is expired img src=x x+; grant authorization_code\)\. Sign in again\.$/,
    );
    assert.isBelow(error.message.length, 350);
    assert.notInclude(JSON.stringify(error), "javascript");
  });
});

it.effect.each<readonly [object, object]>([
  [{ refresh_token: undefined }, { refreshToken: "RT-1" }],
  [{ refresh_token: null }, { refreshToken: "RT-1" }],
  [{ refresh_token: "" }, { refreshToken: "RT-1" }],
  [{ refresh_token: "RT-2" }, { refreshToken: "RT-2" }],
  [{ scope: undefined }, { scopes: ["account:profile"] }],
  [{ scope: "" }, { scopes: [] }],
  // The user did not consent to guilds.
  [{ scope: "account:guilds account:profile" }, { scopes: ["account:profile"] }],
  [
    { username: undefined, sub: undefined },
    { username: "Account", sub: tokenBody().sub },
  ],
])("a refresh whose response has %j returns tokens with %j", function* ([changes, expected]) {
  const second = json(tokenBody({ ...changes }));
  const { client } = yield* served(inTurn(json(tokenBody()), second));
  const first = yield* PkceFlow.exchange(client, yield* validCallback(client));
  const next = yield* TokenRequest.refresh(client, first);
  const refreshToken = Redacted.value(next.refreshToken!);
  assert.deepInclude({ ...next, refreshToken }, expected);
});

describe("the times of a response", () => {
  it.effect("consentExpiresAt counts from the exchange of the code", function* () {
    const { client } = yield* served();
    const callback = yield* validCallback(client);
    yield* TestClock.adjust("20 seconds");
    const tokens = yield* PkceFlow.exchange(client, callback);
    assert.strictEqual(tokens.consentExpiresAt, 20_000 + 1000 * Lifetimes.refreshToken.public);
    // Without a refresh token there is nothing that it could end.
    const bare = yield* exchangeWith(tokenBody({ refresh_token: undefined }));
    assert.notProperty(bare, "consentExpiresAt");
  });

  it.effect("expiresAt of a token counts from the request, not from the response", function* () {
    const { client, server } = yield* served();
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
});

describe("revoke", () => {
  const token = Redacted.make("the-token");

  it.effect.each(["", "<html>whatever</html>", '{"error":"ignored"}'])(
    "revoke succeeds for a 200 with the body %j",
    function* (body) {
      const { client, server } = yield* served(raw(body));
      yield* TokenCall.revoke(client, token);
      assert.strictEqual(server.received.length, 1);
      assert.notProperty(server.received[0]!.headers, "authorization");
    },
  );

  it.effect("revoke is repeated after the Retry-After of a 503, at most twice", function* () {
    const busy = raw("", 503, { "retry-after": "1" });
    const { client, server } = yield* served(inTurn(busy, raw("", 200)));
    const started = yield* Clock.currentTimeMillis;
    yield* whileTimePasses(TokenCall.revoke(client, token));
    assert.isAtLeast((yield* Clock.currentTimeMillis) - started, 1000);
    assert.strictEqual(server.received.length, 2);
    server.received.length = 0;
    server.reply = raw("", 503);
    const error = yield* whileTimePasses(Effect.flip(TokenCall.revoke(client, token)));
    assert.strictEqual(error._tag, "ServerUnavailable");
    assert.strictEqual(server.received.length, 3);
    // After a second, a quarter and a half of one.
    assert.isAtLeast((yield* Clock.currentTimeMillis) - started, 1_750);
  });

  it.effect.each([
    [403, "insufficient_scope", "InsufficientScope"],
    [401, "invalid_token", "RequestRejected"],
    // A wait of more than 30 seconds is left to the caller.
    [503, "insufficient_scope", "ServerUnavailable"],
  ] as const)(
    "after a %i with the challenge %s, revoke fails with %s [OA-03]",
    function* ([status, error, tag]) {
      const challenge = { "www-authenticate": `Bearer ERROR="${error}", scope="oauth:revoke"` };
      const { client, server } = yield* served(
        raw("", status, { ...challenge, "retry-after": "31" }),
      );
      const failure = yield* Effect.flip(TokenCall.revoke(client, token));
      assert.deepStrictEqual([failure._tag, server.received.length], [tag, 1]);
      if (failure._tag === "InsufficientScope") assert.strictEqual(failure.scope, "oauth:revoke");
    },
  );
});

it.effect("the description of an error is shown if the sent token is empty", function* () {
  const error_description = "a token is missing";
  const { client } = yield* served(json({ error: "invalid_request", error_description }, 400));
  const error = yield* Effect.flip(TokenCall.revoke(client, Redacted.make("")));
  assert.include(error.message, error_description);
});

describe("introspect", () => {
  const token = Redacted.make("the-token");

  it.effect("introspect keeps members beyond RFC 7662 in `claims` [OA-04, NS-04]", function* () {
    const read = { active: true, username: "Account", sub: "uuid", exp: 1_900_000_000 };
    const scope = "account:profile account:stashes";
    const body = { ...read, scope, client_id: "desktop", iat: 1, extra: { kept: true } };
    const { client, server } = yield* served(json(body));
    const using = Redacted.make("the-bearer");
    const { claims, ...status } = yield* TokenCall.introspect(client, token, { using });
    assert.deepStrictEqual(status, { ...read, scopes: scope.split(" "), clientId: "desktop" });
    assert.deepStrictEqual<unknown>({ ...claims }, body);
    const { url, headers, form } = server.received[0]!;
    assert.strictEqual(url, "/oauth/token/introspect");
    assert.strictEqual(headers.authorization, "Bearer the-bearer");
    assert.strictEqual(form.get("token"), "the-token");
  });

  it.effect.each([
    [{ active: false }, false],
    [{ active: true, exp: null }, true],
    [{ active: "true" }, "active"],
    [{ active: 1 }, "active"],
    [{ active: null }, "active"],
    [{}, "active"],
    [{ active: true, exp: "1900000000" }, "exp"],
    [{ active: true, exp: {} }, "exp"],
  ] as const)("introspect of %j returns or names %j [OA-04]", function* ([body, expected]) {
    const { client } = yield* served(json(body));
    const result = TokenCall.introspect(client, token);
    if (typeof expected === "string")
      assert.deepInclude(yield* Effect.flip(result), malformed(expected));
    else assert.strictEqual((yield* result).active, expected);
  });
});

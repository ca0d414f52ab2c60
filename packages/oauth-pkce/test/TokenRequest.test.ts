import { assert, describe } from "@effect/vitest";
import { Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { type OAuthClient, PkceFlow, TokenCall, TokenRequest } from "../src/index.ts";
import {
  confidentialClient,
  publicClient,
  validCallback,
  served,
  servedBackend,
  whileTimePasses,
} from "./clients.ts";
import { fakeServer, inTurn, json, raw, rotating, tokenBody, type Reply } from "./FakeServer.ts";
import { it } from "./it.ts";

const exchanged = Effect.fnUntraced(function* (client: OAuthClient.OAuthClient) {
  return yield* PkceFlow.exchange(client, yield* validCallback(client));
});

describe("the exchange", () => {
  it.effect("exchange sends the redirect URI unchanged [OA-22, OA-23, OA-25]", function* () {
    const { client, server } = yield* served();
    const odd = "http://127.0.0.1:49152/Call%2Fback?a=%7e&b=é";
    const { url, pending } = yield* PkceFlow.start(client, {
      scopes: ["account:profile", "account:stashes"],
      redirectUri: odd,
    });
    const sent = new URL(url).searchParams;
    assert.strictEqual(sent.get("redirect_uri"), odd);
    const callback = yield* PkceFlow.validateCallback(
      client,
      pending,
      new URLSearchParams({ code: "c-1", state: sent.get("state") ?? "" }),
    );
    yield* PkceFlow.exchange(client, callback);
    assert.deepStrictEqual(Object.fromEntries(server.received[0]!.form), {
      grant_type: "authorization_code",
      client_id: "desktop",
      code: "c-1",
      redirect_uri: odd,
      scope: "account:profile account:stashes",
      code_verifier: Redacted.value(pending.verifier),
    });
  });

  it.effect("exchange sends no code of a callback older than 30 seconds [CL-06]", function* () {
    const { client, server } = yield* served();
    const early = yield* validCallback(client);
    const late = yield* validCallback(client);
    yield* TestClock.adjust("30 seconds");
    yield* PkceFlow.exchange(client, early);
    yield* TestClock.adjust("1 millis");
    const error = yield* Effect.flip(PkceFlow.exchange(client, late));
    assert.strictEqual(error._tag, "CodeExpired");
    assert.strictEqual(server.received.length, 1);
  });

  it.effect.each<readonly [string, Reply, string]>([
    ["tokens", rotating(), "Success"],
    ["a reset", (_, response) => response.socket?.resetAndDestroy(), "OAuthTransportError"],
    ["a 503", raw("", 503), "ServerUnavailable"],
    ["a 429", raw("", 429, { "retry-after": "0" }), "ServerUnavailable"],
    ["a 500 with JSON", json({ error: "server_error" }, 500), "ServerUnavailable"],
    ["a broken body", raw("{", 200), "OAuthResponseMalformed"],
  ])("exchange is sent once, however often it is called, after %s", function* ([, ...end]) {
    const [reply, outcome] = end;
    const { client, server } = yield* served(reply);
    const callback = yield* validCallback(client);
    const exchange = PkceFlow.exchange(client, callback).pipe(
      Effect.match({ onSuccess: () => "Success", onFailure: ({ _tag }) => _tag }),
    );
    const calls = Array.from({ length: 20 }, () => exchange);
    const outcomes = yield* Effect.all(calls, { concurrency: "unbounded" });
    assert.deepStrictEqual(
      new Set([...outcomes, yield* exchange]),
      new Set([outcome, "CodeExpired"]),
    );
    assert.strictEqual(server.received.length, 1);
  });

  it.effect(
    "`exchange` may be called again with a callback if its request was not sent",
    function* () {
      const port = yield* Effect.scoped(Effect.map(fakeServer(), ({ url }) => url));
      const client = yield* publicClient(port);
      const callback = yield* validCallback(client);
      for (const _ of [1, 2]) {
        const error = yield* Effect.flip(PkceFlow.exchange(client, callback));
        assert.deepInclude(error, {
          _tag: "OAuthTransportError",
          sent: false,
          reason: "ECONNREFUSED",
        });
      }
    },
  );
});

describe("credentials of the client", () => {
  it.effect(
    "the client secret is in the body only, for each of the three grants [CL-07, OA-21, OA-18, OA-19, OA-20]",
    function* () {
      const { client, server } = yield* servedBackend(rotating());
      const tokens = yield* exchanged(client);
      yield* TokenRequest.refresh(client, tokens);
      const own = yield* TokenRequest.clientCredentials(client, { scopes: ["service:psapi"] });
      assert.doesNotHaveAnyKeys(own, ["refreshToken", "consentExpiresAt"]);
      yield* TokenCall.revoke(client, tokens.accessToken, { using: tokens.accessToken });
      assert.deepStrictEqual(
        server.received.map(({ form }) => form.get("grant_type")),
        ["authorization_code", "refresh_token", "client_credentials", null],
      );
      for (const { form, headers, url } of server.received) {
        assert.deepStrictEqual(form.getAll("client_secret"), ["s3cret-of-the-backend"]);
        assert.deepStrictEqual(form.getAll("client_id"), ["backend"]);
        assert.notInclude(url + JSON.stringify(headers), "s3cret");
      }
    },
  );

  it.effect(
    "a public client sends no secret in token requests, and no scope in a refresh [OA-17, OA-18, OA-24, OA-26, OA-36, NS-21, NS-22]",
    function* () {
      const { client, server } = yield* served(rotating());
      const tokens = yield* exchanged(client);
      yield* TokenRequest.refresh(client, tokens);
      assert.strictEqual(server.received.length, 2);
      for (const { form } of server.received) {
        assert.isFalse(form.has("client_secret"));
        assert.strictEqual(form.get("client_id"), "desktop");
      }
      const keys = [...server.received[1]!.form.keys()].toSorted();
      assert.deepStrictEqual(keys, ["client_id", "grant_type", "refresh_token"]);
    },
  );

  it.effect("clientCredentials repeats its request after a 503", function* () {
    const busy = raw("", 503, { "retry-after": "1" });
    const { client, server } = yield* servedBackend(inTurn(busy, json(tokenBody())));
    const scopes = ["service:psapi"] as const;
    yield* whileTimePasses(TokenRequest.clientCredentials(client, { scopes }));
    assert.strictEqual(server.received.length, 2);
  });

  it.effect("clientCredentials refuses a public client without a request [OA-38]", function* () {
    const { client, server } = yield* served();
    const error = yield* Effect.flip(
      // @ts-expect-error a PublicClient is no ConfidentialClient
      TokenRequest.clientCredentials(client, { scopes: ["account:profile"] }),
    );
    assert.strictEqual(error._tag, "ConfigurationInvalid");
    assert.strictEqual(server.received.length, 0);
  });

  it.effect("PkceFlow.start refuses a scope `service:*` [OA-42, OA-43]", function* () {
    const scopes = ["account:profile", "service:psapi"] as const;
    for (const client of [
      yield* publicClient("https://auth.example.com"),
      yield* confidentialClient("https://auth.example.com"),
    ]) {
      // @ts-expect-error service:psapi is no UserScope
      const error = yield* Effect.flip(PkceFlow.start(client, { scopes }));
      assert.strictEqual(error._tag, "ConfigurationInvalid");
    }
  });
});

describe("the request", () => {
  it.effect(
    "a token request is a form that accepts JSON, without cookies and trace headers [OA-02, OA-15, OA-24]",
    function* () {
      const server = yield* fakeServer();
      const secret = "é + & space %41=\u{1f511}";
      const client = yield* confidentialClient(server.url, { clientSecret: secret });
      yield* TokenRequest.clientCredentials(client, { scopes: ["service:psapi", "service:cxapi"] });
      const [{ method, url, headers, body, form }] = server.received as [
        (typeof server.received)[0],
      ];
      assert.deepStrictEqual([method, url], ["POST", "/oauth/token"]);
      assert.strictEqual(headers["content-type"], "application/x-www-form-urlencoded");
      assert.strictEqual(headers.accept, "application/json");
      assert.strictEqual(headers["accept-encoding"], "identity");
      for (const name of ["authorization", "cookie", "traceparent", "b3", "referer", "origin"])
        assert.notProperty(headers, name);
      assert.strictEqual(form.get("client_secret"), secret);
      assert.include(body, "client_secret=%C3%A9+%2B+%26+space+%2541%3D%F0%9F%94%91");
      assert.strictEqual(form.get("scope"), "service:psapi service:cxapi");
    },
  );

  it.effect.each<readonly [string, number, string?]>([
    ["a 300", 300],
    ["a 303", 303],
    ["a 307", 307],
    ["the status 0, behind which a browser hides a redirect", 0],
    ["the response of another URL", 200, "https://elsewhere.example/"],
  ])("a token request fails with UnexpectedRedirect after %s", function* ([, status, url]) {
    const sent: Array<RequestInit | undefined> = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent.push(init);
      return { headers: new Headers(), status, ...(url && { url }) } as never;
    };
    const client = yield* confidentialClient("https://auth.example.com", { fetch });
    const calls: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
      exchanged(client),
      TokenRequest.clientCredentials(client, { scopes: ["service:psapi"] }),
      TokenCall.revoke(client, Redacted.make("the-token")),
    ];
    for (const call of calls)
      assert.strictEqual((yield* Effect.flip(call))._tag, "UnexpectedRedirect");
    assert.strictEqual(sent.length, 3);
    for (const init of sent) assert.deepInclude(init, { redirect: "manual", credentials: "omit" });
  });
});

describe("bounds", () => {
  it.effect("the default timeout of a token request is 20 seconds", function* () {
    const fetch = () => new Promise<never>(() => undefined);
    const client = yield* publicClient("https://auth.example.com", { fetch });
    const callback = yield* validCallback(client);
    const fiber = yield* Effect.forkChild(Effect.flip(PkceFlow.exchange(client, callback)));
    yield* TestClock.adjust("19 seconds");
    assert.isUndefined(fiber.pollUnsafe());
    yield* TestClock.adjust("1 second");
    assert.deepInclude(yield* Fiber.join(fiber), { _tag: "OAuthTransportError", sent: true });
  });

  it.live("a token response without an end is cancelled at 64 KiB", function* () {
    let written = 0;
    const server = yield* fakeServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 32))) written += 65_536;
      };
      response.on("drain", more);
      more();
    });
    const client = yield* publicClient(server.url);
    const error = yield* Effect.flip(exchanged(client));
    assert.deepInclude(error, { _tag: "OAuthResponseMalformed", reason: "too large" });
    // Enough to fill the socket buffers of both sides, and no more.
    assert.isBelow(written, 20_000_000);
  });
});

/** An injected HTTP client may fail in its own way, and look at the requests that it sends. */
import { assert, describe } from "@effect/vitest";
import { Effect, Layer, Redacted } from "effect";
import { FetchHttpClient, HttpClient, type HttpClientRequest } from "effect/http";
import { OAuthHttpClient, PkceFlow } from "../src/index.ts";
import { failing, publicClient, validCallback, servedBackend } from "./clients.ts";
import { tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";

describe("an injected client", () => {
  it.effect.each([
    ["ECONNREFUSED", false],
    ["ENOTFOUND", false],
    ["EAI_AGAIN", false],
    ["ECONNRESET", true],
    ["UND_ERR_SOCKET", true],
    ["ENOTFOUND_X", true],
    ["X_ENOTFOUND", true],
    [undefined, true],
  ] as const)("C9: that fails with %s: may it have been sent? %s", function* ([code, sent]) {
    const client = yield* publicClient("https://auth.example.com");
    const exchange = PkceFlow.exchange(client, yield* validCallback(client));
    const http = HttpClient.make(() => failing(code ?? "no code"));
    const error = yield* Effect.flip(
      Effect.provideService(exchange, OAuthHttpClient.OAuthHttpClient, http),
    );
    assert.deepInclude(error, {
      _tag: "OAuthTransportError",
      reason: code ?? "the connection failed",
      sent,
    });
  });

  it.effect("C23: that logs its requests shows no credential, and can send them", function* () {
    const { client } = yield* servedBackend();
    const callback = yield* validCallback(client);
    const log: Array<string> = [];
    const logging = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) => {
      log.push(JSON.stringify(request), String(request.body));
      return request;
    });
    const tokens = yield* PkceFlow.exchange(client, callback).pipe(
      Effect.provide(
        OAuthHttpClient.layer.pipe(
          Layer.provide(
            Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, logging)),
          ),
          Layer.provide(FetchHttpClient.layer),
        ),
      ),
    );
    assert.strictEqual(Redacted.value(tokens.accessToken), "AT-1");
    assert.strictEqual(log.length, 2);
    assert.include(log[0], '"a form"');
    for (const secret of ["the-code", "s3cret-of-the-backend"])
      assert.notInclude(log.join("\n"), secret);
  });

  it.effect("C12: a fetch is told to send no cookies and to follow nothing", function* () {
    const client = yield* publicClient("https://auth.example.com");
    const callback = yield* validCallback(client);
    const told: Array<RequestInit | undefined> = [];
    const fetching: typeof fetch = async (_, init) => {
      told.push(init);
      return Response.json(tokenBody());
    };
    yield* Effect.provideService(
      PkceFlow.exchange(client, callback),
      FetchHttpClient.Fetch,
      fetching,
    );
    assert.strictEqual(told.length, 1);
    assert.deepInclude(told[0], { credentials: "omit", redirect: "manual" });
  });
});

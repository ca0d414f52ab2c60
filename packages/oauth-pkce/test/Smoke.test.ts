import { assert, it } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { OAuthClient, PkceFlow, Session } from "../src/index.ts";
import { fakeServer } from "./FakeServer.ts";

it.effect("starts, validates, exchanges and refreshes", () =>
  Effect.gen(function* () {
    const server = yield* fakeServer();
    const client = yield* OAuthClient.publicClient({
      authUrl: server.url,
      clientId: "desktop",
      redirectUri: "http://127.0.0.1/callback",
      allowInsecureLoopback: true,
    });
    const { url, flow } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
    const state = new URL(url).searchParams.get("state")!;
    const callback = yield* PkceFlow.validateCallback(
      client,
      flow,
      `http://127.0.0.1/callback?code=abc&state=${state}`,
    );
    const tokens = yield* PkceFlow.exchange(client, callback);
    assert.strictEqual(Redacted.value(tokens.accessToken), "AT-1");
    const session = Session.forUser(client);
    yield* session.signIn(tokens);
    const token = yield* session.renew(tokens.accessToken);
    assert.strictEqual(Redacted.value(token), "AT-2");
    assert.strictEqual(server.received.length, 2);
  }),
);

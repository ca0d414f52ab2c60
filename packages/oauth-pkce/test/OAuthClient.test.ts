/** The conditions for a client. */
import { assert, describe } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import {
  type ConfigurationInvalid,
  OAuthClient,
  PkceFlow,
  TokenCall,
  TokenRequest,
} from "../src/index.ts";
import { confidentialClient, publicClient, validCallback } from "./clients.ts";
import { fakeServer, rotating } from "./FakeServer.ts";
import { it } from "./it.ts";

const AUTH = "https://auth.example.com";

describe("a client", () => {
  const missing = undefined as unknown as string;
  it.effect.each<readonly [string, Effect.Effect<unknown, ConfigurationInvalid>]>([
    ["clientId", publicClient(AUTH, { clientId: "" })],
    ["clientId", publicClient(AUTH, { clientId: missing })],
    ["clientId", confidentialClient(AUTH, { clientId: "" })],
    ["clientSecret", confidentialClient(AUTH, { clientSecret: Redacted.make("") })],
    ["clientSecret", confidentialClient(AUTH, { clientSecret: missing })],
    ["authUrl", publicClient(missing)],
    ["timeout", publicClient(AUTH, { timeout: "soon" as never })],
    ["timeout", publicClient(AUTH, { timeout: Number.NaN })],
  ])("a client names its invalid option: %s", function* ([option, made]) {
    assert.deepInclude(yield* Effect.flip(made), { _tag: "ConfigurationInvalid", option });
  });

  it.effect("a public client never has a secret, not even by mistake", function* () {
    const options = { authUrl: AUTH, clientId: "desktop", redirectUri: "http://[::1]/callback" };
    const client = yield* OAuthClient.publicClient({ ...options, clientSecret: "x" } as never);
    assert.isUndefined(client.clientSecret);
  });

  it.effect("a client takes an authUrl with or without a slash at its end", function* () {
    for (const authUrl of [`${AUTH}/base`, `${AUTH}/base/`, `${AUTH}/base//`]) {
      const client = yield* publicClient(authUrl);
      const { url } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
      assert.strictEqual(new URL(url).pathname, "/base/oauth/authorize");
    }
  });

  it.effect("names its program in every request, in the form of the data API", function* () {
    const server = yield* fakeServer(rotating());
    const userAgent = { clientId: "tool", version: "1.2.0", contact: "me@example.com" };
    const client = yield* confidentialClient(server.url, { userAgent });
    const tokens = yield* PkceFlow.exchange(client, yield* validCallback(client));
    yield* TokenRequest.refresh(client, tokens);
    yield* TokenRequest.clientCredentials(client, { scopes: ["service:psapi"] });
    yield* Effect.ignore(
      TokenCall.revoke(client, tokens.accessToken, { using: tokens.accessToken }),
    );
    assert.isAtLeast(server.received.length, 4);
    for (const { headers } of server.received)
      assert.strictEqual(headers["user-agent"], "OAuth tool/1.2.0 (contact: me@example.com)");
  });

  it.effect("a client refuses a name that no header can hold, by its member", function* () {
    const good = { clientId: "tool", version: "1.2.0", contact: "me@example.com" };
    for (const option of ["clientId", "version", "contact", "comment"] as const) {
      const userAgent = { ...good, [option]: "line\nbreak" };
      const error = yield* Effect.flip(publicClient(AUTH, { userAgent }));
      assert.strictEqual(error.option, `userAgent.${option}`);
      assert.match(error.message, new RegExp(`: userAgent\\.${option} must be [\\w ]+\\.$`));
    }
  });

  it.effect("refuses a timeout without an end, which other processes would wait for", function* () {
    const error = yield* Effect.flip(publicClient(AUTH, { timeout: "Infinity" }));
    assert.deepInclude(error, { option: "timeout", reason: "must be finite" });
  });
});

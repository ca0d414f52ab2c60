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
    ["clientId", confidentialClient(AUTH, { clientId: missing })],
    ["clientSecret", confidentialClient(AUTH, { clientSecret: Redacted.make("") })],
    ["clientSecret", confidentialClient(AUTH, { clientSecret: missing })],
    ["authUrl", publicClient(missing)],
    // More addresses that are not secure are in the contract's own tests.
    ["authUrl", publicClient("http://auth.example.com")],
    ["authUrl", publicClient("https://user:pass@auth.example.com")],
    ["authUrl", publicClient("https://auth.example.com/?a=b")],
    ["timeout", publicClient(AUTH, { timeout: "soon" as never })],
    ["timeout", publicClient(AUTH, { timeout: Number.NaN })],
    // Other processes would wait for it.
    ["timeout", publicClient(AUTH, { timeout: "Infinity" })],
  ])("a client names its invalid option: %s", function* ([option, made]) {
    assert.deepInclude(yield* Effect.flip(made), { _tag: "ConfigurationInvalid", option });
  });

  const redirectUris: Readonly<Record<string, ReadonlyArray<string>>> = {
    "public accepted": ["http://127.0.0.1/callback", "http://[::1]:8080/callback"],
    "public refused": [
      "http://127.0.0.1:8080",
      "http://localhost:8080/callback",
      "https://127.0.0.1/callback",
      "http://127.0.0.1.evil.example/callback",
      "http://2130706433/callback",
      "http://user@127.0.0.1/callback",
      "http://127.0.0.1/callback#x",
    ],
    "confidential accepted": ["https://app.example.com:8443/callback"],
    "confidential refused": [
      "http://app.example.com/callback",
      "https://app.localhost/callback",
      "https://127.0.0.1/callback",
      "https://0xcb.0.113.7/callback",
      "https://3405803783/callback",
      "https://[2001:db8::1]/callback",
      "https://intranet/callback",
      "https://user@app.example.com/callback",
      "https://app.example.com/callback#x",
      "not a url",
    ],
  };
  it.effect.each(Object.entries(redirectUris))(
    "redirect URIs of a client, %s: %j [OA-39, OA-40, OA-41]",
    function* ([how, all]) {
      for (const redirectUri of all) {
        const make = how.startsWith("public") ? publicClient : confidentialClient;
        const made: Effect.Effect<unknown, unknown> = make(AUTH, { redirectUri });
        const outcome = how.endsWith("accepted") ? "Success" : "Failure";
        assert.strictEqual((yield* Effect.exit(made))._tag, outcome, redirectUri);
      }
    },
  );

  it.effect("publicClient ignores a `clientSecret` that is passed by mistake", function* () {
    const options = { authUrl: AUTH, clientId: "desktop", redirectUri: "http://[::1]/callback" };
    const client = yield* OAuthClient.publicClient({ ...options, clientSecret: "x" } as never);
    assert.isUndefined(client.clientSecret);
  });

  it.effect("a client accepts an `authUrl` with or without a slash at its end", function* () {
    for (const authUrl of [`${AUTH}/base`, `${AUTH}/base/`, "http://[::1]:8080/base//"]) {
      const client = yield* publicClient(authUrl);
      const { url } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
      assert.strictEqual(new URL(url).pathname, "/base/oauth/authorize");
    }
  });

  it.effect("a client sends the option `userAgent` as header of every request", function* () {
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

  it.effect("a client names the member of `userAgent` that has a line break", function* () {
    const good = { clientId: "tool", version: "1.2.0", contact: "me@example.com" };
    for (const option of ["clientId", "version", "contact", "comment"] as const) {
      const userAgent = { ...good, [option]: "line\nbreak" };
      const error = yield* Effect.flip(publicClient(AUTH, { userAgent }));
      assert.strictEqual(error.option, `userAgent.${option}`);
      assert.match(error.message, new RegExp(`: userAgent\\.${option} must be [\\w ]+\\.$`));
    }
  });
});

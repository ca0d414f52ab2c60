/** The conditions for a client. */
import { assert, describe } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import {
  ClientCredentials,
  OAuthClient,
  PkceFlow,
  RefreshGrant,
  Revocation,
} from "../src/index.ts";
import { confidentialClient, publicClient, validCallback } from "./clients.ts";
import { fakeServer, rotating } from "./FakeServer.ts";
import { it } from "./it.ts";

const AUTH = "https://auth.example.com";

describe("a client", () => {
  it.effect("needs an id", function* () {
    const publicOne = yield* Effect.flip(publicClient(AUTH, { clientId: "" }));
    const confidentialOne = yield* Effect.flip(confidentialClient(AUTH, { clientId: "" }));
    for (const error of [publicOne, confidentialOne]) {
      assert.strictEqual(error._tag, "ConfigurationInvalid");
      assert.strictEqual(error.option, "clientId");
    }
  });

  it.effect("needs a secret that is not empty when it is confidential", function* () {
    const missing = undefined as unknown as string;
    for (const clientSecret of ["", Redacted.make(""), missing]) {
      const error = yield* Effect.flip(confidentialClient(AUTH, { clientSecret }));
      assert.strictEqual(error._tag, "ConfigurationInvalid");
      assert.strictEqual(error.option, "clientSecret");
    }
  });

  it.effect("C11: never has a secret when it is public, not even by mistake", function* () {
    const options = { authUrl: AUTH, clientId: "desktop", redirectUri: "http://[::1]/callback" };
    const client = yield* OAuthClient.publicClient({ ...options, clientSecret: "x" } as never);
    assert.isUndefined(client.clientSecret);
  });

  it.effect("takes an authUrl with or without a slash at its end", function* () {
    for (const authUrl of [`${AUTH}/base`, `${AUTH}/base/`, `${AUTH}/base//`]) {
      const client = yield* publicClient(authUrl);
      const { url } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
      assert.strictEqual(new URL(url).pathname, "/base/oauth/authorize");
    }
  });

  it.effect("C14: may speak http with this machine alone", function* () {
    for (const host of ["127.0.0.1", "[::1]:1", "auth.localhost:1"])
      yield* publicClient(`http://${host}`);
    for (const host of ["auth.example.com", "localhost.example.com", "0.0.0.0"])
      assert.strictEqual((yield* Effect.flip(publicClient(`http://${host}`))).option, "authUrl");
  });

  it.effect("refuses limits that are none", function* () {
    const wrong: ReadonlyArray<readonly [string, unknown]> = [
      ["timeout", "soon"],
      ["timeout", -1],
      ["timeout", Number.NaN],
      ["consentLifetime", Number.NaN],
      ["maxResponseBytes", Number.NaN],
      ["maxResponseBytes", 0],
    ];
    for (const [option, value] of wrong) {
      const error = yield* Effect.flip(publicClient(AUTH, { [option]: value }));
      assert.deepInclude(error, { _tag: "ConfigurationInvalid", option });
    }
  });

  it.effect("says which option is missing where the environment lacks it", function* () {
    const missing = undefined as unknown as string;
    const error = yield* Effect.flip(publicClient(missing));
    assert.deepInclude(error, { _tag: "ConfigurationInvalid", option: "authUrl" });
    const noId = yield* Effect.flip(publicClient(AUTH, { clientId: missing }));
    assert.strictEqual(noId.option, "clientId");
  });

  it.effect("names its program in every request, in the form of the data API", function* () {
    const server = yield* fakeServer(rotating());
    const userAgent = { clientId: "tool", version: "1.2.0", contact: "me@example.com" };
    const client = yield* confidentialClient(server.url, { userAgent });
    const tokens = yield* PkceFlow.exchange(client, yield* validCallback(client));
    yield* RefreshGrant.request(client, tokens);
    yield* ClientCredentials.request(client, { scopes: ["service:psapi"] });
    yield* Effect.ignore(
      Revocation.revoke(client, tokens.accessToken, { using: tokens.accessToken }),
    );
    assert.isAtLeast(server.received.length, 4);
    for (const { headers } of server.received)
      assert.strictEqual(headers["user-agent"], "OAuth tool/1.2.0 (contact: me@example.com)");
  });

  it.effect("leaves the header to the HTTP client if it has no name for its program", function* () {
    const server = yield* fakeServer();
    const client = yield* confidentialClient(server.url);
    yield* ClientCredentials.request(client, { scopes: ["service:psapi"] });
    assert.notInclude(server.received[0]?.headers["user-agent"] ?? "", "OAuth");
  });

  it.effect("refuses a name that no header can hold, by its member", function* () {
    const good = { clientId: "tool", version: "1.2.0", contact: "me@example.com" };
    for (const option of ["clientId", "version", "contact", "comment"] as const) {
      const userAgent = { ...good, [option]: "line\nbreak" };
      const error = yield* Effect.flip(publicClient(AUTH, { userAgent }));
      assert.strictEqual(error.option, `userAgent.${option}`);
      assert.notInclude(error.message, "line");
    }
  });

  it.effect("C17: can be told how long a consent lasts", function* () {
    const server = yield* fakeServer();
    const client = yield* publicClient(server.url, { consentLifetime: "2 hours" });
    const tokens = yield* PkceFlow.exchange(client, yield* validCallback(client));
    assert.strictEqual(tokens.consentExpiresAt, 2 * 3600 * 1000);
  });
});

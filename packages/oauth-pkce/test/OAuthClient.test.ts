/** Who may be a client at all. */
import { assert, describe, it } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { OAuthClient } from "../src/index.ts";
import { confidentialClient, publicClient } from "./clients.ts";

const AUTH = "https://auth.example.com";

describe("a client", () => {
  it.effect("needs an id", () =>
    Effect.gen(function* () {
      const publicOne = yield* Effect.flip(publicClient(AUTH, { clientId: "" }));
      const confidentialOne = yield* Effect.flip(confidentialClient(AUTH, { clientId: "" }));
      for (const error of [publicOne, confidentialOne]) {
        assert.strictEqual(error._tag, "ConfigurationInvalid");
        assert.include(error.reason, "clientId");
      }
    }),
  );

  it.effect("C10: needs a secret that is not empty when it is confidential", () =>
    Effect.gen(function* () {
      const missing = undefined as unknown as string;
      for (const clientSecret of ["", Redacted.make(""), missing]) {
        const error = yield* Effect.flip(confidentialClient(AUTH, { clientSecret }));
        assert.strictEqual(error._tag, "ConfigurationInvalid");
        assert.include(error.reason, "clientSecret");
      }
    }),
  );

  it.effect("C10: never has a secret when it is public, not even by mistake", () =>
    Effect.gen(function* () {
      const options = { authUrl: AUTH, clientId: "desktop", redirectUri: "http://[::1]/callback" };
      const client = yield* OAuthClient.publicClient({ ...options, clientSecret: "x" } as never);
      assert.isUndefined(client.clientSecret);
    }),
  );
});

/** Sessions of `@game-data/oauth-pkce` as credentials. */
import { NotSignedIn, ServerUnavailable, type Session, type TokenSet } from "@game-data/oauth-pkce";
import { Effect, Redacted, Result } from "effect";
import { expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { layerOver, recording } from "./recording.ts";

const tokens = (scopes: ReadonlyArray<string>) =>
  ({
    revision: "1",
    accessToken: Redacted.make("secret-token"),
    expiresAt: "unknown",
    issuedAt: 0,
    scopes,
  }) as unknown as TokenSet.TokenSet;

/** Calls with a session. */
const call = async (set: Session.Session["tokens"]) => {
  const { http, sent } = recording();
  const credentials = { tokens: set } as unknown as Session.Session;
  const profile = Effect.flatMap(GameApi, (api) => api.profile.get());
  const layer = layerOver(http, { credentials });
  const result = await Effect.runPromise(Effect.result(Effect.provide(profile, layer)));
  return { error: Result.isFailure(result) ? result.failure : undefined, sent };
};

it("tries every endpoint for a session whose server did not name its scopes", async () => {
  const { error } = await call(Effect.succeed(tokens([])));
  expect(error).toBeUndefined();
});

it("refuses a session with other scopes before anything is sent [CL-12]", async () => {
  const { error, sent } = await call(Effect.succeed(tokens(["account:characters"])));
  expect(error).toMatchObject({ _tag: "Forbidden", scopesMissing: ["account:profile"] });
  expect(sent).toEqual([]);
});

it("reports once and in words that the user signed out", async () => {
  const { error } = await call(Effect.fail(new NotSignedIn()));
  expect(error?.message).toBe(
    "profile.get: there is no access token: No user is signed in. Sign in.",
  );
});

it("fails retryably if the session's server cannot answer now", async () => {
  const { error } = await call(Effect.fail(new ServerUnavailable({ status: 503 } as never)));
  expect(error).toMatchObject({ _tag: "TransportError", isRetryable: true });
});

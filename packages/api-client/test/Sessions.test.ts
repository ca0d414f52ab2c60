/** Sessions of `@game-data/oauth-pkce` as credentials. */
import { NotSignedIn, ServerUnavailable, type Session, type TokenSet } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import { expect, it } from "vitest";
import type { PromiseSessionLike, SessionLike } from "../src/index.ts";
import { apiOver, recording } from "./recording.ts";

const tokens = (...scopes: ReadonlyArray<string>) =>
  ({ accessToken: Redacted.make("secret-token"), scopes }) as unknown as TokenSet.TokenSet;
const signedOut = "profile.get: there is no access token: No user is signed in. Sign in.";

it.each<[string, Session.Session["tokens"], object]>([
  [
    "tries every endpoint if its server did not name its scopes",
    Effect.succeed(tokens()),
    { uuid: "u" },
  ],
  [
    "sends nothing without the scope",
    Effect.succeed(tokens("account:characters")),
    { _tag: "Forbidden", scopesMissing: ["account:profile"] },
  ],
  [
    "reports once and in words that the user signed out",
    Effect.fail(new NotSignedIn()),
    { message: signedOut },
  ],
  [
    "fails retryably if its server cannot answer now",
    Effect.fail(new ServerUnavailable({ status: 503 } as never)),
    { _tag: "TransportError", reason: "token", isRetryable: true },
  ],
])("a call whose credentials are a session %s", async (_, session, expected) => {
  const { http, sent } = recording();
  const credentials = { tokens: session } as unknown as Session.Session;
  const result = await apiOver(http, { credentials })
    .profile.get()
    .catch((error: unknown) => error);
  expect(result).toMatchObject(expected);
  expect(sent).toHaveLength("uuid" in expected ? 1 : 0);
});

it("a call renews an Effect or Promise session once after a 401, and sends the new token", async () => {
  let current = "";
  const set = () => ({ accessToken: Redacted.make(current), scopes: [] });
  const renew = (refused: string) => {
    current = `${refused}-renewed`;
  };
  const sessions: ReadonlyArray<SessionLike | PromiseSessionLike> = [
    {
      tokens: Effect.sync(set),
      renew: (refused: Redacted.Redacted) => Effect.sync(() => renew(Redacted.value(refused))),
    },
    { tokens: async () => set(), renew: async (refused: string) => renew(refused) },
  ];
  for (const credentials of sessions) {
    current = "stale";
    const { http, sent } = recording((_, index) => (index === 0 ? { status: 401 } : {}));
    await apiOver(http, { credentials }).profile.get();
    const headers = sent.map(({ headers: { authorization } }) => authorization);
    expect(headers).toEqual(["Bearer stale", "Bearer stale-renewed"]);
  }
});

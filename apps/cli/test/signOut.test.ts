import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session, TokenStore, TokenStoreFailed } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import { afterAll, expect, it, vi } from "vitest";
import type * as ConnectionModule from "@game-data/terminal/Connection";
import { keyOf, oauthClient } from "@game-data/terminal/Connection";
import { signOut } from "../src/session/signOut.ts";
import { settingsOf } from "../../tour/src/ApiSession.ts";

const memory = TokenStore.memory();
const store: TokenStore.TokenStore = {
  ...memory,
  write: (key, expected, next) =>
    next
      ? memory.write(key, expected, next)
      : Effect.fail(new TokenStoreFailed({ operation: "write", reason: "EROFS" })),
};
vi.mock("@game-data/terminal/Connection", async (original) => ({
  ...(await original<typeof ConnectionModule>()),
  tokenStore: () => Effect.succeed(store),
}));

const tokens = mkdtempSync(join(tmpdir(), "gamedata-sign-out-"));
afterAll(() => rmSync(tokens, { recursive: true, force: true }));

it("does not call forgotten what the store still keeps", async () => {
  const settings = {
    ...settingsOf({
      authUrl: "https://auth.example",
      baseUrl: "https://api.example",
      clientId: "desktop",
      redirectUri: "http://127.0.0.1/callback",
      contact: "test@example.com",
    }),
    tokens,
  };
  const error = await Effect.runPromise(
    Effect.gen(function* () {
      const client = yield* oauthClient(settings);
      const session = Session.forUser(client, { store: memory, key: keyOf(client) });
      yield* session.signIn({
        accessToken: Redacted.make("AT-1"),
        expiresAt: "unknown",
        issuedAt: 0,
        scopes: [],
      });
      return yield* Effect.flip(signOut(settings));
    }),
  );
  expect(error).toMatchObject({ _tag: "TokenStoreFailed", reason: "EROFS" });
});

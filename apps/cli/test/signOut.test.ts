import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session, TokenStore, TokenStoreFailed } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import { afterAll, expect, it } from "vitest";
import { storeKey, oauthClient } from "../src/session/connect.ts";
import { signOut } from "../src/session/tokens.ts";
import { settingsOf } from "./support/settings.ts";

const memory = TokenStore.memory();
const store: TokenStore.TokenStore = {
  ...memory,
  write: (key, expected, next) =>
    next
      ? memory.write(key, expected, next)
      : Effect.fail(new TokenStoreFailed({ operation: "write", reason: "EROFS" })),
};

const tokens = mkdtempSync(join(tmpdir(), "gamedata-sign-out-"));
afterAll(() => rmSync(tokens, { recursive: true, force: true }));

it("does not call forgotten what the store still keeps", async () => {
  const settings = settingsOf({
    authUrl: "https://auth.example",
    baseUrl: "https://api.example",
    clientId: "desktop",
    tokens,
  });
  const error = await Effect.runPromise(
    Effect.gen(function* () {
      const client = yield* oauthClient(settings);
      const session = Session.forUser(client, { store: memory, key: storeKey(client) });
      yield* session.signIn({
        accessToken: Redacted.make("AT-1"),
        expiresAt: "unknown",
        issuedAt: 0,
        scopes: [],
      });
      return yield* Effect.flip(signOut(settings, store));
    }),
  );
  expect(error).toMatchObject({ _tag: "TokenStoreFailed", reason: "EROFS" });
});

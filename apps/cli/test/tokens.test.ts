/** The token store of the settings, and the scopes that a sign-in asks for. */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routes } from "@game-data/contract/routes";
import { Session, TokenStore, TokenStoreFailed } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMMAND_SCOPES } from "../src/commands/SignIn.ts";
import { oauthClient, storeKey, tokenStore } from "../src/session/connect.ts";
import { signOut } from "../src/session/tokens.ts";
import { storedTokens } from "./support/gamedata.ts";
import { settingsOf } from "./support/settings.ts";

let tokens: string;
beforeAll(() => {
  tokens = mkdtempSync(join(tmpdir(), "gamedata-tokens-"));
});
afterAll(() => rmSync(tokens, { recursive: true, force: true }));

const settings = () =>
  settingsOf({
    authUrl: "https://auth.example",
    baseUrl: "https://api.example",
    clientId: "desktop",
    tokens,
  });

it("asks for the scopes of the commands that act for a user, and for no more", () => {
  // The operations of each call of gameApi; the only template is that of the stash commands.
  const named = globSync(join(import.meta.dirname, "../src/**/*.ts"))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\bgameApi\(([^)]+)\)/gu)])
    .flatMap(([, names]) => [...names!.matchAll(/(["`])([^"`]+\.\w+)\1/gu)])
    .map(([, , name]) => new RegExp(`^${name!.replace(/\$\{\w+\}/u, "(?:s|guildS)tashes")}$`, "u"));
  const operations = Object.entries(routes).filter(([name]) =>
    named.some((each) => each.test(name)),
  );
  expect(named.every((each) => operations.some(([name]) => each.test(name)))).toBe(true);
  const needed = operations
    .flatMap(([, { scopes }]): ReadonlyArray<string> => scopes)
    .filter((scope) => scope.startsWith("account:"));
  expect([...new Set(needed), "oauth:revoke", "oauth:introspect"].toSorted()).toEqual(
    COMMAND_SCOPES.toSorted(),
  );
});

it("seals the tokens with a key of the keychain where the setting says so", async () => {
  const from = { ...settings(), keychain: true };
  const text = await Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* tokenStore(from, () =>
        Effect.succeed(crypto.getRandomValues(new Uint8Array(32))),
      );
      yield* store.write("key", undefined, { version: "1", text: "refresh-sentinel" });
      return (yield* store.read("key"))?.text;
    }),
  );
  expect(text).toBe("refresh-sentinel");
  expect(storedTokens(tokens).texts.join()).not.toContain("sentinel");
  const refused = tokenStore(
    from,
    () => new TokenStoreFailed({ operation: "open", reason: "the keychain refused" }),
  );
  expect((await Effect.runPromise(Effect.flip(refused)))._tag).toBe("TokenStoreFailed");
});

it("does not call forgotten what the store still keeps", async () => {
  const memory = TokenStore.memory();
  const store: TokenStore.TokenStore = {
    ...memory,
    write: (key, expected, next) =>
      next !== undefined && !next.text.includes("signedOut")
        ? memory.write(key, expected, next)
        : Effect.fail(new TokenStoreFailed({ operation: "write", reason: "EROFS" })),
  };
  const error = await Effect.runPromise(
    Effect.gen(function* () {
      const client = yield* oauthClient(settings());
      const session = Session.forUser(client, { store: memory, key: storeKey(client) });
      yield* session.signIn({
        accessToken: Redacted.make("AT-1"),
        expiresAt: "unknown",
        issuedAt: 0,
        scopes: [],
      });
      return yield* Effect.flip(signOut(settings(), store));
    }),
  );
  expect(error).toMatchObject({ _tag: "TokenStoreFailed", reason: "EROFS" });
});

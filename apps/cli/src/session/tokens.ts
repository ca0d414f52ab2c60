/**
 * Introspects and revokes tokens: the user's own, or another one given as text.
 *
 * Read other tokens from files or pipes, never from the command line, which other processes see.
 */
import { Introspection, Revocation } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import { oauthClient, sessionFor } from "./connect.ts";
import { failure } from "@game-data/terminal/Failure";
import type { Settings } from "../config/Settings.ts";
import { signOut } from "./signOut.ts";

/** Returns the server's status of a token, without further claims. Needs `oauth:introspect`. */
export const introspect = Effect.fnUntraced(function* (from: Settings, token?: string) {
  const { client, subject, using } = yield* tokensFor(from, "oauth:introspect", token);
  const { claims: _, ...status } = yield* Introspection.introspect(client, subject, { using });
  return status;
});

/**
 * Revokes a token. Without `token` it revokes the user's own and signs out. Needs `oauth:revoke`.
 */
export const revoke = Effect.fnUntraced(function* (from: Settings, token?: string) {
  const { client, subject, using } = yield* tokensFor(from, "oauth:revoke", token);
  if (token === undefined) yield* signOut(from);
  else yield* Revocation.revoke(client, subject, { using });
});

/** Returns the token to look at, and the token that authorizes the request. */
const tokensFor = Effect.fnUntraced(function* (
  from: Settings,
  scope: "oauth:introspect" | "oauth:revoke",
  text: string | undefined,
) {
  const client = yield* oauthClient(from);
  const tokens = yield* Effect.flatMap(sessionFor(from, [scope]), (session) => session.tokens);
  if (!tokens.scopes.includes(scope))
    return yield* failure("scope-missing", `Your token lacks ${scope}.`, {
      next: `sign in for it: gamedata login --scope ${scope}`,
    });
  if (text?.trim() === "") return yield* failure("request-invalid", "The input contains no token.");
  const subject = text === undefined ? tokens.accessToken : Redacted.make(text.trim());
  return { client, subject, using: tokens.accessToken };
});

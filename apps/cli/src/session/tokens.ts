/**
 * Asking the server about a token, and ending one: the user's own, or another that is given as
 * text.
 *
 * Take other tokens from files or pipes (`readText` of `Input`), never from a command line, which
 * other processes can see.
 */
import { Introspection, Revocation } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import { oauthClient, sessionFor } from "@game-data/terminal/Connection";
import { failure } from "@game-data/terminal/Failure";
import type { Settings } from "@game-data/terminal/Settings";
import { signOut } from "./signOut.ts";

/** What the server says of a token, without further claims. Needs `oauth:introspect`. */
export const introspect = Effect.fnUntraced(function* (from: Settings, token?: string) {
  const { client, subject, using } = yield* tokensFor(from, "oauth:introspect", token);
  const { claims: _, ...status } = yield* Introspection.introspect(client, subject, { using });
  return status;
});

/** Ends a token; without `token` the user's own, which signs out. Needs `oauth:revoke`. */
export const revoke = Effect.fnUntraced(function* (from: Settings, token?: string) {
  const { client, subject, using } = yield* tokensFor(from, "oauth:revoke", token);
  if (token === undefined) yield* signOut(from);
  else yield* Revocation.revoke(client, subject, { using });
});

/** The token in question, and the token that asks. */
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
  if (text?.trim() === "")
    return yield* failure("request-invalid", "There is no token in the input.");
  const subject = text === undefined ? tokens.accessToken : Redacted.make(text.trim());
  return { client, subject, using: tokens.accessToken };
});

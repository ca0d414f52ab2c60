/**
 * Introspects and revokes tokens: the user's own, or another one given as text. Signs out: revokes
 * and removes the tokens of a client, those of the user and those of the application for each set of
 * scopes.
 *
 * Read other tokens from files or pipes, never from the command line, which other processes see.
 */
import { oauthRoutes, routes } from "@game-data/contract/routes";
import type { Scope } from "@game-data/contract";
import { Session, TokenCall, type TokenStore } from "@game-data/oauth-pkce";
import { failure } from "@game-data/terminal/Failure";
import { printError } from "@game-data/terminal/Output";
import { toFailure } from "@game-data/terminal/toFailure";
import { Effect, Redacted } from "effect";
import type { Settings } from "../config/Settings.ts";
import { oauthClient, sessionFor, storeKey, tokenStore } from "./connect.ts";

/** Returns the server's status of a token, without further claims. Needs `oauth:introspect`. */
export const introspect = Effect.fnUntraced(function* (from: Settings, token?: string) {
  const { client, subject, using } = yield* tokensFor(from, "oauth:introspect", token);
  const { claims: _, ...status } = yield* TokenCall.introspect(client, subject, { using });
  return status;
});

/**
 * Revokes a token. Without `token` it revokes the user's own and signs out. Needs `oauth:revoke`.
 */
export const revoke = Effect.fnUntraced(function* (from: Settings, token?: string) {
  const { client, subject, using } = yield* tokensFor(from, "oauth:revoke", token);
  if (token === undefined) yield* signOut(from);
  else yield* TokenCall.revoke(client, subject, { using });
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

/**
 * Revokes the tokens if the scope `oauth:revoke` permits it, and removes them from this machine in
 * any case. They are in `kept`, or where the settings say. Says how many entries of the store are
 * gone, and whether all of them were revoked.
 */
export const signOut = Effect.fnUntraced(function* (from: Settings, kept?: TokenStore.TokenStore) {
  const client = yield* oauthClient(from);
  const store = kept ?? (yield* tokenStore(from));
  const keys =
    client.kind === "public"
      ? [storeKey(client)]
      : scopeSets.map((scopes) => storeKey(client, scopes));
  const heldNow = Effect.filter(keys, (key) =>
    Effect.map(
      Session.forUser(client, { store, key }).status,
      ({ _tag: tag }) => tag !== "Absent" && tag !== "Dead",
    ),
  );
  if ((yield* heldNow).length === 0) return { forgotten: 0, revoked: false };

  const using = yield* revoker(from);
  // An application gets the revoking token only now. Remove it too.
  const held = yield* heldNow;
  let revoked = using !== undefined;
  // The revoking token is one of them: revoke it last.
  const last = storeKey(client, client.kind === "public" ? [] : ["oauth:revoke"]);
  for (const key of held.toSorted((a, b) => Number(a === last) - Number(b === last))) {
    yield* Session.forUser(client, { store, key })
      .signOut(using === undefined ? {} : { revoke: TokenCall.revokeUsing(using) })
      .pipe(
        Effect.catch((error) => {
          // A token that stays in the store is not forgotten, even if it was revoked.
          if (error._tag === "TokenStoreFailed") return Effect.fail(error);
          revoked = false;
          return printError(`Revoking failed: ${toFailure(error).message}`);
        }),
      );
  }
  return { forgotten: held.length, revoked };
});

/** Returns a token that may revoke, if there is one. */
const revoker = (from: Settings): Effect.Effect<Redacted.Redacted | undefined> =>
  sessionFor(from, ["oauth:revoke"]).pipe(
    Effect.flatMap((session) => session.tokens),
    Effect.map(({ accessToken, scopes }) =>
      scopes.includes("oauth:revoke") ? accessToken : undefined,
    ),
    Effect.catch(() => Effect.succeed(undefined)),
  );

/** The sets of scopes that commands request as an application: those of the endpoints. */
const scopeSets: ReadonlyArray<ReadonlyArray<Scope>> = [
  ...new Map<string, ReadonlyArray<Scope>>(
    Object.values({ ...routes, ...oauthRoutes }).map(({ scopes }) => [scopes.join(" "), scopes]),
  ).values(),
];

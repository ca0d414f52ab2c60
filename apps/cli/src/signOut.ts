/** Revokes the tokens of a client and removes them from this machine. */
import { oauthRoutes, routes, type Scope } from "@game-data/contract";
import { Session, TokenCall } from "@game-data/oauth-pkce";
import { Effect } from "effect";
import type { Settings } from "./config.ts";
import { oauthClient, sessionFor, storeKey, tokenStore } from "./connect.ts";
import { printMessage } from "./print.ts";

/** The sets of scopes that commands request for an application: those of the operations. */
const scopeSets = [
  ...new Map<string, ReadonlyArray<Scope>>(
    Object.values({ ...routes, ...oauthRoutes }).map(({ scopes }) => [scopes.join(" "), scopes]),
  ).values(),
];

const isHeld = (session: Session.Session) =>
  Effect.map(session.status, ({ _tag: tag }) => tag !== "Absent" && tag !== "Dead");

/**
 * Revokes the tokens if a scope permits it, and removes them in any case. Returns how many sets of
 * tokens are gone, and whether all of them were revoked.
 */
export const signOut = Effect.fn("signOut")(function* (from: Settings) {
  const client = yield* oauthClient(from);
  const store = yield* tokenStore(from);
  const keys =
    client.kind === "public"
      ? [storeKey(client)]
      : scopeSets.map((scopes) => storeKey(client, scopes));
  const sessions = keys.map((key) => Session.forUser(client, { store, key }));
  if ((yield* Effect.filter(sessions, isHeld)).length === 0)
    return { forgotten: 0, revoked: false };

  const using = yield* revokingToken(from);
  let revoked = using !== undefined;
  const last = keys.indexOf(storeKey(client, client.kind === "public" ? [] : ["oauth:revoke"]));
  // The revoking token of an application is one of them, and is revoked last.
  const order = [...sessions.toSpliced(last, 1), sessions[last]!];
  const held = yield* Effect.filter(order, isHeld);
  for (const session of held)
    yield* session
      .signOut(using === undefined ? {} : { revoke: TokenCall.revokeUsing(using) })
      .pipe(
        Effect.catch((error) => {
          // A token that stays in the store is not forgotten, even if it was revoked.
          if (error._tag === "TokenStoreFailed") return Effect.fail(error);
          revoked = false;
          return printMessage(`Revoking failed: ${error.message}`);
        }),
      );
  return { forgotten: held.length, revoked };
});

/** Returns a token that may revoke, if there is one. */
const revokingToken = (from: Settings) =>
  Effect.flatMap(sessionFor(from, ["oauth:revoke"]), (session) => session.tokens).pipe(
    Effect.map(({ accessToken, scopes }) =>
      scopes.includes("oauth:revoke") ? accessToken : undefined,
    ),
    Effect.orElseSucceed(() => undefined),
  );

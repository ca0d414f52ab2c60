/**
 * Forgetting the tokens of a client: the user's, and those that the application got for itself, one
 * for each set of scopes.
 */
import { endpoints, type Scope } from "@game-data/contract";
import { Revocation, Session } from "@game-data/oauth-pkce";
import { Effect, type Redacted } from "effect";
import { keyOf, oauthClient, sessionFor, tokenStore } from "@game-data/terminal/Connection";
import { sentenceOf } from "@game-data/terminal/oauthMessages";
import { note } from "@game-data/terminal/Output";
import type { Settings } from "@game-data/terminal/Settings";

/** What became of the tokens. */
export interface SignedOut {
  /** Entries removed from the store. */
  readonly forgotten: number;
  /** Whether all of them are revoked as well. */
  readonly revoked: boolean;
}

/**
 * Revokes what the scope `oauth:revoke` permits, and removes everything from this machine whether
 * or not that worked.
 */
export const signOut = Effect.fnUntraced(function* (from: Settings) {
  const client = yield* oauthClient(from);
  const store = yield* tokenStore(from);
  const keys =
    client.kind === "public" ? [keyOf(client)] : scopeSets.map((scopes) => keyOf(client, scopes));
  const heldNow = Effect.filter(keys, (key) =>
    Effect.map(
      Session.forUser(client, { store, key }).status,
      ({ _tag: tag }) => tag !== "Absent" && tag !== "Dead",
    ),
  );
  if ((yield* heldNow).length === 0) return { forgotten: 0, revoked: false } satisfies SignedOut;

  const using = yield* revoker(from);
  // An application gets the revoking token only now: it is to be forgotten too.
  const held = yield* heldNow;
  let revoked = using !== undefined;
  // The revoking token goes last: it is one of them.
  const last = keyOf(client, client.kind === "public" ? [] : ["oauth:revoke"]);
  for (const key of held.toSorted((a, b) => Number(a === last) - Number(b === last))) {
    yield* Session.forUser(client, { store, key })
      .signOut(using === undefined ? {} : { revoke: Revocation.using(using) })
      .pipe(
        Effect.catch((error) => {
          // What is still kept on this machine is not forgotten, whatever became of it at the
          // server.
          if (error._tag === "TokenStoreFailed") return Effect.fail(error);
          revoked = false;
          return note(`Revoking failed: ${sentenceOf(error)}`);
        }),
      );
  }
  return { forgotten: held.length, revoked } satisfies SignedOut;
});

/** A token that may revoke, where one can be had. */
const revoker = (from: Settings): Effect.Effect<Redacted.Redacted | undefined> =>
  sessionFor(from, ["oauth:revoke"]).pipe(
    Effect.flatMap((session) => session.tokens),
    Effect.map(({ accessToken, scopes }) =>
      scopes.includes("oauth:revoke") ? accessToken : undefined,
    ),
    Effect.catch(() => Effect.succeed(undefined)),
  );

/** The sets of scopes that commands ask for as an application: those of the endpoints. */
const scopeSets: ReadonlyArray<ReadonlyArray<Scope>> = [
  ...new Map(endpoints.map(({ scopes }) => [scopes.join(" "), scopes])).values(),
];

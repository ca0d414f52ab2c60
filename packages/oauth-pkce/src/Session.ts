/**
 * A fresh access token for any number of callers, with one refresh in flight.
 *
 * - Across fibers: the first caller that finds the token stale starts a renewal; all others wait for its result. The renewal
 *   runs on a fiber of its own, so no caller's interruption can strand the rest.
 * - Across processes: the renewal holds the store's lock, reads the store again and adopts what a sibling has renewed.
 * - The store is written before anybody sees a new token. If that fails, everybody fails, and the next call saves the same
 *   token instead of spending another refresh token.
 * - Only a set that the server refused (`invalid_grant`) is removed, and only if the store still holds that very set.
 *
 * Limit: when the process dies, or the connection breaks, between the server's rotation and the write, the new refresh
 * token is lost and the user has to consent again. No client can close that gap.
 */
import type { Scope } from "@game-data/contract";
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as ClientCredentials from "./ClientCredentials.ts";
import { NotSignedIn, TokenStoreFailed, type SessionError } from "./Errors.ts";
import { isUnauthorized } from "./internal/isUnauthorized.ts";
import type { ConfidentialClient, OAuthClient } from "./OAuthClient.ts";
import * as RefreshGrant from "./RefreshGrant.ts";
import { revoke } from "./Revocation.ts";
import { isFresh, isSame, type TokenSet } from "./TokenSet.ts";
import { memory, type TokenStore } from "./TokenStore.ts";

/** AppAuth's choice: enough for clocks that differ and requests that dawdle. At most a tenth of the token's life. */
const DEFAULT_REFRESH_AHEAD = "60 seconds";

/** Fresh tokens for one user, or for the application itself. */
export interface Session {
  /** An access token that is good now, renewed first if need be. */
  readonly accessToken: Effect.Effect<Redacted.Redacted, SessionError>;
  /** The whole set behind `accessToken`. */
  readonly tokens: Effect.Effect<TokenSet, SessionError>;
  /**
   * Runs `f` with a fresh token. When `f` fails because the token was refused (401), the token is renewed once and `f` runs
   * once more. A 403 is not repeated: the same user's token has the same scopes.
   */
  readonly withFreshToken: <A, E, R>(
    f: (accessToken: Redacted.Redacted) => Effect.Effect<A, E, R>,
    options?: {
      /** Which failures mean "token refused". Default: a tag `Unauthorized`, or an HTTP 401. */
      readonly isRefused?: (error: E) => boolean;
    },
  ) => Effect.Effect<A, E | SessionError, R>;
  /** A token other than `refused`: renewed, or adopted from a sibling. For callers that see the 401 themselves. */
  readonly renew: (refused: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, SessionError>;
  /** Epoch milliseconds until which refreshing can work; `undefined` when there is no refresh token. */
  readonly consentExpiresAt: Effect.Effect<number | undefined, SessionError>;
  /** Stores the tokens of a finished flow, in place of what is there. */
  readonly signIn: (tokens: TokenSet) => Effect.Effect<void, SessionError>;
  /** Forgets the tokens; with `revokeUsing`, revokes them first. They are forgotten even if revoking fails. */
  readonly signOut: (options?: {
    readonly revokeUsing?: Redacted.Redacted;
  }) => Effect.Effect<void, SessionError>;
}

/** What both kinds of session can be told. */
export interface SessionOptions {
  /** Default: memory. */
  readonly store?: TokenStore;
  /** The key in the store. Default: the client id (one user per store). */
  readonly key?: string;
  /** How long before its end a token counts as stale. Default: 60 seconds, at most a tenth of the token's life. */
  readonly refreshAhead?: Duration.Input;
}

/** The session of a user who signed in through `PkceFlow`; renewed with the refresh token. */
export const forUser = (client: OAuthClient, options: SessionOptions = {}): Session =>
  make(client, options, (stored) =>
    stored === undefined ? Effect.fail(new NotSignedIn()) : RefreshGrant.request(client, stored),
  );

/** The session of the application itself; obtained, and after a 401 obtained anew, by client credentials. */
export const forApplication = (
  client: ConfidentialClient,
  options: SessionOptions & { readonly scopes: ReadonlyArray<Scope> },
): Session => make(client, options, () => ClientCredentials.request(client, options));

type Obtain = (stored: TokenSet | undefined) => Effect.Effect<TokenSet, SessionError>;

const make = (client: OAuthClient, options: SessionOptions, obtain: Obtain): Session => {
  const { store = memory(), key = client.clientId } = options;
  const ahead = Duration.toMillis(
    Duration.fromInputUnsafe(options.refreshAhead ?? DEFAULT_REFRESH_AHEAD),
  );
  /** The last set seen in the store: saves a read per call. */
  let known: TokenSet | undefined;
  /** A renewed set that the store would not take, with the set it replaces. */
  let unsaved: { readonly old: TokenSet | undefined; readonly next: TokenSet } | undefined;
  let inFlight: Deferred.Deferred<TokenSet, SessionError> | undefined;

  const remember = (tokens: TokenSet) => {
    known = tokens;
    return tokens;
  };

  const save = Effect.fnUntraced(function* (
    old: TokenSet | undefined,
    next: TokenSet,
  ): Effect.fn.Return<TokenSet, SessionError> {
    unsaved = { old, next };
    const isWritten = yield* store.compareAndSet(key, old, next);
    unsaved = undefined;
    if (isWritten) return next;
    // Somebody signed in or out meanwhile: theirs is the newer will.
    const theirs = yield* store.get(key);
    return theirs ?? (yield* new NotSignedIn());
  });

  /** Under the lock: adopt, save what could not be saved, or renew. */
  const renewLocked = Effect.fnUntraced(function* (
    refused: string | undefined,
  ): Effect.fn.Return<TokenSet, SessionError> {
    let stored = yield* store.get(key);
    const now = yield* Clock.currentTimeMillis;
    const isUsable = (tokens: TokenSet) =>
      Redacted.value(tokens.accessToken) !== refused && isFresh(tokens, now, ahead);
    if (stored !== undefined && isUsable(stored)) return stored;
    if (unsaved !== undefined && isSame(unsaved.old, stored)) {
      stored = yield* save(stored, unsaved.next);
      if (isUsable(stored)) return stored;
    }
    const old = stored;
    return yield* obtain(old).pipe(
      Effect.flatMap((next) => save(old, next)),
      Effect.catchTag("GrantInvalid", (error) =>
        Effect.gen(function* () {
          // A sibling that doesn't share our lock may have been faster; its set is not ours to remove.
          const current = yield* store.get(key);
          if (current !== undefined && !isSame(current, old) && isUsable(current)) return current;
          if (old !== undefined) yield* store.remove(key, old);
          return yield* error;
        }),
      ),
      Effect.catchIf(
        // Stale only by our own margin: still better than no token at all.
        (error) => isNoVerdict(error) && old !== undefined && isStillGood(old, now, refused),
        (error) => (old === undefined ? Effect.fail(error) : Effect.succeed(old)),
      ),
    );
  });

  const renewShared = (refused: string | undefined): Effect.Effect<TokenSet, SessionError> =>
    // An interruption between taking the lead and forking would leave `inFlight` to nobody, and all callers waiting.
    Effect.uninterruptibleMask((restore) => {
      if (inFlight !== undefined) return restore(Deferred.await(inFlight));
      const deferred = Deferred.makeUnsafe<TokenSet, SessionError>();
      // Remembered under the lock: a sign-out that waits for it has the last word.
      const leader = renewLocked(refused).pipe(
        Effect.map(remember),
        store.withLock(key),
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (error._tag === "NotSignedIn" || error._tag === "GrantInvalid") known = undefined;
          }),
        ),
        Effect.onExit((exit) => {
          inFlight = undefined;
          return Deferred.done(deferred, exit);
        }),
      );
      inFlight = deferred;
      return Effect.andThen(Effect.forkDetach(leader), restore(Deferred.await(deferred)));
    });

  const tokens: Effect.Effect<TokenSet, SessionError> = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis;
    if (known !== undefined && isFresh(known, now, ahead)) return known;
    return yield* renewShared(undefined);
  });

  const renew = (refused: Redacted.Redacted): Effect.Effect<TokenSet, SessionError> => {
    const text = Redacted.value(refused);
    const isOther = (set: TokenSet) => Redacted.value(set.accessToken) !== text;
    return Effect.suspend(() =>
      known !== undefined && isOther(known)
        ? tokens
        : Effect.flatMap(renewShared(text), (result) =>
            // The renewal that was under way may have been one that still trusted the refused token.
            isOther(result) ? Effect.succeed(result) : renewShared(text),
          ),
    );
  };

  const withFreshToken: Session["withFreshToken"] = (f, { isRefused = isUnauthorized } = {}) =>
    Effect.flatMap(tokens, ({ accessToken }) =>
      Effect.catchIf(f(accessToken), isRefused, () =>
        Effect.flatMap(renew(accessToken), (next) => f(next.accessToken)),
      ),
    );

  const current = Effect.flatMap(store.get(key), (stored) =>
    stored === undefined ? Effect.fail(new NotSignedIn()) : Effect.succeed(stored),
  );

  return {
    tokens,
    accessToken: Effect.map(tokens, (set) => set.accessToken),
    withFreshToken,
    renew: (refused) => Effect.map(renew(refused), (set) => set.accessToken),
    consentExpiresAt: Effect.map(current, (set) => set.consentExpiresAt),
    signIn: (next) =>
      Effect.flatMap(store.get(key), (stored) => store.compareAndSet(key, stored, next)).pipe(
        Effect.repeat({ until: (isWritten) => isWritten, times: 9 }),
        Effect.filterOrFail(
          (isWritten) => isWritten,
          () => new TokenStoreFailed({ operation: "set", reason: "somebody else keeps writing" }),
        ),
        Effect.map(() => {
          unsaved = undefined;
          remember(next);
        }),
        store.withLock(key),
      ),
    signOut: ({ revokeUsing } = {}) =>
      Effect.gen(function* () {
        const stored = yield* store.get(key);
        known = undefined;
        unsaved = undefined;
        if (stored === undefined) return;
        const revoked =
          revokeUsing === undefined ? Effect.void : revokeAll(client, stored, revokeUsing);
        yield* Effect.ensuring(revoked, Effect.ignore(store.remove(key, stored)));
      }).pipe(store.withLock(key)),
  };
};

/** The refresh token first: most servers end the access tokens of its grant with it, `using` perhaps among them. */
const revokeAll = Effect.fnUntraced(function* (
  client: OAuthClient,
  { accessToken, refreshToken }: TokenSet,
  using: Redacted.Redacted,
): Effect.fn.Return<void, SessionError> {
  if (refreshToken !== undefined)
    yield* revoke(client, refreshToken, { using, hint: "refresh_token" });
  yield* revoke(client, accessToken, { using, hint: "access_token" }).pipe(
    Effect.catchIf(
      (error) => error._tag === "RequestRejected" && error.error === "invalid_token",
      () => Effect.void,
    ),
  );
});

/** Failures that say nothing about the access token itself; without a refresh token it is good until its very end. */
const isNoVerdict = (error: SessionError) =>
  error._tag === "ServerUnavailable" ||
  error._tag === "Transport" ||
  error._tag === "ConsentExpired";

const isStillGood = (tokens: TokenSet, now: number, refused: string | undefined) =>
  isFresh(tokens, now) && Redacted.value(tokens.accessToken) !== refused;

/**
 * A fresh access token for any number of callers, with one refresh in flight.
 *
 * - Across fibers: the first caller that finds the token stale starts a renewal; all others wait
 *   for its result. The renewal runs on a fiber of its own, so no caller's interruption can strand
 *   the rest.
 * - Across processes: the renewal holds the store's lock, reads the store again and adopts what a
 *   sibling has renewed.
 * - The store is written before anybody sees a new token. If that fails, everybody fails, and the
 *   next call saves the same token instead of spending another refresh token.
 * - Only a set that the server refused (`invalid_grant`) is removed, and only if the store still
 *   holds that very set.
 *
 * Limit: when the process dies, or the connection breaks, between the server's rotation and the
 * write, the new refresh token is lost and the user has to consent again. No client can close that
 * gap.
 */
import type { Scope } from "@game-data/contract/Scope";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import * as ClientCredentials from "./ClientCredentials.ts";
import { NotSignedIn, TokenStoreFailed, type SessionError } from "./Errors.ts";
import { isTokenRejected } from "./internal/isTokenRejected.ts";
import type { ConfidentialClient, OAuthClient } from "./OAuthClient.ts";
import * as RefreshGrant from "./RefreshGrant.ts";
import { isFresh, isSame, type TokenSet } from "./TokenSet.ts";
import { memory, type TokenStore } from "./TokenStore.ts";

/** Fresh tokens for one user, or for the application itself. */
export interface Session {
  /** An access token that is good now, renewed first if need be. */
  readonly accessToken: Effect.Effect<Redacted.Redacted, SessionError>;
  /** The whole set behind `accessToken`. */
  readonly tokens: Effect.Effect<TokenSet, SessionError>;
  /**
   * Runs `f` with a fresh token. When `f` fails because the token was refused (401), the token is
   * renewed once and `f` runs once more. A 403 is not repeated: the same user's token has the same
   * scopes.
   */
  readonly withFreshToken: <A, E, R>(
    f: (accessToken: Redacted.Redacted) => Effect.Effect<A, E, R>,
    options?: {
      /** Which failures mean "token refused". Default: a tag `Unauthorized`, or an HTTP 401. */
      readonly isRefused?: (error: E) => boolean;
    },
  ) => Effect.Effect<A, E | SessionError, R>;
  /**
   * A token other than `refused`: renewed, or adopted from a sibling. For callers that see the 401
   * themselves.
   */
  readonly renew: (refused: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, SessionError>;
  /**
   * Epoch milliseconds until which refreshing can work; `undefined` when there is no refresh token.
   */
  readonly consentExpiresAt: Effect.Effect<number | undefined, SessionError>;
  /** Stores the tokens of a finished flow, in place of what is there. */
  readonly signIn: (tokens: TokenSet) => Effect.Effect<void, SessionError>;
  /**
   * Forgets the tokens, after `revoke` where it is given (`Revocation.using(token)` makes one).
   * They are forgotten even if revoking fails; a store that keeps them fails the sign-out.
   */
  readonly signOut: (options?: {
    readonly revoke?: (client: OAuthClient, tokens: TokenSet) => Effect.Effect<void, SessionError>;
  }) => Effect.Effect<void, SessionError>;
}

/** What both kinds of session can be told. */
export interface SessionOptions {
  /** Default: memory. */
  readonly store?: TokenStore;
  /** The key in the store. Default: the client id (one user per store). */
  readonly key?: string;
  /**
   * How long before its end a token counts as stale. Default: 60 seconds, at most a tenth of the
   * token's life.
   */
  readonly refreshBeforeExpiry?: Duration.Input;
}

/** The session of a user who signed in through `PkceFlow`; renewed with the refresh token. */
export const forUser = (client: OAuthClient, options: SessionOptions = {}): Session =>
  make(client, options, (stored) =>
    stored ? RefreshGrant.request(client, stored) : new NotSignedIn(),
  );

/**
 * The session of the application itself; obtained, and after a 401 obtained anew, by client
 * credentials.
 */
export const forApplication = (
  client: ConfidentialClient,
  options: SessionOptions & { readonly scopes: ReadonlyArray<Scope> },
): Session => make(client, options, () => ClientCredentials.request(client, options));

type Obtain = (stored: TokenSet | undefined) => Effect.Effect<TokenSet, SessionError>;

const make = (client: OAuthClient, options: SessionOptions, obtain: Obtain): Session => {
  const { store = memory(), key = client.clientId } = options;
  // AppAuth's choice: enough for clocks that differ and requests that dawdle. At most a tenth of
  // the token's life.
  const ahead = Duration.toMillis(options.refreshBeforeExpiry ?? "60 seconds");
  /** The last set seen in the store: saves a read per call. */
  let known: TokenSet | undefined;
  /** A renewed set that the store would not take, with the set it replaces. */
  let unsaved: { readonly old: TokenSet | undefined; readonly next: TokenSet } | undefined;
  let renewal: Fiber.Fiber<TokenSet, SessionError> | undefined;

  const stored: Effect.Effect<TokenSet, SessionError> = Effect.flatMap(store.get(key), (found) =>
    found ? Effect.succeed(found) : new NotSignedIn(),
  );

  const save = Effect.fnUntraced(function* (
    old: TokenSet | undefined,
    next: TokenSet,
  ): Effect.fn.Return<TokenSet, SessionError> {
    unsaved = { old, next };
    const isWritten = yield* store.compareAndSet(key, old, next);
    unsaved = undefined;
    // If not, somebody signed in or out meanwhile: theirs is the newer will.
    return isWritten ? next : yield* stored;
  });

  /** Under the lock: adopt, save what could not be saved, or renew. */
  const renewLocked = Effect.fnUntraced(function* (
    refused: Redacted.Redacted | undefined,
  ): Effect.fn.Return<TokenSet, SessionError> {
    let old = yield* store.get(key);
    const now = yield* Clock.currentTimeMillis;
    const isUsable = (tokens: TokenSet | undefined, aheadMillis = ahead): tokens is TokenSet =>
      tokens !== undefined && isOther(tokens, refused) && isFresh(tokens, now, aheadMillis);
    if (unsaved && isSame(unsaved.old, old)) old = yield* save(old, unsaved.next);
    if (isUsable(old)) return old;
    const outcome = yield* Effect.result(Effect.flatMap(obtain(old), (next) => save(old, next)));
    if (outcome._tag === "Success") return outcome.success;
    const error = outcome.failure;
    if (error._tag === "InvalidGrant") {
      // A sibling that doesn't share our lock may have been faster; its set is not ours to remove.
      const current = yield* store.get(key);
      if (isUsable(current)) return current;
      if (old) yield* store.remove(key, old);
    }
    // Stale only by our own margin: still better than no token at all.
    if (isNoVerdict(error) && isUsable(old, 0)) return old;
    return yield* error;
  });

  /** One renewal for all callers, on a fiber of its own, from the first caller's first step on. */
  const renewShared = (refused?: Redacted.Redacted): Effect.Effect<TokenSet, SessionError> =>
    Effect.withFiber(({ context }) => {
      if (!renewal || renewal.pollUnsafe())
        renewal = renewLocked(refused).pipe(
          // Remembered under the lock: a sign-out that waits for it has the last word.
          Effect.onExit((exit) => {
            known = exit._tag === "Success" ? exit.value : undefined;
            return Effect.void;
          }),
          store.withLock(key),
          Effect.runForkWith(context),
        );
      return Fiber.join(renewal);
    });

  const fresh = Effect.fnUntraced(function* (
    refused?: Redacted.Redacted,
  ): Effect.fn.Return<TokenSet, SessionError> {
    const now = yield* Clock.currentTimeMillis;
    if (known && isOther(known, refused) && isFresh(known, now, ahead)) return known;
    const next = yield* renewShared(refused);
    // The renewal that was under way may have been one that still trusted the refused token.
    return isOther(next, refused) ? next : yield* renewShared(refused);
  });

  const accessToken = (refused?: Redacted.Redacted) =>
    Effect.map(fresh(refused), (set) => set.accessToken);

  return {
    tokens: fresh(),
    accessToken: accessToken(),
    withFreshToken: (f, { isRefused = isTokenRejected } = {}) =>
      Effect.flatMap(accessToken(), (token) =>
        Effect.catchIf(f(token), isRefused, () => Effect.flatMap(accessToken(token), f)),
      ),
    renew: accessToken,
    consentExpiresAt: Effect.map(stored, ({ consentExpiresAt }) => consentExpiresAt),
    signIn: (next) =>
      Effect.gen(function* () {
        for (let tries = 0; tries < 10; tries++)
          if (yield* store.compareAndSet(key, yield* store.get(key), next)) {
            unsaved = undefined;
            known = next;
            return;
          }
        yield* new TokenStoreFailed({ operation: "set", reason: "somebody else keeps writing" });
      }).pipe(store.withLock(key)),
    signOut: ({ revoke } = {}) =>
      Effect.gen(function* () {
        const old = yield* store.get(key);
        known = unsaved = undefined;
        if (old)
          yield* Effect.onExit(revoke ? revoke(client, old) : Effect.void, () =>
            Effect.asVoid(store.remove(key, old)),
          );
      }).pipe(store.withLock(key)),
  };
};

const isOther = ({ accessToken }: TokenSet, refused: Redacted.Redacted | undefined): boolean =>
  !refused || Redacted.value(accessToken) !== Redacted.value(refused);

/**
 * Failures that say nothing about the access token itself; without a refresh token it is good until
 * its very end.
 */
const isNoVerdict = ({ _tag: tag }: SessionError) =>
  /^(ServerUnavailable|OAuthTransportError|ConsentExpired)$/.test(tag);

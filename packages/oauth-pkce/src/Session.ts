/**
 * Hands a fresh access token to any number of callers, over any number of servers on one store.
 *
 * - In one process one renewal runs at a time, on a fiber of its own, so an interrupted caller
 *   strands nobody.
 * - Across processes the intent to use a refresh token is written to the store, by compare-and-set,
 *   before the token is sent. One writer wins; the others see the intent and send nothing.
 * - The store is written before anybody sees a new token. If that fails, callers fail, and the next
 *   call saves the same token instead of using another refresh token.
 * - If the response to a refresh is lost, the access token is used to its very end. After it,
 *   `onLostAnswer` decides: `"resend"` sends the refresh token once more, `"signIn"` never does.
 *
 * Limit: if the process is killed between the server's rotation and the write of the new tokens, or
 * their response is lost, those tokens are gone and the user has to sign in again, at the end of
 * the access token. No client can close that gap.
 *
 * @example
 * ```ts
 * import { OAuthClient, Session, TokenSet } from "@game-data/oauth-pkce";
 * import { Effect } from "effect";
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* OAuthClient.publicClient({
 *     authUrl: "https://auth.example.com",
 *     clientId: "my-program",
 *     redirectUri: "http://127.0.0.1/callback",
 *   });
 *   const session = Session.forUser(client);
 *   yield* session.signIn(TokenSet.fromRefreshToken({ refreshToken: "from elsewhere" }));
 *   return yield* session.status;
 * });
 * const status = await Effect.runPromise(program);
 * if (status._tag !== "Due") throw new Error("a migrated token is refreshed by its first use");
 * ```
 */
import type { Scope } from "@game-data/contract/Scope";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Redacted from "effect/Redacted";
import * as ClientCredentials from "./ClientCredentials.ts";
import { NotSignedIn, type SessionError, type TokenStoreFailed } from "./Errors.ts";
import { freshTokens } from "./internal/freshTokens.ts";
import { deathOf, isTokenRejected } from "./internal/grantErrors.ts";
import type { StoredGrant } from "./internal/GrantRecord.ts";
import { grantState, type GrantState } from "./internal/grantStates.ts";
import * as GrantStore from "./internal/GrantStore.ts";
import { checkedTimes, endOf } from "./internal/renewalTimes.ts";
import { serverTime } from "./internal/serverClock.ts";
import {
  isRenewable,
  timesOf,
  type SessionState,
  type TokenSource,
} from "./internal/SessionState.ts";
import type { LostAnswer, LostAnswerPolicy, SessionOptions } from "./Model.ts";
import type { ConfidentialClient, OAuthClient } from "./OAuthClient.ts";
import * as RefreshGrant from "./RefreshGrant.ts";
import type { TokenSet } from "./TokenSet.ts";
import { memory } from "./TokenStore.ts";

export type { LostAnswer, LostAnswerPolicy, SessionOptions };

/** The state of a grant, known without a request. Times are in milliseconds since 1970. */
export type Status =
  /** The access token can be used; `usableUntil` is `Infinity` if time does not end it. */
  | { readonly _tag: "Active"; readonly usableUntil: number }
  /** The next call renews the token first. */
  | { readonly _tag: "Due" }
  /** Somebody is renewing the token. */
  | { readonly _tag: "InFlight"; readonly usableUntil: number }
  /** A response was lost: sign in again before `usableUntil`, to be safe. */
  | { readonly _tag: "AnswerLost"; readonly usableUntil: number }
  /** The grant has ended: sign in again. */
  | { readonly _tag: "Dead"; readonly lostAnswer: boolean }
  /** The store has no tokens: no user is signed in. */
  | { readonly _tag: "Absent" };

/** Fresh tokens for one user, or for the application itself. */
export interface Session {
  /** An access token that is good now, renewed first if need be. */
  readonly accessToken: Effect.Effect<Redacted.Redacted, SessionError>;
  /** The whole set behind `accessToken`. */
  readonly tokens: Effect.Effect<TokenSet, SessionError>;
  /**
   * Runs `f` with a fresh token. When `f` fails because the token was refused (a tag `Unauthorized`,
   * or an HTTP 401), the token is renewed once and `f` runs once more. A 403 is not repeated: the
   * same user's token has the same scopes.
   */
  readonly withFreshToken: <A, E, R>(
    f: (accessToken: Redacted.Redacted) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | SessionError, R>;
  /**
   * A token other than `refused`: renewed, or adopted from another server. For callers that see the
   * 401 themselves.
   */
  readonly renew: (refused: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, SessionError>;
  /**
   * Epoch milliseconds until which refreshing should work, for display: the server decides.
   * `undefined` without a refresh token, or if the end is not known.
   */
  readonly consentExpiresAt: Effect.Effect<number | undefined, SessionError>;
  /** Reads the state of the grant. Sends no request. */
  readonly status: Effect.Effect<Status, TokenStoreFailed>;
  /** Stores the tokens of a finished flow, in place of what is there. */
  readonly signIn: (tokens: TokenSet) => Effect.Effect<void, SessionError>;
  /**
   * Forgets the tokens, after `revoke` where it is given (`Revocation.using(token)` makes one).
   * They are forgotten even if revoking fails; a store that keeps them fails the sign-out.
   */
  readonly signOut: (options?: SignOutOptions) => Effect.Effect<void, SessionError>;
  /**
   * Begins no renewal any more and waits for the one in flight. Call it before the process ends: a
   * renewal that is cut off may cost the login.
   */
  readonly close: Effect.Effect<void>;
  /** Whether a renewal is in flight in this process. */
  readonly isRenewing: () => boolean;
}

/** Options of `Session.signOut`. */
export interface SignOutOptions {
  /** Revokes the tokens; `Revocation.using(token)` makes one. */
  readonly revoke?: (client: OAuthClient, tokens: TokenSet) => Effect.Effect<void, SessionError>;
}

/**
 * The session of a user who signed in through `PkceFlow`; renewed with the refresh token. Throws
 * `ConfigurationInvalid`.
 */
export const forUser = (client: OAuthClient, options: SessionOptions = {}): Session =>
  make(client, options, {
    isSingleUse: true,
    obtain: (stored) => (stored ? RefreshGrant.request(client, stored) : new NotSignedIn()),
  });

/**
 * The session of the application itself; obtained, and after a 401 obtained anew, by client
 * credentials. Such a request does no harm twice, so it needs no intent. Throws
 * `ConfigurationInvalid`.
 */
export const forApplication = (
  client: ConfidentialClient,
  options: SessionOptions & { readonly scopes: ReadonlyArray<Scope> },
): Session =>
  make(client, options, {
    isSingleUse: false,
    obtain: () => ClientCredentials.request(client, options),
  });

const make = (client: OAuthClient, options: SessionOptions, source: TokenSource): Session => {
  const { key = client.clientId, store = memory() } = options;
  const grant = GrantStore.make(store, key);
  const state: SessionState = {
    client,
    options,
    times: checkedTimes(options),
    source,
    grant,
    reading: undefined,
    renewal: undefined,
    backgroundFrom: -Infinity,
    isClosed: false,
  };
  const accessToken = (refused?: Redacted.Redacted) =>
    Effect.map(freshTokens(state, refused), (tokens) => tokens.accessToken);
  return {
    tokens: freshTokens(state),
    accessToken: accessToken(),
    withFreshToken: (f) =>
      Effect.flatMap(accessToken(), (token) =>
        Effect.catchIf(f(token), isTokenRejected, () => Effect.flatMap(accessToken(token), f)),
      ),
    renew: accessToken,
    consentExpiresAt: Effect.flatMap(GrantStore.read(grant), ({ found }) =>
      found?.record.tokens
        ? Effect.succeed(found.record.tokens.consentExpiresAt)
        : Effect.fail(deathOf(found?.record)),
    ),
    status: status(state),
    signIn: (tokens) =>
      Effect.map(GrantStore.replace(grant, tokens), () => {
        state.backgroundFrom = -Infinity;
      }),
    signOut: (how) => signOut(state, how?.revoke),
    close: Effect.suspend(() => {
      state.isClosed = true;
      return settled(state);
    }),
    isRenewing: () => state.renewal !== undefined,
  };
};

/** Waits for the renewal in flight. */
const settled = ({ renewal }: SessionState): Effect.Effect<void> =>
  renewal ? Effect.asVoid(Fiber.await(renewal)) : Effect.void;

const status = (state: SessionState): Effect.Effect<Status, TokenStoreFailed> =>
  Effect.flatMap(GrantStore.read(state.grant), ({ found }) =>
    Effect.clockWith((clock) =>
      Effect.succeed(found ? statusOf(state, found, clock.currentTimeMillisUnsafe()) : ABSENT),
    ),
  );

const ABSENT: Status = { _tag: "Absent" };

const statusOf = (state: SessionState, found: StoredGrant, now: number): Status => {
  const { dead, tokens } = found.record;
  const usableUntil = endOf(tokens);
  const name = grantState(found.record, {
    now: serverTime(state.client, tokens, now),
    storeNow: found.storeNow,
    isRefused: false,
    isRenewable: isRenewable(state, tokens),
    times: timesOf(state, found),
  });
  const statuses: Readonly<Record<GrantState, Status>> = {
    absent: ABSENT,
    fresh: { _tag: "Active", usableUntil },
    soon: { _tag: "Active", usableUntil },
    due: { _tag: "Due" },
    inFlight: { _tag: "InFlight", usableUntil },
    lost: { _tag: "AnswerLost", usableUntil },
    dead: { _tag: "Dead", lostAnswer: dead?.lostAnswer ?? false },
  };
  return statuses[name];
};

const signOut = /*#__PURE__*/ Effect.fnUntraced(function* (
  state: SessionState,
  revoke: SignOutOptions["revoke"],
): Effect.fn.Return<void, SessionError> {
  const { client, grant } = state;
  // A renewal in flight ends first, so that its tokens are revoked too.
  yield* settled(state);
  // An entry that cannot be read is removed all the same.
  const tokens = yield* Effect.match(GrantStore.read(grant), {
    onSuccess: ({ found }) => found?.record.tokens,
    onFailure: () => undefined,
  });
  grant.unsaved = undefined;
  const revoked = revoke && tokens ? revoke(client, tokens) : Effect.void;
  yield* Effect.onExit(revoked, () => GrantStore.remove(grant));
});

/**
 * Returns a fresh access token to any number of callers, in any number of servers that share a store.
 *
 * New tokens are stored before a caller sees them. `internal/Grant.ts` has the table of what happens
 * to a stored grant, and the README what a session guarantees.
 *
 * Limit: if the process is killed between the server's rotation and the write of the new tokens, or if
 * their response is lost, the user has to sign in again when the access token expires.
 */
import type { Scope } from "@game-data/contract/Scope";
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import { NotSignedIn, type SessionError, type TokenStoreFailed } from "./Errors.ts";
import {
  resolveTokens,
  freshTokens,
  isRenewable,
  renewalTimes,
  awaitRenewal,
  joinRenewal,
  type SessionState,
} from "./internal/freshTokens.ts";
import { endedError, endedGrant, isLost } from "./internal/Grant.ts";
import { positiveMillis } from "./internal/options.ts";
import type { UnknownOutcome, TokenSource } from "./internal/renew.ts";
import * as StoredGrant from "./internal/StoredGrant.ts";
import type { ConfidentialClient, OAuthClient } from "./OAuthClient.ts";
import { isRevocable, revokeIfAllowed } from "./TokenCall.ts";
import { clientCredentials, refresh } from "./TokenRequest.ts";
import { expiry, type TokenSet } from "./TokenSet.ts";
import { memory, type TokenStore } from "./TokenStore.ts";

export type { UnknownOutcome };

/** Options of `forUser` and, with scopes, of `forApplication`. */
export interface SessionOptions {
  /** Default: the memory of this process. */
  readonly store?: TokenStore;
  /** The key in the store. Default: the client id, for one user in a store. */
  readonly key?: string;
  /**
   * Time before its expiry at which a token is renewed in the background. Default: a tenth of its
   * life, at most 3 days. At most half of its life. In the last minute callers wait for the renewal.
   */
  readonly refreshBeforeExpiry?: Duration.Input;
  /**
   * What to do when the access token has expired after a refresh whose outcome is unknown. `"resend"`
   * (default) sends the refresh token again, which saves the session if the request never
   * arrived. `"signIn"` never sends a refresh token twice.
   */
  readonly onLostAnswer?: "resend" | "signIn";
  /**
   * Called for every refresh whose outcome is unknown: no response arrived, or it was a 5xx, a
   * redirect or malformed.
   */
  readonly onUnknownOutcome?: (refresh: UnknownOutcome) => void;
  /** Keeps a serverless host alive for a renewal in the background. */
  readonly waitUntil?: (renewal: Promise<unknown>) => void;
}

/** The state of a grant, known without a request. Times are in milliseconds since 1970. */
export type Status =
  /** The access token is usable. `usableUntil` is `Infinity` if it does not expire. */
  | { readonly _tag: "Active"; readonly usableUntil: number }
  /** The next call renews the token first. */
  | { readonly _tag: "Due" }
  /** A process is renewing the token. */
  | { readonly _tag: "InFlight"; readonly usableUntil: number }
  /** The outcome of a refresh is unknown. To be safe, let the user sign in again before `usableUntil`. */
  | { readonly _tag: "OutcomeUnknown"; readonly usableUntil: number }
  /** The grant has ended. The user has to sign in again. */
  | { readonly _tag: "Dead"; readonly lostAnswer: boolean }
  /** The store has no tokens: no user is signed in. */
  | { readonly _tag: "Absent" };

/** Options of `signOut`, which by default revokes nothing. */
export interface SignOutOptions {
  /** Revokes the tokens, for example `TokenCall.revokeUsing(token)`. */
  readonly revoke?: (client: OAuthClient, tokens: TokenSet) => Effect.Effect<void, SessionError>;
}

/** Makes the session of a user who signed in. Throws `ConfigurationInvalid`. */
export const forUser = (client: OAuthClient, options: SessionOptions = {}): Session =>
  make(options, {
    client,
    type: "refresh_token",
    obtain: (tokens) => (tokens ? refresh(client, tokens) : new NotSignedIn()),
    onUnknownOutcome: options.onUnknownOutcome,
  });

/** Makes the session of the application itself, not of a user. Throws `ConfigurationInvalid`. */
export const forApplication = (
  client: ConfidentialClient,
  options: SessionOptions & { readonly scopes: ReadonlyArray<Scope> },
): Session =>
  make(options, {
    client,
    type: "client_credentials",
    obtain: () => clientCredentials(client, options),
  });

/** Fresh tokens for one user, or for the application itself. */
export interface Session extends ReturnType<typeof make> {}

const make = (options: SessionOptions, source: TokenSource) => {
  const { key = source.client.clientId, onLostAnswer = "resend", store = memory() } = options;
  const { refreshBeforeExpiry: before, waitUntil } = options;
  const state: SessionState = {
    refreshBefore: before === undefined ? undefined : positiveMillis("refreshBeforeExpiry", before),
    onLostAnswer,
    waitUntil,
    source,
    stored: StoredGrant.make(store, key),
    current: undefined,
    useMemoryUntil: 0,
    pausedUntil: 0,
    isClosed: false,
  };
  const freshToken = (refused?: Redacted.Redacted) =>
    Effect.map(freshTokens(state, refused), (tokens) => tokens.accessToken);
  return {
    /** A usable access token, renewed first if necessary. */
    accessToken: freshToken(),
    /** The usable access token with its scopes, its expiry and the refresh token. */
    tokens: freshTokens(state),
    /**
     * Runs `f` with a fresh token. If `f` fails because the token was refused (a tag `Unauthorized`,
     * or an HTTP 401), renews the token and runs `f` once more.
     */
    withFreshToken: <A, E, R>(f: (accessToken: Redacted.Redacted) => Effect.Effect<A, E, R>) =>
      Effect.flatMap(freshToken(), (token) =>
        Effect.catchIf(f(token), isTokenRefused, () => Effect.flatMap(freshToken(token), f)),
      ),
    /** Returns an access token other than `refused`, renewed or stored by another server. */
    renew: (refused: Redacted.Redacted) => freshToken(refused),
    /** Milliseconds since 1970 until which a refresh should work, if the server does not end it. */
    consentExpiresAt: Effect.flatMap(StoredGrant.read(state.stored), ({ grant }) =>
      grant?.tokens
        ? Effect.succeed(grant.tokens.consentExpiresAt)
        : Effect.fail(endedError(grant?.ended)),
    ),
    /** Reads the state of the grant. Sends no request. */
    status: status(state),
    /**
     * Obtains the first tokens with `exchange`, once over all servers that share the store. Other
     * callers wait for the first caller and get the same tokens.
     */
    begin: (exchange: Effect.Effect<TokenSet, SessionError>) =>
      joinRenewal(
        state,
        resolveTokens(
          state,
          {},
          { client: source.client, type: "authorization_code", obtain: () => exchange },
        ),
      ),
    /** Stores the tokens of a finished flow in place of the current ones. */
    signIn: (tokens: TokenSet) => signIn(state, tokens),
    /** Forgets the tokens. Calls `revoke` first, and forgets them even if it fails. */
    signOut: (how?: SignOutOptions) => signOut(state, how?.revoke),
    /** Starts no more renewals. Waits for the current renewal, or its tokens would be lost. */
    close: close(state),
    /** Returns whether a renewal is running or a write to the store is unfinished. */
    isBusy: () => state.current !== undefined || state.stored.unfinished !== undefined,
  };
};

const status = Effect.fnUntraced(function* (
  state: SessionState,
): Effect.fn.Return<Status, TokenStoreFailed> {
  const { grant, storeNow } = yield* StoredGrant.read(state.stored);
  const { ended, intent, tokens } = grant ?? {};
  if (!grant || ended?.reason === "signedOut") return { _tag: "Absent" };
  if (ended || !tokens) return { _tag: "Dead", lostAnswer: ended?.reason === "lostAnswer" };
  const usableUntil = expiry(tokens);
  if (intent)
    return { _tag: isLost(intent, storeNow) ? "OutcomeUnknown" : "InFlight", usableUntil };
  const left = usableUntil - (yield* Clock.currentTimeMillis);
  const from = isRenewable(state, tokens) ? renewalTimes(state, tokens).waitFrom : 0;
  return left > from ? { _tag: "Active", usableUntil } : { _tag: "Due" };
});

const signIn = Effect.fnUntraced(function* (
  state: SessionState,
  tokens: TokenSet,
): Effect.fn.Return<void, SessionError> {
  const now = yield* Clock.currentTimeMillis;
  yield* StoredGrant.replace(state.stored, { v: 3, tokens, since: now, seen: now });
  Object.assign(state, { useMemoryUntil: 0, pausedUntil: 0 });
});

const signOut = Effect.fnUntraced(function* (
  state: SessionState,
  revoke: SignOutOptions["revoke"],
): Effect.fn.Return<void, SessionError> {
  const { source, stored } = state;
  // Waits for the current renewal, so that its tokens are revoked too.
  yield* awaitRenewal(state);
  // An entry that cannot be read is replaced without revoking its tokens.
  const reading = yield* Effect.result(StoredGrant.read(stored));
  const tokens = reading._tag === "Success" ? reading.success.grant?.tokens : undefined;
  const revoked = revoke && tokens ? revoke(source.client, tokens) : Effect.void;
  yield* Effect.onExit(revoked, () =>
    StoredGrant.replace(stored, endedGrant({ reason: "signedOut", status: 0 })),
  );
});

const close = Effect.fnUntraced(function* (state: SessionState) {
  state.isClosed = true;
  yield* awaitRenewal(state);
  const tokens = state.stored.unfinished?.grant.tokens;
  // Reading finishes the failed write. If the store still fails, revoke the lost tokens.
  if (!tokens || (yield* Effect.result(StoredGrant.read(state.stored)))._tag === "Success") return;
  const revoked = yield* Effect.result(revokeIfAllowed(state.source.client, tokens));
  const isRevoked = revoked._tag === "Success" && isRevocable(tokens);
  if (isRevoked) return;
  const reason =
    revoked._tag === "Failure" ? revoked.failure.message : "their scopes lack oauth:revoke";
  yield* Effect.logError(`Tokens may not be stored, and were not revoked: ${reason}`);
});

/** Returns whether a data request failed because its access token was refused. */
export const isTokenRefused = (error: unknown): boolean => {
  const { _tag: tag, response } = (error ?? {}) as {
    readonly _tag?: unknown;
    readonly response?: { readonly status?: unknown };
  };
  return tag === "Unauthorized" || (tag === "HttpClientError" && response?.status === 401);
};

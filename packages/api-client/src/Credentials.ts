/**
 * Sources of access tokens: a session of `@game-data/oauth-pkce`, a token, or your own source.
 *
 * A session renews its token after a 401 and knows which scopes were granted, so that calls without
 * their scope are not sent at all.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";

/** An access token and the facts about it. */
export interface AccessToken {
  readonly token: Redacted.Redacted;
  /** The granted scopes; `undefined` if unknown. */
  readonly scopes: ReadonlyArray<string> | undefined;
}

/** The source has no token. */
export interface CredentialsError {
  /** Whether trying again may help. If not, only a new sign-in does. */
  readonly isRetryable: boolean;
  /** The reason, without secrets. */
  readonly detail: string;
  readonly cause?: unknown;
}

/** A source of access tokens. */
export interface TokenSource {
  /**
   * The user, as the rate limiter tells users apart: an account's id, never a token. Calls of one
   * identity share their budgets. Default: every source has an identity of its own.
   */
  readonly identity?: string | undefined;
  /** A token that is good now, as far as the source knows. */
  readonly current: Effect.Effect<AccessToken, CredentialsError>;
  /** A token other than the refused one. Left out where there is no way to get one. */
  readonly renew?:
    | ((refused: Redacted.Redacted) => Effect.Effect<AccessToken, CredentialsError>)
    | undefined;
}

/** The part of a session of `@game-data/oauth-pkce` that a client uses. */
export interface SessionLike {
  readonly tokens: Effect.Effect<SessionTokens, SessionFailure>;
  readonly renew: (refused: Redacted.Redacted) => Effect.Effect<unknown, SessionFailure>;
  /** See `TokenSource.identity`. */
  readonly identity?: string | undefined;
}

/** The tokens of a session. */
export interface SessionTokens {
  readonly accessToken: Redacted.Redacted;
  /** Empty if the server did not name them. */
  readonly scopes: ReadonlyArray<string>;
}

/** An error of a session. */
export interface SessionFailure {
  readonly _tag: string;
  readonly message: string;
  readonly isRetryable?: boolean | undefined;
}

/** The credentials that a client accepts. */
export type Credentials = SessionLike | TokenSource | Redacted.Redacted | string;

/** The token source of any kind of credentials. */
export const fromCredentials = (credentials: Credentials): TokenSource => {
  if (typeof credentials === "string") return fromToken(Redacted.make(credentials));
  if (Redacted.isRedacted(credentials)) return fromToken(credentials as Redacted.Redacted);
  return "tokens" in credentials ? fromSession(credentials) : credentials;
};

/** One token has one identity, however often it is handed in. */
const fromToken = (token: Redacted.Redacted): TokenSource => ({
  identity: `token-${fingerprint(Redacted.value(token))}`,
  current: Effect.succeed({ token, scopes: undefined }),
});

const fromSession = (session: SessionLike): TokenSource => {
  const current = Effect.mapBoth(session.tokens, {
    onSuccess: toAccessToken,
    onFailure: toCredentialsError,
  });
  return {
    identity: session.identity,
    current,
    renew: (refused) =>
      Effect.andThen(Effect.mapError(session.renew(refused), toCredentialsError), current),
  };
};

const toAccessToken = ({ accessToken, scopes }: SessionTokens): AccessToken => ({
  token: accessToken,
  scopes: scopes.length === 0 ? undefined : scopes,
});

const toCredentialsError = (error: SessionFailure): CredentialsError => ({
  isRetryable: error.isRetryable ?? false,
  detail: error.message,
  cause: error,
});

/** 53 bits of a hash (cyrb53): enough to tell users apart, and not reversible to the token. */
const fingerprint = (text: string): string => {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
};

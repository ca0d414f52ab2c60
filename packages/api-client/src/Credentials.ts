/**
 * Sources of access tokens: a session of `@game-data/oauth-pkce`, a token, or your own source.
 *
 * A session renews its token after a 401 and knows which scopes were granted, so that calls without
 * their scope are not sent at all.
 */
import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";

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

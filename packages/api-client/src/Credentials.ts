/**
 * Sources of access tokens: a token, a session of `@game-data/oauth-pkce`, or your own source.
 *
 * A source that can renew is called once after a 401. A source that knows its scopes keeps calls
 * without the required ones from being sent.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Effect from "effect/Effect";
import * as Hash from "effect/Hash";
import * as Predicate from "effect/Predicate";
import * as Redacted from "effect/Redacted";

/** An access token and its scopes. */
export interface AccessToken {
  readonly token: Redacted.Redacted;
  /** The granted scopes; `undefined` if unknown. */
  readonly scopes: ReadonlyArray<string> | undefined;
}

/** The error of a source that has no token. */
export interface CredentialsError {
  /** Whether trying again may help. If not, the user has to sign in again. */
  readonly isRetryable: boolean;
  /** The reason, without secrets. */
  readonly detail: string;
  readonly cause?: unknown;
}

/** A source of access tokens. */
export interface TokenSource {
  /**
   * Distinguishes users for the rate limiter: an account's id, never a token. Calls of one identity
   * share their budgets. Default: every source has an identity of its own.
   */
  readonly identity?: string | undefined;
  /** A token that is valid now, as far as the source knows. */
  readonly current: Effect.Effect<AccessToken, CredentialsError>;
  /** Returns a token other than the refused one. Leave it out if the source cannot renew. */
  readonly renew?:
    | ((refused: Redacted.Redacted) => Effect.Effect<AccessToken, CredentialsError>)
    | undefined;
}

/** The part of a session of `@game-data/oauth-pkce` that a client uses. */
export interface SessionLike {
  /** See `TokenSource.identity`. */
  readonly identity?: string | undefined;
  readonly tokens: Effect.Effect<SessionTokens, SessionFailure>;
  readonly renew: (refused: Redacted.Redacted) => Effect.Effect<unknown, SessionFailure>;
}

/** The tokens of a session. */
export interface SessionTokens {
  readonly accessToken: Redacted.Redacted;
  /** Empty if the server did not name them. */
  readonly scopes: ReadonlyArray<string>;
}

/** An error of a session. */
export interface SessionFailure {
  readonly message: string;
  readonly isRetryable?: boolean | undefined;
}

/** The credentials that a client accepts. */
export type Credentials = SessionLike | TokenSource | Redacted.Redacted | string;

/** Returns the source behind any kind of credentials. Throws `ConfigurationInvalid`. */
export const toTokenSource = (credentials: Credentials): TokenSource => {
  const token = typeof credentials === "string" ? Redacted.make(credentials) : credentials;
  if (Redacted.isRedacted(token)) return fixedToken(token as Redacted.Redacted);
  if (Predicate.hasProperty(token, "current") && Effect.isEffect(token.current)) return token;
  if (Predicate.hasProperty(token, "tokens") && Effect.isEffect(token.tokens))
    return fromSession(token);
  throw unusable();
};

const unusable = () =>
  new ConfigurationInvalid({
    option: "credentials",
    reason: "must be a token that is not empty, a session, or a source",
  });

const fixedToken = (token: Redacted.Redacted): TokenSource => {
  const text: unknown = Redacted.value(token);
  if (typeof text !== "string" || text === "") throw unusable();
  return {
    // The same token has the same identity in every client. One hash of 32 bits would collide for
    // some of 10,000 tokens, so two are joined.
    identity: `token-${Hash.string(text)}-${Hash.string(`${text} `)}`,
    current: Effect.succeed({ token, scopes: undefined }),
  };
};

const fromSession = (session: SessionLike): TokenSource => {
  const current = Effect.map(session.tokens, ({ accessToken, scopes }) => ({
    token: accessToken,
    scopes: scopes.length === 0 ? undefined : scopes,
  }));
  const explained = Effect.mapError((error: SessionFailure): CredentialsError => ({
    isRetryable: error.isRetryable ?? false,
    detail: error.message,
    cause: error,
  }));
  return {
    identity: session.identity,
    current: explained(current),
    renew: (refused) => explained(Effect.andThen(session.renew(refused), current)),
  };
};

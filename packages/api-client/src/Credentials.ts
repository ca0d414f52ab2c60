/**
 * Where access tokens come from: a session of `@game-data/oauth-pkce`, a token that you have, or
 * your own source.
 *
 * A session renews its token after a 401 and knows which scopes were granted, so that calls it has
 * no scope for are not even sent.
 */
import type { Session, SessionError, TokenSet } from "@game-data/oauth-pkce";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";

/** An access token and what is known about it. */
export interface AccessToken {
  readonly token: Redacted.Redacted;
  /** The granted scopes; `undefined` where nobody knows. */
  readonly scopes: ReadonlyArray<string> | undefined;
}

/** No token could be had. */
export interface CredentialsFailure {
  /** `sign-in`: only a new sign-in helps; `try-later`: the OAuth server is out of reach. */
  readonly kind: "sign-in" | "try-later";
  /** What happened, without secrets. */
  readonly detail: string;
}

/** A source of access tokens. */
export interface CredentialsSource {
  /** A token that is good now, as far as the source knows. */
  readonly current: Effect.Effect<AccessToken, CredentialsFailure>;
  /** A token other than the refused one. Left out where there is no way to get one. */
  readonly renew?: (refused: Redacted.Redacted) => Effect.Effect<AccessToken, CredentialsFailure>;
}

/** What a client accepts as credentials. */
export type Credentials = Session.Session | CredentialsSource | Redacted.Redacted | string;

/** The source behind any kind of credentials. */
export const toSource = (credentials: Credentials): CredentialsSource => {
  if (typeof credentials === "string") return fixed(Redacted.make(credentials));
  if (Redacted.isRedacted(credentials)) return fixed(credentials as Redacted.Redacted);
  return "withFreshToken" in credentials ? fromSession(credentials) : credentials;
};

const fixed = (token: Redacted.Redacted): CredentialsSource => ({
  current: Effect.succeed({ token, scopes: undefined }),
});

const fromSession = (session: Session.Session): CredentialsSource => {
  const current = session.tokens.pipe(Effect.map(toAccessToken), Effect.mapError(toFailure));
  return {
    current,
    renew: (refused) =>
      session.renew(refused).pipe(Effect.mapError(toFailure), Effect.andThen(current)),
  };
};

const toAccessToken = (tokens: TokenSet.TokenSet): AccessToken => ({
  token: tokens.accessToken,
  // An empty list says that the server did not tell.
  scopes: tokens.scopes.length === 0 ? undefined : tokens.scopes,
});

const toFailure = (error: SessionError): CredentialsFailure => ({
  kind: error.isRetryable ? "try-later" : "sign-in",
  detail: error.message,
});

/** Credentials of programs without Effect. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Effect from "effect/Effect";
import * as Predicate from "effect/Predicate";
import * as Redacted from "effect/Redacted";
import { describeCause } from "./call/errors.ts";
import {
  type AccessToken,
  type CredentialsError,
  type SessionTokens,
  toTokenSource as fromEffect,
  type TokenSource,
} from "./Credentials.ts";

/** An access token, with the granted scopes if they are known. */
export type PromiseToken =
  | string
  | { readonly token: string; readonly scopes?: ReadonlyArray<string> | undefined };

type MaybeToken = Promise<PromiseToken | undefined> | PromiseToken | undefined;

/**
 * Returns an access token. The client calls it for every request, and with the refused token after
 * a 401. A rejection is retried, unless the error has `isRetryable: false`; `undefined` becomes
 * `Unauthorized`. The message of a rejection becomes `detail`, so it must hold no secret.
 */
export type TokenFunction = (refused?: string) => MaybeToken;

/** A source of access tokens. */
export interface PromiseTokenSource {
  /** Distinguishes users for the rate limiter: an account's id, never a token. */
  readonly identity?: string | undefined;
  /** Returns a token that is valid now, as far as the source knows. */
  readonly current: () => MaybeToken;
  /** Returns a token other than the refused one. Leave it out if the source cannot renew. */
  readonly renew?: ((refused: string) => MaybeToken) | undefined;
}

/** The part of a session of `@game-data/oauth-pkce/promise` that a client uses. */
export interface PromiseSessionLike {
  readonly identity?: string | undefined;
  readonly tokens: () => Promise<SessionTokens>;
  readonly renew: (refused: string) => Promise<string>;
}

/** The credentials that a client accepts. */
export type PromiseCredentials =
  | string
  | Redacted.Redacted
  | TokenFunction
  | PromiseTokenSource
  | PromiseSessionLike;

/** Returns the source behind any kind of credentials. Throws `ConfigurationInvalid`. */
export const toTokenSource = (credentials: PromiseCredentials): TokenSource => {
  if (typeof credentials === "string" || Redacted.isRedacted(credentials))
    return fromEffect(credentials as string | Redacted.Redacted);
  if (typeof credentials === "function")
    return fromSource({ current: () => credentials(), renew: credentials });
  if (Predicate.hasProperty(credentials, "current") && Predicate.isFunction(credentials.current))
    return fromSource(credentials);
  if (Predicate.hasProperty(credentials, "tokens") && Predicate.isFunction(credentials.tokens))
    return fromSession(credentials);
  throw new ConfigurationInvalid({
    option: "credentials",
    reason: "must be a token, a function, a source or a session",
  });
};

const fromSource = (source: PromiseTokenSource): TokenSource => ({
  identity: source.identity,
  current: takeToken(() => source.current()),
  renew: source.renew && ((refused) => takeToken(() => source.renew?.(Redacted.value(refused)))),
});

const fromSession = (session: PromiseSessionLike): TokenSource => {
  const current = async () => {
    const { accessToken, scopes } = await session.tokens();
    return { token: Redacted.value(accessToken), ...(scopes.length > 0 && { scopes }) };
  };
  const { identity } = session;
  return fromSource({
    identity,
    current,
    renew: (refused) => session.renew(refused).then(current),
  });
};

const takeToken = (request: () => MaybeToken): Effect.Effect<AccessToken, CredentialsError> =>
  Effect.tryPromise({
    try: async () => {
      const answer = await request();
      const { scopes, token } =
        typeof answer === "object" ? (answer ?? {}) : { token: answer, scopes: undefined };
      if (typeof token !== "string" || token === "")
        throw Object.assign(new Error("the source has no token"), { isRetryable: false });
      return { token: Redacted.make(token), scopes };
    },
    catch: (cause): CredentialsError => ({
      isRetryable: (cause as { readonly isRetryable?: unknown } | null)?.isRetryable !== false,
      detail: describeCause(cause),
      cause,
    }),
  });

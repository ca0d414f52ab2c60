/**
 * Sources of access tokens for programs without Effect, and what the client makes of them.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { AccessToken, Credentials, CredentialsError, TokenSource } from "../Credentials.ts";
import { describeCause } from "../Transport.ts";

/**
 * Gives an access token. Called for every request, and with the refused token after a 401. A
 * rejection is a `TransportError` that is retried, unless the error says `isRetryable: false`;
 * `undefined` is `Unauthorized`.
 */
export type TokenFunction = (refused?: string) => Promise<string | undefined> | string | undefined;

/** A source of access tokens that knows its user and the granted scopes. */
export interface PromiseTokenSource {
  /** The user, as the rate limiter tells users apart: an account's id, never a token. */
  readonly identity?: string | undefined;
  /** A token that is good now. */
  readonly current: () => Promise<PromiseToken | undefined>;
  /** A token other than the refused one. */
  readonly renew?: ((refused: string) => Promise<PromiseToken | undefined>) | undefined;
}

/** An access token, with the granted scopes where they are known. */
export type PromiseToken =
  | string
  | { readonly token: string; readonly scopes?: ReadonlyArray<string> | undefined };

/** The part of a session of `@game-data/oauth-pkce/promise` that a client uses. */
export interface PromiseSessionLike {
  readonly tokens: () => Promise<{
    readonly accessToken: Redacted.Redacted;
    readonly scopes: ReadonlyArray<string>;
  }>;
  readonly renew: (refused: string) => Promise<string>;
  /** See `PromiseTokenSource.identity`. */
  readonly identity?: string | undefined;
}

/** The credentials that a client accepts. */
export type PromiseCredentials =
  | TokenFunction
  | PromiseTokenSource
  | PromiseSessionLike
  | Credentials;

/** The credentials as the client takes them. */
export const toCredentials = (credentials: PromiseCredentials): Credentials => {
  if (typeof credentials === "function") {
    return toSource({ current: async () => credentials(), renew: async (old) => credentials(old) });
  }
  if (typeof credentials === "string" || Redacted.isRedacted(credentials)) {
    return credentials as Credentials;
  }
  if ("tokens" in credentials && typeof credentials.tokens === "function") {
    const { identity, renew, tokens } = credentials as PromiseSessionLike;
    const current = async () => {
      const { accessToken, scopes } = await tokens();
      const known = scopes.length === 0 ? undefined : scopes;
      return { token: Redacted.value(accessToken), scopes: known };
    };
    return toSource({
      identity,
      current,
      renew: async (refused) => {
        await renew(refused);
        return current();
      },
    });
  }
  if ("current" in credentials && typeof credentials.current === "function") {
    return toSource(credentials as PromiseTokenSource);
  }
  return credentials as Credentials;
};

const toSource = ({ current, identity, renew }: PromiseTokenSource): TokenSource => ({
  identity,
  current: readToken(() => current()),
  ...(renew && { renew: (refused) => readToken(() => renew(Redacted.value(refused))) }),
});

const readToken = (
  read: () => Promise<PromiseToken | undefined>,
): Effect.Effect<AccessToken, CredentialsError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: read,
      catch: (cause) => ({
        // A source that cannot be reached may recover; an error that knows better says so.
        isRetryable: (cause as { readonly isRetryable?: unknown } | null)?.isRetryable !== false,
        detail: describeCause(cause),
        cause,
      }),
    }),
    (given) => {
      const { scopes, token } =
        typeof given === "object"
          ? { scopes: undefined, ...given }
          : { scopes: undefined, token: given };
      return typeof token === "string" && token !== ""
        ? Effect.succeed({ token: Redacted.make(token), scopes })
        : Effect.fail({ isRetryable: false, detail: "the source has no token" });
    },
  );

/**
 * Sources of access tokens for programs without Effect, and what the client makes of them.
 */
import * as Redacted from "effect/Redacted";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { credentialsInvalid, fixedTokens } from "../operations/makeApi.ts";
import { fail, succeed } from "../pipeline/Call.ts";
import type { Outcome, Tokens } from "../pipeline/Call.ts";
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
  | string
  | Redacted.Redacted
  | TokenFunction
  | PromiseTokenSource
  | PromiseSessionLike;

/** What the client makes of credentials. Throws `ConfigurationInvalid`. */
export const toTokens = (credentials: unknown): Tokens => {
  const fixed = fixedTokens(credentials);
  if (fixed) return fixed;
  const { current, identity, renew } = toSource(credentials);
  return {
    identity,
    renews: renew !== undefined,
    take: (_host, refused, tell) => {
      let isGivenUp = false;
      // A token may be of any make, with members that throw.
      const read = async () =>
        toToken(await (refused && renew ? renew(Redacted.value(refused)) : current()));
      read().then(
        (token) => isGivenUp || tell(token),
        (cause) => isGivenUp || tell(fail(toFailure(cause))),
      );
      return () => {
        isGivenUp = true;
      };
    },
  };
};

const toSource = (credentials: unknown): PromiseTokenSource => {
  if (typeof credentials === "function") {
    const read = credentials as TokenFunction;
    return { current: async () => read(), renew: async (refused) => read(refused) };
  }
  const given = Object(credentials) as Partial<PromiseTokenSource & PromiseSessionLike>;
  if (typeof given.current === "function") return given as PromiseTokenSource;
  const { identity, renew, tokens } = given as PromiseSessionLike;
  if (typeof tokens !== "function") throw credentialsInvalid();
  const current = async () => {
    const { accessToken, scopes } = await tokens();
    return { token: Redacted.value(accessToken), scopes: scopes.length === 0 ? undefined : scopes };
  };
  return {
    identity,
    current,
    renew: async (refused) => {
      await renew(refused);
      return current();
    },
  };
};

const toToken = (given: PromiseToken | undefined): Outcome<AccessToken, CredentialsError> => {
  const { scopes, token } =
    typeof given === "object"
      ? { scopes: undefined, ...given }
      : { scopes: undefined, token: given };
  return typeof token === "string" && token !== ""
    ? succeed({ token: Redacted.make(token), scopes })
    : fail({
        isRetryable: false,
        detail: token ? "the source's token is no text" : "the source has no token",
      });
};

const toFailure = (cause: unknown): CredentialsError => ({
  // A source that cannot be reached may recover; an error that knows better says so.
  isRetryable: (cause as { readonly isRetryable?: unknown } | null)?.isRetryable !== false,
  detail: describeCause(cause, "the source failed"),
  cause,
});

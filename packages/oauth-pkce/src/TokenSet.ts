/**
 * The tokens of one response of the token endpoint, with their scopes and expiry.
 *
 * Times are milliseconds since 1970 by the clock of the process that sent the request.
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import * as Schema from "effect/Schema";
import type { OAuthClient } from "./OAuthClient.ts";

const Secret = Schema.RedactedFromValue(Schema.String);

/** Schema of a set of tokens. Its encoded form, for stores, has the secrets in clear. */
export const TokenSet = Schema.Struct({
  accessToken: Secret,
  /** `"never"`: valid until revoked. `"unknown"`: valid until a 401. */
  expiresAt: Schema.Union([Schema.Finite, Schema.Literals(["never", "unknown"])]),
  /** The time at which the request was sent. */
  issuedAt: Schema.Finite,
  /** The granted scopes. They may be fewer than the requested ones. */
  scopes: Schema.Array(Schema.String),
  refreshToken: Schema.optionalKey(Secret),
  /** The end of the user's consent. Computed at the sign-in and kept by every refresh. */
  consentExpiresAt: Schema.optionalKey(Schema.Finite),
  username: Schema.optionalKey(Schema.String),
  /** UUID of the user. */
  sub: Schema.optionalKey(Schema.String),
});

/** A set of tokens. Its secrets are `Redacted`; only `toJson` shows them. */
export interface TokenSet extends Schema.Schema.Type<typeof TokenSet> {}

const Json = Schema.fromJsonString(TokenSet);

/** Writes a set as JSON with the secrets in clear, for stores. */
export const toJson: (tokens: TokenSet) => string = Schema.encodeSync(Json);

const decodeJson = Schema.decodeUnknownOption(Json);

/** Reads the text of `toJson`. Returns `undefined` for any other text. */
export const fromJson = (json: string): TokenSet | undefined =>
  Option.getOrUndefined(decodeJson(json));

/** Returns when the access token expires, in milliseconds since 1970; `Infinity` if not known. */
export const expiry = ({ expiresAt }: TokenSet): number =>
  typeof expiresAt === "number" ? expiresAt : Infinity;

/** Returns the milliseconds until the access token expires, at least 0. */
export const remainingMillis = (tokens: TokenSet, now: number = Date.now()): number =>
  Math.max(0, expiry(tokens) - now);

/** Returns whether the token has not expired at `now`. The server may still have revoked it. */
export const isFresh = (tokens: TokenSet, now: number): boolean => remainingMillis(tokens, now) > 0;

/** Returns whether the access token differs from `refused`. */
export const isOther = (tokens: TokenSet, refused: Redacted.Redacted | undefined): boolean =>
  refused === undefined || Redacted.value(tokens.accessToken) !== Redacted.value(refused);

/** Returns the requested scopes that the tokens do not have. */
export const missingScopes = (
  tokens: TokenSet,
  requested: ReadonlyArray<string>,
): ReadonlyArray<string> => requested.filter((scope) => !tokens.scopes.includes(scope));

/** Returns the set without its refresh token, the only form that may go to a browser (§5). */
export const withoutRefreshToken = (tokens: TokenSet): TokenSet => {
  const { consentExpiresAt: _, refreshToken: __, ...rest } = tokens;
  return rest;
};

/** Returns the milliseconds that a consent lasts: the lifetime of a refresh token (§8). */
export const consentMillis = ({ kind }: Pick<OAuthClient, "kind">): number =>
  1000 * Lifetimes.refreshToken[kind];

/** A refresh token of another library, or of a backup. */
export interface MigratedToken {
  readonly refreshToken: Redacted.Redacted | string;
  /** The granted scopes. Default: learned from the first refresh. */
  readonly scopes?: ReadonlyArray<string>;
  /** Time of the user's consent in milliseconds since 1970, if known. Needs `client`. */
  readonly consentedAt?: number;
  /** The client that the user consented to. Its kind determines how long the consent lasts. */
  readonly client?: Pick<OAuthClient, "kind">;
}

/**
 * Makes a set from a refresh token, which is refreshed at its first use. Call it once for each
 * refresh token, because two sets would send the token twice.
 */
export const fromRefreshToken = ({
  client,
  consentedAt,
  refreshToken,
  scopes = [],
}: MigratedToken): TokenSet => ({
  accessToken: Redacted.make(""),
  expiresAt: 0,
  issuedAt: 0,
  scopes,
  refreshToken: Redacted.isRedacted(refreshToken) ? refreshToken : Redacted.make(refreshToken),
  ...(client &&
    consentedAt !== undefined && { consentExpiresAt: consentedAt + consentMillis(client) }),
});

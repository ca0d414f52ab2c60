/**
 * The tokens of a response of the token endpoint, with their scopes and their ends.
 *
 * `expiresAt` tells the three cases apart that libraries like to mix up: a time, `"never"`
 * (`expires_in: null`, client credentials) and `"unknown"` (the member is missing).
 * `consentExpiresAt` is computed once, when the user consented, and carried through every rotation,
 * because a rotated refresh token inherits its expiry (§3) and no response tells it.
 */
import * as Duration from "effect/Duration";
import * as Redacted from "effect/Redacted";
import * as Struct from "effect/Struct";
import { fromStored, toStored } from "./internal/GrantRecord.ts";
import { parseObject } from "./internal/json.ts";
import type { TokenSet } from "./Model.ts";

export type { TokenSet };

/**
 * Whether the access token has not ended at `now` of this machine. A server may have revoked it all
 * the same.
 */
export const isFresh = (tokens: TokenSet, now: number): boolean => remainingMillis(tokens, now) > 0;

/** The scopes that were asked for and not granted. */
export const missingScopes = (
  tokens: TokenSet,
  wanted: ReadonlyArray<string>,
): ReadonlyArray<string> => wanted.filter((scope) => !tokens.scopes.includes(scope));

/** A refresh token of another library, or of a backup, to be migrated. */
export interface MigratedToken {
  readonly refreshToken: Redacted.Redacted | string;
  /** The granted scopes. Default: learned from the first refresh. */
  readonly scopes?: ReadonlyArray<string>;
  /** Time of the user's consent, in milliseconds since 1970, if it is known. */
  readonly consentedAt?: number;
  /** The client that the consent was given to: its lifetime tells the consent's end. */
  readonly client?: { readonly consentLifetime: Duration.Duration };
}

/**
 * Makes a set of an existing refresh token. Its access token has ended, so its first use refreshes
 * it. Call it once per refresh token: two sets of one token send it twice.
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
    consentedAt !== undefined && {
      consentExpiresAt: consentedAt + Duration.toMillis(client.consentLifetime),
    }),
});

/** The set without its refresh token: the only form that may go to a browser (§5). */
export const withoutRefreshToken: (tokens: TokenSet) => TokenSet = /*#__PURE__*/ Struct.omit([
  "refreshToken",
  "consentExpiresAt",
]);

/**
 * Milliseconds until the access token ends at `now` of this machine; `Infinity` when time does not
 * end it, `0` when it has ended.
 */
export const remainingMillis = (
  { clockSkew = 0, expiresAt }: TokenSet,
  now: number = Date.now(),
): number => (typeof expiresAt === "string" ? Infinity : Math.max(0, expiresAt - now - clockSkew));

/** Writes a set as JSON, secrets in clear: for stores. */
export const toJson = (tokens: TokenSet): string => JSON.stringify(toStored(tokens));

/** Reads the text of `toJson`; `undefined` for any other text. */
export const fromJson = (json: string): TokenSet | undefined => fromStored(parseObject(json));

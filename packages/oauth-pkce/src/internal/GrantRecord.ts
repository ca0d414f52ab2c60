/**
 * The entry of one grant in a token store: its tokens, and whether the refresh token has been sent.
 *
 * The intent is written before the refresh token is sent, so every reader knows that it may have
 * been used. A grant that ended leaves a tombstone (`dead`) without tokens.
 */
import * as Redacted from "effect/Redacted";
import type { TokenSet } from "../Model.ts";
import {
  hasMembers,
  isNumber,
  isString,
  isStrings,
  optional,
  parseObject,
  readMembers,
} from "./json.ts";

/** A refresh token's use, recorded before it is sent. Times are of the store's clock. */
interface Intent {
  /** The version under which the intent was first written. */
  readonly id: string;
  readonly at: number;
  /** Milliseconds after `at` at which its holder has given up for certain. */
  readonly patience: number;
  /** Counts the sends of this refresh token, this one included. */
  readonly attempt: number;
  /** Whether the holder got no response and said so. */
  readonly isClosed?: boolean;
}

/** The end of a grant. */
interface Tombstone {
  readonly at: number;
  readonly status: number;
  readonly lostAnswer: boolean;
  /** Whether the consent's lifetime was over. */
  readonly hasConsentEnded: boolean;
  /** The intent that ended it. */
  readonly intent?: string;
}

/** The record of one grant. */
export interface GrantRecord {
  readonly v: 2;
  readonly tokens?: TokenSet;
  readonly intent?: Intent;
  /** The server asked not to be sent a request before this time of the store's clock. */
  readonly notBefore?: number;
  readonly dead?: Tombstone;
}

/** Makes a record that holds tokens and nothing else. */
export const ofTokens = (tokens: TokenSet): GrantRecord => ({ v: 2, tokens });

/** Writes a record as JSON, secrets in clear. */
export const encode = ({ tokens, ...rest }: GrantRecord): string =>
  JSON.stringify({ ...rest, ...(tokens && { tokens: toStored(tokens) }) });

/** Reads a record; `undefined` for any other text. */
export const decode = (text: string): GrantRecord | undefined => {
  const found = readMembers<Omit<GrantRecord, "tokens"> & { readonly tokens?: unknown }>(
    parseObject(text),
    RECORD,
  );
  if (found?.tokens === undefined) return found as GrantRecord | undefined;
  const tokens = fromStored(found.tokens);
  return tokens && { ...found, tokens };
};

/** A token set whose secrets are in clear. */
type StoredTokens = Omit<TokenSet, "accessToken" | "refreshToken"> & {
  readonly accessToken: string;
  readonly refreshToken?: string;
};

/** Shows the secrets. */
export const toStored = ({ accessToken, refreshToken, ...rest }: TokenSet): StoredTokens => ({
  accessToken: Redacted.value(accessToken),
  ...rest,
  ...(refreshToken && { refreshToken: Redacted.value(refreshToken) }),
});

/** Reads a stored set; `undefined` for anything else. Unknown members are left out. */
export const fromStored = (value: unknown): TokenSet | undefined => {
  const found = readMembers<StoredTokens>(value, TOKENS);
  if (found === undefined) return undefined;
  const { accessToken, refreshToken, ...rest } = found;
  return {
    accessToken: Redacted.make(accessToken),
    ...rest,
    ...(refreshToken !== undefined && { refreshToken: Redacted.make(refreshToken) }),
  };
};

const TOKENS = {
  accessToken: isString,
  expiresAt: (value: unknown) => isNumber(value) || value === "never" || value === "unknown",
  issuedAt: isNumber,
  scopes: isStrings,
  clockSkew: /*#__PURE__*/ optional(isNumber),
  refreshToken: /*#__PURE__*/ optional(isString),
  consentExpiresAt: /*#__PURE__*/ optional(isNumber),
  username: /*#__PURE__*/ optional(isString),
  sub: /*#__PURE__*/ optional(isString),
};

const isBoolean = (value: unknown) => value === true || value === false;

const INTENT = {
  id: isString,
  at: isNumber,
  patience: isNumber,
  attempt: isNumber,
  isClosed: /*#__PURE__*/ optional(isBoolean),
};

const TOMBSTONE = {
  at: isNumber,
  status: isNumber,
  lostAnswer: isBoolean,
  hasConsentEnded: isBoolean,
  intent: /*#__PURE__*/ optional(isString),
};

const RECORD = {
  v: (version: unknown) => version === 2,
  tokens: () => true,
  notBefore: /*#__PURE__*/ optional(isNumber),
  intent: /*#__PURE__*/ optional((value) => hasMembers(value, INTENT)),
  dead: /*#__PURE__*/ optional((value) => hasMembers(value, TOMBSTONE)),
};

/** Milliseconds for which a tombstone is kept. */
const TOMBSTONE_MILLIS = 30 * 86_400_000;

/**
 * Tells for how many milliseconds a store keeps a record: until its consent has ended, with a margin for clocks.
 * Without a known end the record stays.
 */
export const ttlOf = (record: GrantRecord, now: number): number | undefined => {
  if (record.dead) return TOMBSTONE_MILLIS;
  const { clockSkew = 0, consentExpiresAt: end } = record.tokens ?? {};
  if (end === undefined) return undefined;
  return Math.ceil(Math.max(end - now - clockSkew, 0) + TOMBSTONE_MILLIS);
};

/** A record with what its store told when it was read. */
export interface StoredGrant {
  readonly version: string;
  /** The store's clock at the time of reading. */
  readonly storeNow: number;
  readonly record: GrantRecord;
}

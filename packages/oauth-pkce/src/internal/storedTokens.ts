/** The form of a token set in stored JSON: the same members, with its secrets in clear. */
import * as Redacted from "effect/Redacted";
import type { TokenSet } from "../Model.ts";
import { hasMembers, isNumber, isString, isStrings, optional } from "./json.ts";

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
  if (!isStored(value)) return undefined;
  const { accessToken, consentExpiresAt, expiresAt, issuedAt, refreshToken, scopes } = value;
  const { clockSkew, sub, username } = value;
  return {
    accessToken: Redacted.make(accessToken),
    expiresAt,
    issuedAt,
    scopes,
    ...(clockSkew !== undefined && { clockSkew }),
    ...(refreshToken !== undefined && { refreshToken: Redacted.make(refreshToken) }),
    ...(consentExpiresAt !== undefined && { consentExpiresAt }),
    ...(username !== undefined && { username }),
    ...(sub !== undefined && { sub }),
  };
};

const conditions = {
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

const isStored = (value: unknown): value is StoredTokens => hasMembers(value, conditions);

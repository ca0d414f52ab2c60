/** The form of a token set in stored JSON: the same members, with its secrets in clear. */
import * as Redacted from "effect/Redacted";
import type { TokenSet } from "../Model.ts";
import { isNumber, isString, isStrings, optional, readMembers } from "./json.ts";

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
  const found = readMembers<StoredTokens>(value, CONDITIONS);
  if (found === undefined) return undefined;
  const { accessToken, refreshToken, ...rest } = found;
  return {
    accessToken: Redacted.make(accessToken),
    ...rest,
    ...(refreshToken !== undefined && { refreshToken: Redacted.make(refreshToken) }),
  };
};

const CONDITIONS = {
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

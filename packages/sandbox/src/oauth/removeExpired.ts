/**
 * Removes codes, tokens and grants that no request can depend on any more, so that a sandbox that
 * runs for weeks does not grow for ever.
 *
 * Deleting is safe: expired and unknown tokens get the same response. What remains is what an
 * attack is recognised by: a redeemed code as long as its grant has a token that a replay would
 * revoke, a used refresh token until the expiry that its whole family shares. Client-credentials
 * tokens never expire (§8) and stay until they are revoked.
 */
import type { OAuthTables } from "./tables.ts";

/** Below it nothing is removed: a clock that is set back brings expired tokens back in force. */
const LEAST = 1_000;

/**
 * To be called at the end of each transaction that issues tokens. Works when as many calls were
 * made since the last time as grants were kept then, so that its cost per call stays the same
 * however many there are.
 */
export const makeRemoveExpired = (tables: OAuthTables, now: () => number): (() => void) => {
  const { access, codes, grants, refresh } = tables;
  let left = LEAST;
  return () => {
    left -= 1;
    if (left > 0) return;
    const instant = now();
    for (const code of codes.all())
      if (code.redeemedAt === null && code.expiresAt <= instant) codes.delete(code.hash);
    access.deleteUpTo("expiresAt", instant);
    for (const token of access.all()) if (token.revokedAt !== null) access.delete(token.hash);
    refresh.deleteUpTo("expiresAt", instant);
    for (const grant of grants.all())
      if (grant.revokedAt !== null || isEmpty(tables, grant.id)) removeGrant(tables, grant.id);
    left = Math.max(LEAST, grants.count());
  };
};

const isEmpty = ({ access, codes, refresh }: OAuthTables, grantId: string): boolean =>
  access.by("grantId", grantId).length === 0 &&
  refresh.by("grantId", grantId).length === 0 &&
  codes.by("grantId", grantId).every((code) => code.redeemedAt !== null);

/** Removes a grant with everything that refers to it. */
const removeGrant = ({ access, codes, grants, refresh }: OAuthTables, grantId: string): void => {
  for (const table of [access, codes, refresh])
    for (const { hash } of table.by("grantId", grantId)) table.delete(hash);
  grants.delete(grantId);
};

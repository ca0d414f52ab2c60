/**
 * Forgets codes, tokens and grants that cannot matter any more, so that a sandbox that runs for
 * weeks does not grow for ever.
 *
 * What goes gets the same answer afterwards, for nobody can tell a dead token from an unknown one.
 * What stays is what an attack is recognised by: a redeemed code as long as its grant has a token
 * that a replay would revoke, a used refresh token until the expiry that its whole family shares.
 * Client-credentials tokens never expire (§8) and stay until they are revoked.
 */
import type { Store } from "../store/Store.ts";

/**
 * A small sandbox never forgets: its clock may be set back, and what had expired is then in force
 * again.
 */
const LEAST = 1_000;

const DEAD: ReadonlyArray<string> = [
  "DELETE FROM oauth_codes WHERE redeemed_at IS NULL AND expires_at <= :now",
  "DELETE FROM oauth_access_tokens WHERE expires_at <= :now OR revoked_at IS NOT NULL",
  "DELETE FROM oauth_refresh_tokens WHERE expires_at <= :now",
];

/** With it go the redeemed codes that hang on it. */
const EMPTY_GRANTS = `DELETE FROM oauth_grants WHERE revoked_at IS NOT NULL OR NOT (
  EXISTS (SELECT 1 FROM oauth_access_tokens t WHERE t.grant_id = oauth_grants.id)
  OR EXISTS (SELECT 1 FROM oauth_refresh_tokens t WHERE t.grant_id = oauth_grants.id)
  OR EXISTS (SELECT 1 FROM oauth_codes c WHERE c.grant_id = oauth_grants.id AND c.redeemed_at IS NULL))`;

const COUNT = "SELECT count(*) AS n FROM oauth_grants";

/**
 * To be called at the end of each transaction that issues tokens. Works when so many calls were
 * made since the last time as grants were kept then, so that its cost per call stays the same
 * however many there are.
 */
export const makeRemoveExpired = (store: Store["Service"], now: () => number): (() => void) => {
  let left = LEAST;
  return () => {
    left -= 1;
    if (left > 0) return;
    for (const statement of DEAD) store.prepare(statement).run({ now: now() });
    store.prepare(EMPTY_GRANTS).run();
    left = Math.max(LEAST, Number(store.prepare(COUNT).get()?.["n"]));
  };
};

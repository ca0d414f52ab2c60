/**
 * Revoking (RFC 7009) and introspecting (RFC 7662) tokens.
 *
 * Both are called with a bearer token that has the scope; what that bearer may see is the tokens of
 * its own client, and, if a user consented to it, only those of that user. What it may not see is
 * treated as if it did not exist.
 */
import type { IntrospectionResponse } from "@game-data/contract";
import type { Accounts } from "../clients/Accounts.ts";
import type { Store } from "../store/Store.ts";
import { type Grants, isLive, type Token } from "./Grants.ts";
import type { Identity } from "./TokenVerifier.ts";

/** Revocation and introspection over the rows of a store. */
export const makeTokenManagement = (deps: {
  readonly store: Store;
  readonly grants: Grants;
  readonly accounts: Accounts;
  readonly now: () => number;
}) => {
  const { store, grants, accounts, now } = deps;
  return {
    /** Revokes a token that the bearer may see; anything else is left as it is (RFC 7009 §2.2). */
    revoke: (bearer: Identity, token: string): void =>
      store.transact(() => {
        const row = grants.token(token);
        if (row === undefined || !maySee(bearer, row)) return;
        if (row.kind === "access") grants.revokeAccess(row.hash);
        else grants.revokeGrant(row.grant.id);
      }),

    /** Returns the facts of a token, or only that it is not active (RFC 7662 §2.2). */
    introspect: (bearer: Identity, token: string): IntrospectionResponse => {
      const row = grants.token(token);
      if (row === undefined || !maySee(bearer, row) || !isLive(row, now())) {
        return { active: false };
      }
      return {
        active: true,
        scope: row.scopes.join(" "),
        client_id: row.grant.clientId,
        username: accounts.byUuid(row.grant.sub)?.name ?? "",
        sub: row.grant.sub,
        ...(row.kind === "access" ? { token_type: "bearer" } : {}),
        iat: Math.floor(row.issuedAt / 1_000),
        ...(row.expiresAt === null ? {} : { exp: Math.floor(row.expiresAt / 1_000) }),
      };
    },
  };
};

const maySee = (bearer: Identity, token: Token): boolean =>
  token.grant.clientId === bearer.clientId &&
  (bearer.grantType === "client_credentials" || token.grant.sub === bearer.sub);

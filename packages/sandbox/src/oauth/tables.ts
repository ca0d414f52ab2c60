/**
 * The tables of the OAuth server.
 *
 * A grant is one consent (or one use of client credentials). Codes, access tokens and refresh
 * tokens refer to it, so that revoking the grant ends all of them. Codes and tokens are stored as
 * SHA-256 only; `prefix` are their first six characters, for people to tell one from another.
 */
import type { Store, Table } from "../store/Store.ts";

/** A grant. */
export interface GrantRow {
  readonly id: string;
  readonly clientId: string;
  readonly sub: string;
  readonly scopes: string;
  readonly grantType: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** An authorization code. */
export interface CodeRow {
  readonly hash: string;
  readonly grantId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: number;
  readonly redeemedAt: number | null;
}

/** An access token. */
export interface AccessTokenRow {
  readonly hash: string;
  readonly grantId: string;
  readonly prefix: string;
  readonly scopes: string;
  readonly issuedAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A refresh token. */
export interface RefreshTokenRow {
  readonly hash: string;
  readonly grantId: string;
  readonly prefix: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

/** A browser's session. */
export interface SessionRow {
  readonly hash: string;
  readonly sub: string | null;
  readonly expiresAt: number;
}

/** An authorization request that waits for an answer. */
export interface RequestRow {
  readonly id: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: string;
  readonly state: string;
  readonly challenge: string;
  readonly expiresAt: number;
  readonly answeredAt: number | null;
}

/** Every table of the OAuth server. */
export interface OAuthTables {
  readonly grants: Table<GrantRow>;
  readonly codes: Table<CodeRow>;
  readonly access: Table<AccessTokenRow>;
  readonly refresh: Table<RefreshTokenRow>;
  readonly sessions: Table<SessionRow>;
  readonly requests: Table<RequestRow>;
}

/** Opens the tables in a store. */
export const oauthTables = (store: Store): OAuthTables => ({
  grants: store.table<GrantRow>({
    name: "oauth_grants",
    key: "id",
    columns: {
      id: "text",
      clientId: "text",
      sub: "text",
      scopes: "text",
      grantType: "text",
      createdAt: "integer",
      revokedAt: "integer?",
    },
    indexes: ["sub"],
  }),
  codes: store.table<CodeRow>({
    name: "oauth_codes",
    key: "hash",
    columns: {
      hash: "text",
      grantId: "text",
      redirectUri: "text",
      challenge: "text",
      expiresAt: "integer",
      redeemedAt: "integer?",
    },
    indexes: ["grantId"],
  }),
  access: store.table<AccessTokenRow>({
    name: "oauth_access_tokens",
    key: "hash",
    columns: {
      hash: "text",
      grantId: "text",
      prefix: "text",
      scopes: "text",
      issuedAt: "integer",
      expiresAt: "integer?",
      revokedAt: "integer?",
    },
    indexes: ["grantId"],
  }),
  refresh: store.table<RefreshTokenRow>({
    name: "oauth_refresh_tokens",
    key: "hash",
    columns: {
      hash: "text",
      grantId: "text",
      prefix: "text",
      issuedAt: "integer",
      expiresAt: "integer",
      usedAt: "integer?",
    },
    indexes: ["grantId"],
  }),
  sessions: store.table<SessionRow>({
    name: "oauth_sessions",
    key: "hash",
    columns: { hash: "text", sub: "text?", expiresAt: "integer" },
  }),
  requests: store.table<RequestRow>({
    name: "oauth_requests",
    key: "id",
    columns: {
      id: "text",
      clientId: "text",
      redirectUri: "text",
      scopes: "text",
      state: "text",
      challenge: "text",
      expiresAt: "integer",
      answeredAt: "integer?",
    },
  }),
});

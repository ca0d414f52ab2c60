/**
 * The tables of the OAuth server.
 *
 * A grant is one consent (or one use of client credentials). Codes, access tokens and refresh
 * tokens refer to it, so that revoking the grant ends all of them. Codes and tokens are stored as
 * SHA-256 only; `prefix` are their first six characters, for people to tell one from another.
 */
import type { RowOf, Store } from "../store/Store.ts";

const GRANTS = {
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
} as const;

const CODES = {
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
} as const;

const ACCESS_TOKENS = {
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
} as const;

const REFRESH_TOKENS = {
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
} as const;

const SESSIONS = {
  name: "oauth_sessions",
  key: "hash",
  columns: { hash: "text", sub: "text?", expiresAt: "integer" },
} as const;

const REQUESTS = {
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
} as const;

export type GrantRow = RowOf<typeof GRANTS>;
export type CodeRow = RowOf<typeof CODES>;
export type AccessTokenRow = RowOf<typeof ACCESS_TOKENS>;

export type OAuthTables = ReturnType<typeof oauthTables>;

export const oauthTables = (store: Store) => ({
  grants: store.table<GrantRow>(GRANTS),
  codes: store.table<CodeRow>(CODES),
  access: store.table<AccessTokenRow>(ACCESS_TOKENS),
  refresh: store.table<RowOf<typeof REFRESH_TOKENS>>(REFRESH_TOKENS),
  sessions: store.table<RowOf<typeof SESSIONS>>(SESSIONS),
  requests: store.table<RowOf<typeof REQUESTS>>(REQUESTS),
});

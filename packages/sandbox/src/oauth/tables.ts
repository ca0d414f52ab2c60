/**
 * The tables of the OAuth server.
 *
 * A grant is one consent (or one use of client credentials); codes, access tokens and refresh
 * tokens hang on it, so that revoking the grant ends the whole family. Codes and tokens are stored
 * as SHA-256 only; `prefix` are their first six characters, for people to tell one from another.
 */

/** Tables and indexes of the OAuth server. */
export const OAUTH_SCHEMA: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS oauth_grants (
    id TEXT PRIMARY KEY, client_id TEXT NOT NULL, sub TEXT NOT NULL, scopes TEXT NOT NULL,
    grant_type TEXT NOT NULL, created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT`,
  `CREATE INDEX IF NOT EXISTS oauth_grants_sub ON oauth_grants (sub)`,
  `CREATE TABLE IF NOT EXISTS oauth_codes (
    hash TEXT PRIMARY KEY, grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL, expires_at INTEGER NOT NULL,
    redeemed_at INTEGER) STRICT`,
  `CREATE INDEX IF NOT EXISTS oauth_codes_grant ON oauth_codes (grant_id)`,
  `CREATE TABLE IF NOT EXISTS oauth_access_tokens (
    hash TEXT PRIMARY KEY, grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    prefix TEXT NOT NULL, scopes TEXT NOT NULL, issued_at INTEGER NOT NULL, expires_at INTEGER,
    revoked_at INTEGER) STRICT`,
  `CREATE INDEX IF NOT EXISTS oauth_access_tokens_grant ON oauth_access_tokens (grant_id)`,
  `CREATE TABLE IF NOT EXISTS oauth_refresh_tokens (
    hash TEXT PRIMARY KEY, grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    prefix TEXT NOT NULL, issued_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER) STRICT`,
  `CREATE INDEX IF NOT EXISTS oauth_refresh_tokens_grant ON oauth_refresh_tokens (grant_id)`,
  `CREATE TABLE IF NOT EXISTS oauth_sessions (
    hash TEXT PRIMARY KEY, sub TEXT, expires_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX IF NOT EXISTS oauth_sessions_expiry ON oauth_sessions (expires_at)`,
  `CREATE TABLE IF NOT EXISTS oauth_requests (
    id TEXT PRIMARY KEY, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL,
    state TEXT NOT NULL, challenge TEXT NOT NULL, expires_at INTEGER NOT NULL, answered_at INTEGER) STRICT`,
  `CREATE INDEX IF NOT EXISTS oauth_requests_expiry ON oauth_requests (expires_at)`,
];

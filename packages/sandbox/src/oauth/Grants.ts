/**
 * Grants, codes and tokens as rows: issuing, finding, spending, revoking.
 *
 * All functions are synchronous and meant to be called inside `Store.transact`; each `spend…`
 * answers whether this call was the one that spent it. A token in the clear leaves this module
 * once, at its issue.
 */
import type { GrantType } from "../clients/Registration.ts";
import { randomToken, sha256 } from "../internal/crypto.ts";
import type { Store } from "../store/Store.ts";

/** A consent of a user to a client, or a use of client credentials. */
export interface Grant {
  /** Identifier; no secret. */
  readonly id: string;
  /** Application that holds it. */
  readonly clientId: string;
  /** UUID of the account. */
  readonly sub: string;
  /** Scopes granted. */
  readonly scopes: ReadonlyArray<string>;
  /** How it came to be. */
  readonly grantType: Exclude<GrantType, "refresh_token">;
  /** When it was given. */
  readonly createdAt: number;
  /** When it was revoked, or null. */
  readonly revokedAt: number | null;
}

/** An authorization code. */
export interface CodeRow {
  readonly hash: string;
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: number;
  readonly redeemedAt: number | null;
}

/** An access token or a refresh token. */
export interface TokenRow {
  readonly hash: string;
  readonly kind: "access" | "refresh";
  readonly grant: Grant;
  /** First characters of the token, for people. */
  readonly prefix: string;
  readonly scopes: ReadonlyArray<string>;
  readonly issuedAt: number;
  /** Null where time does not end it. */
  readonly expiresAt: number | null;
  /** When a refresh token was used. */
  readonly usedAt: number | null;
  /** When an access token was revoked by itself; a refresh token ends with its grant. */
  readonly revokedAt: number | null;
}

/** The rows of one store. */
export type Grants = ReturnType<typeof makeGrants>;

/** The rows of `store`, stamped by `now`. */
export const makeGrants = (store: Store["Service"], now: () => number) => {
  const insertToken = (
    table: string,
    grant: Grant,
    expiresAt: number | null,
    scopes?: ReadonlyArray<string>,
  ): string => {
    const token = randomToken();
    const columns = scopes === undefined ? "" : ", scopes";
    const marks = scopes === undefined ? "" : ", ?";
    store
      .prepare(
        `INSERT INTO ${table} (hash, grant_id, prefix, issued_at, expires_at${columns}) VALUES (?, ?, ?, ?, ?${marks})`,
      )
      .run(
        sha256(token),
        grant.id,
        token.slice(0, PREFIX_LENGTH),
        now(),
        expiresAt,
        ...(scopes === undefined ? [] : [scopes.join(" ")]),
      );
    return token;
  };

  return {
    create: (grant: Pick<Grant, "clientId" | "sub" | "scopes" | "grantType">): Grant => {
      const id = randomToken().slice(0, 22);
      store
        .prepare(
          "INSERT INTO oauth_grants (id, client_id, sub, scopes, grant_type, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        )
        .run(id, grant.clientId, grant.sub, grant.scopes.join(" "), grant.grantType, now());
      return { ...grant, id, createdAt: now(), revokedAt: null };
    },

    issueCode: (options: {
      readonly code: string;
      readonly grant: Grant;
      readonly redirectUri: string;
      readonly challenge: string;
      readonly expiresAt: number;
    }): void => {
      store
        .prepare(
          "INSERT INTO oauth_codes (hash, grant_id, redirect_uri, challenge, expires_at) VALUES (?, ?, ?, ?, ?)",
        )
        .run(
          sha256(options.code),
          options.grant.id,
          options.redirectUri,
          options.challenge,
          options.expiresAt,
        );
    },

    issueAccess: (grant: Grant, scopes: ReadonlyArray<string>, expiresAt: number | null): string =>
      insertToken("oauth_access_tokens", grant, expiresAt, scopes),

    issueRefresh: (grant: Grant, expiresAt: number): string =>
      insertToken("oauth_refresh_tokens", grant, expiresAt),

    code: (code: string): CodeRow | undefined => {
      const row = store.prepare(CODE).get(sha256(code));
      return row === undefined ? undefined : codeFromRow(row);
    },

    spendCode: (hash: string): boolean =>
      store
        .prepare("UPDATE oauth_codes SET redeemed_at = ? WHERE hash = ? AND redeemed_at IS NULL")
        .run(now(), hash).changes === 1,

    /** The access or refresh token of a text, dead or alive. */
    token: (token: string): TokenRow | undefined => {
      const hash = sha256(token);
      const access = store.prepare(`${ACCESS} WHERE t.hash = ?`).get(hash);
      if (access !== undefined) return tokenFromRow("access", access);
      const refresh = store.prepare(`${REFRESH} WHERE t.hash = ?`).get(hash);
      return refresh === undefined ? undefined : tokenFromRow("refresh", refresh);
    },

    spendRefresh: (hash: string): boolean =>
      store
        .prepare("UPDATE oauth_refresh_tokens SET used_at = ? WHERE hash = ? AND used_at IS NULL")
        .run(now(), hash).changes === 1,

    /** Ends a grant, and with it every token of its family. */
    revokeGrant: (id: string): void => {
      store
        .prepare("UPDATE oauth_grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")
        .run(now(), id);
    },

    /** Ends one access token. */
    revokeAccess: (hash: string): void => {
      store
        .prepare(
          "UPDATE oauth_access_tokens SET revoked_at = ? WHERE hash = ? AND revoked_at IS NULL",
        )
        .run(now(), hash);
    },

    /**
     * Grants that are in force and were given by an account, or obtained by applications in its
     * name.
     */
    ofAccount: (sub: string): ReadonlyArray<Grant> =>
      store
        .prepare(
          `SELECT id AS grant_id, client_id, sub, scopes AS grant_scopes, grant_type, created_at, revoked_at AS grant_revoked_at
           FROM oauth_grants WHERE sub = ? AND revoked_at IS NULL ORDER BY created_at, rowid`,
        )
        .all(sub)
        .map(grantFromRow),

    /** Tokens of a grant that would be accepted now. */
    liveTokens: (grantId: string): ReadonlyArray<TokenRow> =>
      [
        ...store
          .prepare(`${ACCESS} WHERE t.grant_id = ? ORDER BY t.issued_at, t.rowid`)
          .all(grantId)
          .map((row) => tokenFromRow("access", row)),
        ...store
          .prepare(`${REFRESH} WHERE t.grant_id = ? ORDER BY t.issued_at, t.rowid`)
          .all(grantId)
          .map((row) => tokenFromRow("refresh", row)),
      ].filter((token) => isLive(token, now())),
  };
};

/**
 * Whether a token is in force: not expired at `now`, not used, neither it nor its grant revoked.
 */
export const isLive = (token: TokenRow, now: number): boolean =>
  token.revokedAt === null &&
  token.grant.revokedAt === null &&
  token.usedAt === null &&
  (token.expiresAt === null || token.expiresAt > now);

/** Six of 43 characters: enough to tell tokens apart, useless to guess the rest. */
const PREFIX_LENGTH = 6;

const GRANT = `g.id AS grant_id, g.client_id, g.sub, g.scopes AS grant_scopes, g.grant_type, g.created_at,
  g.revoked_at AS grant_revoked_at`;

const CODE = `SELECT t.hash, t.redirect_uri, t.challenge, t.expires_at, t.redeemed_at, ${GRANT}
  FROM oauth_codes t JOIN oauth_grants g ON g.id = t.grant_id WHERE t.hash = ?`;

const ACCESS = `SELECT t.hash, t.prefix, t.scopes, t.issued_at, t.expires_at, NULL AS used_at, t.revoked_at, ${GRANT}
  FROM oauth_access_tokens t JOIN oauth_grants g ON g.id = t.grant_id`;

const REFRESH = `SELECT t.hash, t.prefix, g.scopes, t.issued_at, t.expires_at, t.used_at, NULL AS revoked_at, ${GRANT}
  FROM oauth_refresh_tokens t JOIN oauth_grants g ON g.id = t.grant_id`;

type Row = Record<string, unknown>;

const scopesOf = (value: unknown): ReadonlyArray<string> =>
  String(value).split(" ").filter(Boolean);

const grantFromRow = (row: Row): Grant => ({
  id: String(row["grant_id"]),
  clientId: String(row["client_id"]),
  sub: String(row["sub"]),
  scopes: scopesOf(row["grant_scopes"]),
  grantType: row["grant_type"] as Grant["grantType"],
  createdAt: Number(row["created_at"]),
  revokedAt: row["grant_revoked_at"] as number | null,
});

const codeFromRow = (row: Row): CodeRow => ({
  hash: String(row["hash"]),
  grant: grantFromRow(row),
  redirectUri: String(row["redirect_uri"]),
  challenge: String(row["challenge"]),
  expiresAt: Number(row["expires_at"]),
  redeemedAt: row["redeemed_at"] as number | null,
});

const tokenFromRow = (kind: TokenRow["kind"], row: Row): TokenRow => ({
  hash: String(row["hash"]),
  kind,
  grant: grantFromRow(row),
  prefix: String(row["prefix"]),
  scopes: scopesOf(row["scopes"]),
  issuedAt: Number(row["issued_at"]),
  expiresAt: row["expires_at"] as number | null,
  usedAt: row["used_at"] as number | null,
  revokedAt: row["revoked_at"] as number | null,
});

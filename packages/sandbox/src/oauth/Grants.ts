/**
 * Grants, codes and tokens as rows: issuing, finding, spending, revoking.
 *
 * All functions are synchronous and meant to be called inside `Store.transact`. A token in the
 * clear leaves this module once, at its issue.
 */
import type { GrantType } from "../clients/Model.ts";
import type { Platform } from "../platform/Platform.ts";
import type { AccessTokenRow, GrantRow, OAuthTables } from "./tables.ts";

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
  /** Grant type by which it was given. */
  readonly grantType: Exclude<GrantType, "refresh_token">;
  /** Time at which it was given. */
  readonly createdAt: number;
  /** Time at which it was revoked, or null. */
  readonly revokedAt: number | null;
}

/** An authorization code. */
interface Code {
  readonly hash: string;
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: number;
  readonly redeemedAt: number | null;
}

/** An access token or a refresh token. */
export interface Token {
  readonly hash: string;
  readonly kind: "access" | "refresh";
  readonly grant: Grant;
  /** First characters of the token, for people. */
  readonly prefix: string;
  readonly scopes: ReadonlyArray<string>;
  readonly issuedAt: number;
  /** Null where time does not end it. */
  readonly expiresAt: number | null;
  /** Time at which a refresh token was used, or null. */
  readonly usedAt: number | null;
  /**
   * Time at which an access token was revoked by itself, or null; a refresh token ends with its
   * grant.
   */
  readonly revokedAt: number | null;
}

/** A token at its issue: in the clear, and its hash. */
interface IssuedToken {
  readonly token: string;
  readonly hash: string;
}

/** Six of 43 characters: enough to tell tokens apart, useless to guess the rest. */
const PREFIX_LENGTH = 6;

/** The grants of a store. */
export class Grants {
  readonly #tables: OAuthTables;
  readonly #platform: Platform;
  readonly #now: () => number;
  /** Access tokens by their rows. A store in memory hands out the same row until it is replaced. */
  readonly #known = new WeakMap<
    AccessTokenRow,
    { readonly grantRow: GrantRow; readonly token: Token }
  >();

  constructor(tables: OAuthTables, platform: Platform, now: () => number) {
    this.#tables = tables;
    this.#platform = platform;
    this.#now = now;
  }

  /** The hash under which a secret is stored. */
  hash(secret: string): string {
    return this.#platform.sha256(secret, "hex");
  }

  /** Writes a new grant. */
  create(grant: Pick<Grant, "clientId" | "sub" | "scopes" | "grantType">): Grant {
    const id = this.#platform.random(32).slice(0, 22);
    const createdAt = this.#now();
    this.#tables.grants.put({
      id,
      clientId: grant.clientId,
      sub: grant.sub,
      scopes: grant.scopes.join(" "),
      grantType: grant.grantType,
      createdAt,
      revokedAt: null,
    });
    return { ...grant, id, createdAt, revokedAt: null };
  }

  /** Writes a code. */
  issueCode(
    code: string,
    grant: Grant,
    about: Pick<Code, "redirectUri" | "challenge" | "expiresAt">,
  ): void {
    const { challenge, expiresAt, redirectUri } = about;
    const hash = this.hash(code);
    const row = { hash, grantId: grant.id, redirectUri, challenge, expiresAt, redeemedAt: null };
    this.#tables.codes.put(row);
  }

  /** Draws an access token. */
  issueAccess(grant: Grant, scopes: ReadonlyArray<string>, expiresAt: number | null): IssuedToken {
    const { hash, prefix, token } = this.#draw();
    this.#tables.access.put({
      hash,
      grantId: grant.id,
      prefix,
      scopes: scopes.join(" "),
      issuedAt: this.#now(),
      expiresAt,
      revokedAt: null,
    });
    return { token, hash };
  }

  /** Draws a refresh token. */
  issueRefresh(grant: Grant, expiresAt: number): IssuedToken {
    const { hash, prefix, token } = this.#draw();
    this.#tables.refresh.put({
      hash,
      grantId: grant.id,
      prefix,
      issuedAt: this.#now(),
      expiresAt,
      usedAt: null,
    });
    return { token, hash };
  }

  /** The code of a text. */
  code(code: string): Code | undefined {
    const row = this.#tables.codes.get(this.hash(code));
    const grant = row === undefined ? undefined : this.#grant(row.grantId);
    return row === undefined || grant === undefined ? undefined : { ...row, grant };
  }

  /** Marks a code as redeemed. */
  spendCode(hash: string): void {
    const row = this.#tables.codes.get(hash);
    if (row?.redeemedAt === null) this.#tables.codes.put({ ...row, redeemedAt: this.#now() });
  }

  /** The access or refresh token of a text, dead or alive. */
  token(token: string): Token | undefined {
    return this.byHash(this.hash(token));
  }

  /** The access or refresh token of a hash, dead or alive. */
  byHash(hash: string): Token | undefined {
    const access = this.#tables.access.get(hash);
    if (access !== undefined) return this.#accessToken(access);
    const refresh = this.#tables.refresh.get(hash);
    const grant = refresh === undefined ? undefined : this.#grant(refresh.grantId);
    return refresh === undefined || grant === undefined
      ? undefined
      : { ...refresh, kind: "refresh", grant, scopes: grant.scopes, revokedAt: null };
  }

  /** The token of a row; the same object as long as neither its row nor its grant's changes. */
  #accessToken(row: AccessTokenRow): Token | undefined {
    const grantRow = this.#tables.grants.get(row.grantId);
    if (grantRow === undefined) return undefined;
    const known = this.#known.get(row);
    if (known?.grantRow === grantRow) return known.token;
    const scopes = scopesOf(row.scopes);
    const token: Token = { ...row, kind: "access", grant: fromRow(grantRow), scopes, usedAt: null };
    this.#known.set(row, { grantRow, token });
    return token;
  }

  /** Marks a refresh token as used. */
  spendRefresh(hash: string): void {
    const row = this.#tables.refresh.get(hash);
    if (row?.usedAt === null) this.#tables.refresh.put({ ...row, usedAt: this.#now() });
  }

  /** Ends a grant, and with it every token of its family; returns whether there is such a grant. */
  revokeGrant(id: string): boolean {
    const row = this.#tables.grants.get(id);
    if (row?.revokedAt === null) this.#tables.grants.put({ ...row, revokedAt: this.#now() });
    return row !== undefined;
  }

  /** Ends one access token. */
  revokeAccess(hash: string): void {
    const row = this.#tables.access.get(hash);
    if (row?.revokedAt === null) this.#tables.access.put({ ...row, revokedAt: this.#now() });
  }

  /** Grants in force that an account gave, or that applications obtained in its name. */
  ofAccount(sub: string): ReadonlyArray<Grant> {
    return this.#tables.grants
      .by("sub", sub)
      .filter((row) => row.revokedAt === null)
      .map(fromRow)
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  /** Tokens of a grant that would be accepted now. */
  liveTokens(grantId: string): ReadonlyArray<Token> {
    return [
      ...this.#tables.access.by("grantId", grantId),
      ...this.#tables.refresh.by("grantId", grantId),
    ]
      .map(({ hash }) => this.byHash(hash)!)
      .filter((token) => isLive(token, this.#now()));
  }

  #grant(id: string): Grant | undefined {
    const row = this.#tables.grants.get(id);
    return row === undefined ? undefined : fromRow(row);
  }

  #draw(): IssuedToken & { readonly prefix: string } {
    const token = this.#platform.random(32);
    return { token, hash: this.hash(token), prefix: token.slice(0, PREFIX_LENGTH) };
  }
}

/** Whether a token is in force: not expired, not used, neither it nor its grant revoked. */
export const isLive = (token: Token, now: number): boolean =>
  token.revokedAt === null &&
  token.grant.revokedAt === null &&
  token.usedAt === null &&
  (token.expiresAt === null || token.expiresAt > now);

const scopesOf = (text: string): ReadonlyArray<string> => text.split(" ").filter(Boolean);

const fromRow = (row: GrantRow): Grant => ({
  ...row,
  scopes: scopesOf(row.scopes),
  grantType: row.grantType as Grant["grantType"],
});

/**
 * Grants, codes and tokens as rows: issuing, finding, spending, revoking.
 *
 * All functions are synchronous and meant to be called inside `Store.transact`. A token in the
 * clear leaves this module once, at its issue.
 */
import type { GrantType } from "../clients/Registration.ts";
import type { Core } from "../Core.ts";
import type { Platform } from "../platform/Platform.ts";
import type { Table } from "../store/Store.ts";
import type { AccessTokenRow, CodeRow, GrantRow, OAuthTables } from "./tables.ts";

/** A consent of a user to a client, or a use of client credentials. */
export interface Grant extends Omit<GrantRow, "scopes" | "grantType"> {
  readonly scopes: ReadonlyArray<string>;
  readonly grantType: Exclude<GrantType, "refresh_token">;
}

/** An access token, or a refresh token, which is revoked with its grant alone. */
export interface Token extends Omit<AccessTokenRow, "scopes"> {
  readonly kind: "access" | "refresh";
  readonly grant: Grant;
  readonly scopes: ReadonlyArray<string>;
  readonly usedAt: number | null;
}

/** Six of 43 characters: enough to tell tokens apart, useless to guess the rest. */
const PREFIX_LENGTH = 6;

export class Grants {
  readonly #tables: OAuthTables;
  readonly #platform: Platform;
  readonly #now: () => number;
  /** Access tokens by their rows. A store in memory hands out the same row until it is replaced. */
  readonly #known = new WeakMap<AccessTokenRow, { grantRow: GrantRow; token: Token }>();

  constructor(tables: OAuthTables, { clock, platform }: Core) {
    this.#tables = tables;
    this.#platform = platform;
    this.#now = clock.now;
  }

  hash(secret: string): string {
    return this.#platform.sha256(secret, "hex");
  }

  create(given: Pick<Grant, "clientId" | "sub" | "scopes" | "grantType">): Grant {
    const id = this.#platform.random(32).slice(0, 22);
    const grant = { ...given, id, createdAt: this.#now(), revokedAt: null };
    this.#tables.grants.put({ ...grant, scopes: grant.scopes.join(" ") });
    return grant;
  }

  issueCode(
    code: string,
    { id }: Grant,
    about: Pick<CodeRow, "challenge" | "expiresAt" | "redirectUri">,
  ): void {
    const { challenge, expiresAt, redirectUri } = about;
    const own = { hash: this.hash(code), grantId: id, redeemedAt: null };
    this.#tables.codes.put({ ...own, redirectUri, challenge, expiresAt });
  }

  /** Draws an access token: in the clear, and its hash. */
  issueAccess({ id }: Grant, scopes: ReadonlyArray<string>, expiresAt: number | null) {
    const { row, token } = this.#draw(id);
    const about = { scopes: scopes.join(" "), expiresAt, revokedAt: null };
    this.#tables.access.put({ ...row, ...about });
    return { token, hash: row.hash };
  }

  /** Draws a refresh token: in the clear, and its hash. */
  issueRefresh({ id }: Grant, expiresAt: number) {
    const { row, token } = this.#draw(id);
    this.#tables.refresh.put({ ...row, expiresAt, usedAt: null });
    return { token, hash: row.hash };
  }

  code(text: string): (CodeRow & { readonly grant: Grant }) | undefined {
    const row = this.#tables.codes.get(this.hash(text));
    const grant = row && this.#tables.grants.get(row.grantId);
    return row && grant && { ...row, grant: fromRow(grant) };
  }

  /** The access or refresh token of a text, dead or alive. */
  token(text: string): Token | undefined {
    return this.byHash(this.hash(text));
  }

  /** The access or refresh token of a hash, dead or alive. */
  byHash(hash: string): Token | undefined {
    const { access, grants, refresh } = this.#tables;
    const row = access.get(hash) ?? refresh.get(hash);
    const grantRow = row && grants.get(row.grantId);
    if (row === undefined || grantRow === undefined) return undefined;
    const grant = fromRow(grantRow);
    if (!("scopes" in row))
      return { ...row, kind: "refresh", grant, scopes: grant.scopes, revokedAt: null };
    // The same object as long as neither its row nor its grant's changes.
    const known = this.#known.get(row);
    if (known?.grantRow === grantRow) return known.token;
    const scopes = scopesOf(row.scopes);
    const token: Token = { ...row, kind: "access", grant, scopes, usedAt: null };
    this.#known.set(row, { grantRow, token });
    return token;
  }

  spendCode(hash: string): void {
    this.#mark(this.#tables.codes, "redeemedAt", hash);
  }

  spendRefresh(hash: string): void {
    this.#mark(this.#tables.refresh, "usedAt", hash);
  }

  /** Ends an access token by itself, or the family of a refresh token. */
  revoke({ grant, hash, kind }: Token): void {
    if (kind === "access") this.#mark(this.#tables.access, "revokedAt", hash);
    else this.revokeGrant(grant.id);
  }

  /** Ends a grant, and with it every token of its family; returns whether there is such a grant. */
  revokeGrant(id: string): boolean {
    return this.#mark(this.#tables.grants, "revokedAt", id);
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
    const { access, refresh } = this.#tables;
    return [...access.by("grantId", grantId), ...refresh.by("grantId", grantId)]
      .map(({ hash }) => this.byHash(hash)!)
      .filter((token) => isLive(token, this.#now()));
  }

  #draw(grantId: string) {
    const token = this.#platform.random(32);
    const prefix = token.slice(0, PREFIX_LENGTH);
    return { token, row: { hash: this.hash(token), grantId, prefix, issuedAt: this.#now() } };
  }

  /** Notes the instant in a row that has none there; returns whether there is such a row. */
  #mark<Row>(table: Table<Row>, column: keyof Row, key: string): boolean {
    const row = table.get(key);
    if (row?.[column] === null) table.put({ ...row, [column]: this.#now() });
    return row !== undefined;
  }
}

/** Whether a token is in force: not expired, not used, neither it nor its grant revoked. */
export const isLive = ({ expiresAt, grant, revokedAt, usedAt }: Token, now: number): boolean =>
  revokedAt === null &&
  grant.revokedAt === null &&
  usedAt === null &&
  (expiresAt === null || expiresAt > now);

const scopesOf = (text: string): ReadonlyArray<string> => text.split(" ").filter(Boolean);

const fromRow = (row: GrantRow): Grant => ({
  ...row,
  scopes: scopesOf(row.scopes),
  grantType: row.grantType as Grant["grantType"],
});

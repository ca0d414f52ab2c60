/**
 * Grants, and the codes and tokens that refer to them. Revoking a grant ends all of them.
 *
 * Codes and tokens are stored as SHA-256 only. All functions are synchronous; callers put changes
 * that belong together into one `store.transact`.
 */
import * as Schema from "effect/Schema";
import type { Platform } from "../platform/Platform.ts";
import type { Store, Table } from "../store/Store.ts";

const Text = Schema.String;
const Texts = Schema.Array(Text);
const Millis = Schema.Int;
const MillisOrNull = Schema.NullOr(Millis);

const Grant = Schema.Struct({
  id: Text,
  clientId: Text,
  sub: Text,
  scopes: Texts,
  grantType: Schema.Literals(["authorization_code", "client_credentials"]),
  createdAt: Millis,
  revokedAt: MillisOrNull,
});
/** A consent of a user to a client, or a use of client credentials. */
export type Grant = typeof Grant.Type;

const Code = Schema.Struct({
  hash: Text,
  grantId: Text,
  redirectUri: Text,
  challenge: Text,
  expiresAt: Millis,
  redeemedAt: MillisOrNull,
});
export type Code = typeof Code.Type;

const Token = Schema.Struct({
  hash: Text,
  grantId: Text,
  kind: Schema.Literals(["access", "refresh"]),
  /** The first six of 43 characters, which are enough to tell tokens apart. */
  prefix: Text,
  scopes: Texts,
  issuedAt: Millis,
  expiresAt: MillisOrNull,
  /** Instant at which a refresh token was used, or an access token alone was revoked. */
  endedAt: MillisOrNull,
});
export type Token = typeof Token.Type;

/**
 * Minimum number of issued tokens between two sweeps. A small sandbox is never swept, because
 * expired tokens are valid again if its clock is set back.
 */
const MIN_SWEEP_INTERVAL = 1_000;

export class Grants {
  readonly #grants: Table<Grant>;
  readonly #codes: Table<Code>;
  readonly #tokens: Table<Token>;
  readonly #platform: Platform;
  readonly #now: () => number;
  #untilSweep = MIN_SWEEP_INTERVAL;

  constructor(store: Store, platform: Platform, now: () => number) {
    this.#grants = store.table("grants", "id", Grant);
    this.#codes = store.table("codes", "hash", Code);
    this.#tokens = store.table("tokens", "hash", Token);
    this.#platform = platform;
    this.#now = now;
  }

  hash(secret: string): string {
    return this.#platform.sha256(secret, "hex");
  }

  create(given: Pick<Grant, "clientId" | "sub" | "scopes" | "grantType">): Grant {
    const id = this.#platform.random(32).slice(0, 22);
    const grant = { ...given, id, createdAt: this.#now(), revokedAt: null };
    this.#grants.put(grant);
    return grant;
  }

  issueCode(
    code: string,
    grant: Grant,
    about: Pick<Code, "challenge" | "expiresAt" | "redirectUri">,
  ): void {
    const { challenge, expiresAt, redirectUri } = about;
    this.#codes.put({
      hash: this.hash(code),
      grantId: grant.id,
      redirectUri,
      challenge,
      expiresAt,
      redeemedAt: null,
    });
  }

  /** Issues a random token, and returns the token and its hash. */
  issue(
    kind: Token["kind"],
    grant: Grant,
    scopes: ReadonlyArray<string>,
    expiresAt: number | null,
  ) {
    const token = this.#platform.random(32);
    const hash = this.hash(token);
    const prefix = token.slice(0, 6);
    const about = { scopes, issuedAt: this.#now(), expiresAt, endedAt: null };
    this.#tokens.put({ hash, grantId: grant.id, kind, prefix, ...about });
    return { token, hash };
  }

  grant(id: string): Grant | undefined {
    return this.#grants.get(id);
  }

  code(text: string): Code | undefined {
    return this.#codes.get(this.hash(text));
  }

  token(hash: string): Token | undefined {
    return this.#tokens.get(hash);
  }

  /** Whether a token is in force: not expired, used or revoked, and neither is its grant. */
  isLive(token: Token): boolean {
    return (
      token.endedAt === null &&
      this.#grants.get(token.grantId)?.revokedAt === null &&
      (token.expiresAt === null || token.expiresAt > this.#now())
    );
  }

  redeem(code: Code): void {
    this.#codes.put({ ...code, redeemedAt: this.#now() });
  }

  /** Marks a refresh token as used, or an access token as revoked. */
  end(token: Token): void {
    if (token.endedAt === null) this.#tokens.put({ ...token, endedAt: this.#now() });
  }

  /** Revokes an access token alone, or a refresh token with its grant. */
  revoke(token: Token): void {
    if (token.kind === "access") this.end(token);
    else this.revokeGrant(token.grantId);
  }

  /** Revokes a grant with all its tokens. Returns whether the grant exists. */
  revokeGrant(id: string): boolean {
    const grant = this.#grants.get(id);
    if (grant?.revokedAt === null) this.#grants.put({ ...grant, revokedAt: this.#now() });
    return grant !== undefined;
  }

  /** Returns an account's grants in force: consents, and client credentials of its applications. */
  ofAccount(sub: string): ReadonlyArray<Grant> {
    return this.#grants.where((grant) => grant.sub === sub && grant.revokedAt === null);
  }

  liveTokens(grantId: string): ReadonlyArray<Token> {
    return this.#tokens.where((token) => token.grantId === grantId && this.isLive(token));
  }

  /**
   * Removes rows that no request can depend on any more. Redeemed codes and used refresh tokens
   * stay while their replay would revoke something. Called for each issued token, it sweeps once as
   * many tokens were issued as are kept, so its cost per call is constant.
   */
  sweep(): void {
    if ((this.#untilSweep -= 1) > 0) return;
    const now = this.#now();
    const isOver = (expiresAt: number | null) => expiresAt !== null && expiresAt <= now;
    const isRevoked = (grantId: string) => this.#grants.get(grantId)?.revokedAt !== null;
    this.#tokens.deleteWhere(
      ({ endedAt, expiresAt, grantId, kind }) =>
        isOver(expiresAt) || isRevoked(grantId) || (kind === "access" && endedAt !== null),
    );
    const withTokens = new Set(this.#tokens.all().map(({ grantId }) => grantId));
    this.#codes.deleteWhere(({ expiresAt, grantId, redeemedAt }) =>
      redeemedAt === null ? isOver(expiresAt) : !withTokens.has(grantId),
    );
    const withCodes = new Set(this.#codes.all().map(({ grantId }) => grantId));
    this.#grants.deleteWhere(({ id }) => !withTokens.has(id) && !withCodes.has(id));
    this.#untilSweep = Math.max(MIN_SWEEP_INTERVAL, this.#tokens.size);
  }
}

/**
 * The three grants of the token endpoint (§4.1): what each demands, and what it answers.
 *
 * Every grant runs in one transaction. Of several redemptions at once one wins; a code or refresh
 * token that comes again ends the family it belongs to, if it comes from someone who could have
 * redeemed it (RFC 6749 §4.1.2, RFC 9700 §4.14.2).
 */
import type { TokenResponse } from "./payloads.ts";
import { isSubset, scopesOf, type RegisteredClient } from "../clients/Clients.ts";
import { LIFETIMES } from "../contract.ts";
import type { Core } from "../Core.ts";
import { timingSafeEqual } from "../internal/encoding.ts";
import type { Facts } from "../journal/JournalEntry.ts";
import type { Grant, Grants } from "./Grants.ts";
import { type OAuthFailureReason, refuse } from "./OAuthErrors.ts";
import type { OAuthTables } from "./tables.ts";

/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/u;

/** A failure is a value here: refused within the transaction, what a replay revokes would come back. */
type Answer = TokenResponse | OAuthFailureReason;

interface TokenRequest {
  readonly client: RegisteredClient;
  readonly parameters: ReadonlyMap<string, string>;
  /** Values that the request has used and been given, for the journal. */
  readonly facts: Pick<Facts, "issued" | "used">;
}

export class TokenGrants {
  readonly #core: Core;
  readonly #grants: Grants;
  readonly #removeExpired: () => void;
  readonly #answers = new Map<string, (request: TokenRequest) => Answer>([
    ["authorization_code", (request) => this.#redeemCode(request)],
    ["client_credentials", (request) => this.#clientCredentials(request)],
    ["refresh_token", (request) => this.#refresh(request)],
  ]);

  constructor(core: Core, tables: OAuthTables, grants: Grants) {
    this.#core = core;
    this.#grants = grants;
    this.#removeExpired = makeRemoveExpired(tables, core.clock.now);
  }

  /** Answers an authenticated client's form, or refuses it. */
  grant(request: TokenRequest): TokenResponse {
    const type = request.parameters.get("grant_type") ?? refuse("ParameterMissing");
    const answerOf = this.#answers.get(type) ?? refuse("GrantTypeUnknown");
    if (!mayUse(request.client, type)) refuse("GrantTypeForbidden");
    const answer = this.#issuing(() => answerOf(request));
    return typeof answer === "string" ? refuse(answer) : answer;
  }

  /** Tokens without the flow: of an account, or of the application itself. */
  issue(
    client: RegisteredClient,
    scopes: ReadonlyArray<string>,
    sub: string | undefined,
  ): TokenResponse {
    const request = { client, facts: { issued: [], used: [] } };
    return this.#issuing(() => {
      if (sub === undefined) return this.#respond(request, this.#ownGrant(client, scopes), scopes);
      const given = { clientId: client.clientId, sub, scopes };
      const consent = this.#grants.create({ ...given, grantType: "authorization_code" });
      return this.#respond(request, consent, scopes, this.#refreshExpiry(client));
    });
  }

  /** Runs what issues tokens in one transaction, in which what is dead may go as well. */
  #issuing<A>(body: () => A): A {
    return this.#core.store.transact(() => {
      const answer = body();
      this.#removeExpired();
      return answer;
    });
  }

  #redeemCode(request: TokenRequest): Answer {
    const { client, facts, parameters } = request;
    const { clock, platform } = this.#core;
    const code = parameters.get("code");
    const redirectUri = parameters.get("redirect_uri");
    const verifier = parameters.get("code_verifier");
    if (code === undefined || redirectUri === undefined || verifier === undefined)
      return "ParameterMissing";
    if (!VERIFIER.test(verifier)) return "VerifierMalformed";
    facts.used.push({ kind: "code", hash: this.#grants.hash(code) });
    const row = this.#grants.code(code);
    if (
      row === undefined ||
      row.grant.clientId !== client.clientId ||
      row.redirectUri !== redirectUri ||
      !timingSafeEqual(platform.sha256(verifier, "base64url"), row.challenge)
    )
      return "CodeInvalid";
    if (row.redeemedAt !== null) this.#grants.revokeGrant(row.grant.id);
    if (row.redeemedAt !== null || row.expiresAt <= clock.now()) return "CodeInvalid";
    const scopes = narrowed(parameters.get("scope"), row.grant.scopes);
    if (scopes === undefined) return "ScopeInvalid";
    this.#grants.spendCode(row.hash);
    return this.#respond(request, row.grant, scopes, this.#refreshExpiry(client));
  }

  #refresh(request: TokenRequest): Answer {
    const { client, facts, parameters } = request;
    const { clock, config } = this.#core;
    const text = parameters.get("refresh_token");
    if (text === undefined) return "ParameterMissing";
    facts.used.push({ kind: "refresh", hash: this.#grants.hash(text) });
    const token = this.#grants.token(text);
    if (
      token?.kind !== "refresh" ||
      token.grant.clientId !== client.clientId ||
      token.grant.revokedAt !== null
    )
      return "RefreshTokenInvalid";
    const { expiresAt, grant, usedAt } = token;
    const isSpent = usedAt !== null && clock.now() - usedAt >= config.refreshGraceMillis;
    if (isSpent) this.#grants.revokeGrant(grant.id);
    if (isSpent || expiresAt! <= clock.now()) return "RefreshTokenInvalid";
    const scopes = narrowed(parameters.get("scope"), grant.scopes);
    if (scopes === undefined) return "ScopeInvalid";
    this.#grants.spendRefresh(token.hash);
    return this.#respond(request, grant, scopes, expiresAt!);
  }

  #clientCredentials(request: TokenRequest): Answer {
    const { client, parameters } = request;
    const scopes = scopesOf(parameters.get("scope") ?? "");
    if (!isSubset(scopes, client.scopes)) return "ScopeInvalid";
    return this.#respond(request, this.#ownGrant(client, scopes), scopes);
  }

  #ownGrant({ clientId, owner: sub }: RegisteredClient, scopes: ReadonlyArray<string>): Grant {
    return this.#grants.create({ clientId, sub, scopes, grantType: "client_credentials" });
  }

  /** When the refresh token of a fresh consent expires, where the application has them. */
  #refreshExpiry({ kind, refreshTokens }: RegisteredClient): number | undefined {
    return refreshTokens ? this.#core.clock.now() + LIFETIMES.refreshToken[kind] : undefined;
  }

  /** Issues an access token, and a refresh token that expires at `refreshExpiresAt`. */
  #respond(
    { client, facts }: Pick<TokenRequest, "client" | "facts">,
    grant: Grant,
    scopes: ReadonlyArray<string>,
    refreshExpiresAt?: number,
  ): TokenResponse {
    const { accounts, clock } = this.#core;
    const isOwn = grant.grantType === "client_credentials";
    const millis = isOwn ? null : LIFETIMES.accessToken[client.kind];
    const expiresAt = millis === null ? null : clock.now() + millis;
    const access = this.#grants.issueAccess(grant, scopes, expiresAt);
    facts.issued.push({ kind: "token", hash: access.hash });
    const refresh =
      refreshExpiresAt === undefined
        ? undefined
        : this.#grants.issueRefresh(grant, refreshExpiresAt);
    if (refresh !== undefined) facts.issued.push({ kind: "refresh", hash: refresh.hash });
    return {
      access_token: access.token,
      expires_in: millis === null ? null : Math.floor(millis / 1_000),
      token_type: "bearer",
      scope: scopes.join(" "),
      username: accounts.byUuid(grant.sub)?.name ?? "",
      sub: grant.sub,
      ...(refresh === undefined ? {} : { refresh_token: refresh.token }),
    };
  }
}

/**
 * Refresh tokens can be turned off for an application (§5); the other grants are those that it is
 * registered for.
 */
const mayUse = (client: RegisteredClient, grantType: string): boolean =>
  client.grants.some((one) => one === grantType) &&
  (grantType !== "refresh_token" || client.refreshTokens);

/**
 * The scopes of a request that may only narrow what was granted (RFC 6749 §6); undefined where it
 * asks for more.
 */
const narrowed = (
  scope: string | undefined,
  granted: ReadonlyArray<string>,
): ReadonlyArray<string> | undefined => {
  if (scope === undefined) return granted;
  const scopes = scopesOf(scope);
  return isSubset(scopes, granted) ? scopes : undefined;
};

/** Below it nothing is removed: a clock that is set back brings expired tokens back in force. */
const LEAST = 1_000;

/**
 * Removes codes, tokens and grants that no request can depend on any more, so that a sandbox that
 * runs for weeks does not grow for ever. Expired and unknown tokens get the same response. What
 * remains is what an attack is recognised by: a redeemed code as long as its grant has a token that
 * a replay would revoke, a used refresh token until the expiry that its whole family shares.
 * Client-credentials tokens never expire (§8) and stay until they are revoked.
 *
 * To be called at the end of each transaction that issues tokens. Works when as many calls were
 * made since the last time as grants were kept then, so that its cost per call stays the same
 * however many there are.
 */
const makeRemoveExpired = (tables: OAuthTables, now: () => number): (() => void) => {
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

const removeGrant = ({ access, codes, grants, refresh }: OAuthTables, grantId: string): void => {
  for (const table of [access, codes, refresh])
    for (const { hash } of table.by("grantId", grantId)) table.delete(hash);
  grants.delete(grantId);
};

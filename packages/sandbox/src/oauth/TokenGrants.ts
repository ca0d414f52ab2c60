/**
 * The three grants of the token endpoint (§4.1): what each demands, and what it answers.
 *
 * Every grant runs in one transaction. Of several redemptions at once one wins; a code or refresh
 * token that comes again ends the family it belongs to, if it comes from someone who could have
 * redeemed it (RFC 6749 §4.1.2, RFC 9700 §4.14.2).
 */
import type { TokenResponse } from "@game-data/contract";
import type { Accounts } from "../clients/Accounts.ts";
import type { RegisteredClient } from "../clients/Clients.ts";
import { LIFETIMES } from "../contract.ts";
import type { Facts } from "../journal/JournalEntry.ts";
import { timingSafeEqual } from "../internal/encoding.ts";
import type { Platform } from "../platform/Platform.ts";
import type { Store } from "../store/Store.ts";
import type { Grant, Grants } from "./Grants.ts";
import { failure, type OAuthFailure, type OAuthFailureReason } from "./OAuthErrors.ts";
import { makeRemoveExpired } from "./removeExpired.ts";
import { isClientScope, isSubset, parseScope } from "./ScopeRules.ts";
import type { OAuthTables } from "./tables.ts";

/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/u;

type Answer = TokenResponse | OAuthFailureReason;

/** Values that a request has used and been given, for the journal. */
export type TokenFacts = Pick<Facts, "issued" | "used">;

/** The grants over the rows of a store. */
export const makeTokenGrants = (deps: {
  readonly store: Store;
  readonly tables: OAuthTables;
  readonly grants: Grants;
  readonly accounts: Accounts;
  readonly platform: Platform;
  readonly now: () => number;
  readonly refreshGraceMillis: number;
}) => {
  const { store, grants, accounts, now } = deps;
  const removeExpired = makeRemoveExpired(deps.tables, now);
  /** Runs what issues tokens in one transaction, in which what is dead may go as well. */
  const issuing = <A>(body: () => A): A =>
    store.transact(() => {
      const answer = body();
      removeExpired();
      return answer;
    });

  const respond = (
    client: RegisteredClient,
    grant: Grant,
    scopes: ReadonlyArray<string>,
    refreshExpiresAt: number | undefined,
    facts: TokenFacts,
  ): TokenResponse => {
    const millis =
      grant.grantType === "client_credentials" ? null : LIFETIMES.accessToken[client.kind];
    const access = grants.issueAccess(grant, scopes, millis === null ? null : now() + millis);
    const refresh =
      refreshExpiresAt === undefined ? undefined : grants.issueRefresh(grant, refreshExpiresAt);
    facts.issued.push({ kind: "token", hash: access.hash });
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
  };

  /** Access and, where the application has them, refresh token of a fresh consent. */
  const respondToConsent = (
    client: RegisteredClient,
    grant: Grant,
    scopes: ReadonlyArray<string>,
    facts: TokenFacts,
  ): TokenResponse =>
    respond(
      client,
      grant,
      scopes,
      client.refreshTokens ? now() + LIFETIMES.refreshToken[client.kind] : undefined,
      facts,
    );

  const redeemCode = (
    client: RegisteredClient,
    parameters: ReadonlyMap<string, string>,
    facts: TokenFacts,
  ): Answer => {
    const code = parameters.get("code");
    const redirectUri = parameters.get("redirect_uri");
    const verifier = parameters.get("code_verifier");
    if (code === undefined || redirectUri === undefined || verifier === undefined) {
      return "ParameterMissing";
    }
    if (!VERIFIER.test(verifier)) return "VerifierMalformed";
    facts.used.push({ kind: "code", hash: grants.hash(code) });
    const row = grants.code(code);
    if (
      row === undefined ||
      row.grant.clientId !== client.clientId ||
      row.redirectUri !== redirectUri ||
      !timingSafeEqual(deps.platform.sha256(verifier, "base64url"), row.challenge)
    ) {
      return "CodeInvalid";
    }
    if (row.redeemedAt !== null) {
      grants.revokeGrant(row.grant.id);
      return "CodeInvalid";
    }
    if (row.expiresAt <= now()) return "CodeInvalid";
    const scopes = narrowed(parameters.get("scope"), row.grant.scopes);
    if (scopes === undefined) return "ScopeInvalid";
    grants.spendCode(row.hash);
    return respondToConsent(client, row.grant, scopes, facts);
  };

  const refresh = (
    client: RegisteredClient,
    parameters: ReadonlyMap<string, string>,
    facts: TokenFacts,
  ): Answer => {
    const token = parameters.get("refresh_token");
    if (token === undefined) return "ParameterMissing";
    facts.used.push({ kind: "refresh", hash: grants.hash(token) });
    const row = grants.token(token);
    if (
      row === undefined ||
      row.kind !== "refresh" ||
      row.expiresAt === null ||
      row.grant.clientId !== client.clientId ||
      row.grant.revokedAt !== null
    ) {
      return "RefreshTokenInvalid";
    }
    if (row.usedAt !== null && now() - row.usedAt >= deps.refreshGraceMillis) {
      grants.revokeGrant(row.grant.id);
      return "RefreshTokenInvalid";
    }
    if (row.expiresAt <= now()) return "RefreshTokenInvalid";
    const scopes = narrowed(parameters.get("scope"), row.grant.scopes);
    if (scopes === undefined) return "ScopeInvalid";
    grants.spendRefresh(row.hash);
    return respond(client, row.grant, scopes, row.expiresAt, facts);
  };

  const clientCredentials = (
    client: RegisteredClient,
    parameters: ReadonlyMap<string, string>,
    facts: TokenFacts,
  ): Answer => {
    const scopes = parseScope(parameters.get("scope") ?? "");
    if (scopes === undefined || !isClientScope(client, scopes)) return "ScopeInvalid";
    return respond(client, ownGrant(client, scopes), scopes, undefined, facts);
  };

  const ownGrant = (client: RegisteredClient, scopes: ReadonlyArray<string>): Grant =>
    grants.create({
      clientId: client.clientId,
      sub: client.owner,
      scopes,
      grantType: "client_credentials",
    });

  /** Answers an authenticated client's form. */
  const grant = (
    client: RegisteredClient,
    parameters: ReadonlyMap<string, string>,
    facts: TokenFacts,
  ): TokenResponse | OAuthFailure => {
    const grantType = parameters.get("grant_type");
    if (grantType === undefined) return failure("ParameterMissing");
    if (!Object.hasOwn(handlers, grantType)) return failure("GrantTypeUnknown");
    const known = grantType as keyof typeof handlers;
    if (!mayUse(client, known)) return failure("GrantTypeForbidden");
    const answer = issuing(() => handlers[known](client, parameters, facts));
    return typeof answer === "string" ? failure(answer) : answer;
  };

  const handlers = {
    authorization_code: redeemCode,
    client_credentials: clientCredentials,
    refresh_token: refresh,
  };

  return {
    grant,
    /** Tokens without the flow, for tests of what needs tokens. */
    issue: (options: {
      readonly client: RegisteredClient;
      readonly sub: string;
      readonly scopes: ReadonlyArray<string>;
      readonly asItself: boolean;
    }): TokenResponse =>
      issuing(() => {
        const { client, sub, scopes } = options;
        const facts: TokenFacts = { issued: [], used: [] };
        if (options.asItself)
          return respond(client, ownGrant(client, scopes), scopes, undefined, facts);
        const consent = grants.create({
          clientId: client.clientId,
          sub,
          scopes,
          grantType: "authorization_code",
        });
        return respondToConsent(client, consent, scopes, facts);
      }),
  };
};

/**
 * Refresh tokens can be turned off for an application (§5); the other grants are those that it is
 * registered for.
 */
const mayUse = (client: RegisteredClient, grantType: RegisteredClient["grants"][number]): boolean =>
  client.grants.includes(grantType) && (grantType !== "refresh_token" || client.refreshTokens);

/**
 * The scopes of a request that may only narrow what was granted (RFC 6749 §6); undefined where it
 * asks for more.
 */
const narrowed = (
  scope: string | undefined,
  granted: ReadonlyArray<string>,
): ReadonlyArray<string> | undefined => {
  if (scope === undefined) return granted;
  const scopes = parseScope(scope);
  return scopes !== undefined && isSubset(scopes, granted) ? scopes : undefined;
};

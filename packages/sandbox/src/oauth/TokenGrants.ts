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
type GrantType = RegisteredClient["grants"][number];

/** The form of an authenticated client. */
interface TokenRequest {
  readonly client: RegisteredClient;
  readonly parameters: ReadonlyMap<string, string>;
  /** Values that the request has used and been given, for the journal. */
  readonly facts: Pick<Facts, "issued" | "used">;
}

/** The grants over the rows of a store. */
export class TokenGrants {
  readonly #deps: TokenGrantsDeps;
  readonly #removeExpired: () => void;
  readonly #answers: Readonly<Record<GrantType, (request: TokenRequest) => Answer>> = {
    authorization_code: (request) => this.#redeemCode(request),
    client_credentials: (request) => this.#clientCredentials(request),
    refresh_token: (request) => this.#refresh(request),
  };

  constructor(deps: TokenGrantsDeps) {
    this.#deps = deps;
    this.#removeExpired = makeRemoveExpired(deps.tables, deps.now);
  }

  /** Answers an authenticated client's form. */
  grant(request: TokenRequest): TokenResponse | OAuthFailure {
    const grantType = request.parameters.get("grant_type");
    if (grantType === undefined) return failure("ParameterMissing");
    if (!Object.hasOwn(this.#answers, grantType)) return failure("GrantTypeUnknown");
    const known = grantType as GrantType;
    if (!mayUse(request.client, known)) return failure("GrantTypeForbidden");
    const answer = this.#issuing(() => this.#answers[known](request));
    return typeof answer === "string" ? failure(answer) : answer;
  }

  /** Tokens without the flow, for tests of what needs tokens. */
  issue(options: {
    readonly client: RegisteredClient;
    readonly sub: string;
    readonly scopes: ReadonlyArray<string>;
    readonly asItself: boolean;
  }): TokenResponse {
    const { client, scopes, sub } = options;
    const request = { client, facts: { issued: [], used: [] } };
    return this.#issuing(() => {
      if (options.asItself) return this.#respond(request, this.#ownGrant(client, scopes), scopes);
      const consent = this.#deps.grants.create({
        clientId: client.clientId,
        sub,
        scopes,
        grantType: "authorization_code",
      });
      return this.#respond(request, consent, scopes, this.#refreshExpiry(client));
    });
  }

  /** Runs what issues tokens in one transaction, in which what is dead may go as well. */
  #issuing<A>(body: () => A): A {
    return this.#deps.store.transact(() => {
      const answer = body();
      this.#removeExpired();
      return answer;
    });
  }

  #redeemCode(request: TokenRequest): Answer {
    const { grants, now, platform } = this.#deps;
    const { client, facts, parameters } = request;
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
      !timingSafeEqual(platform.sha256(verifier, "base64url"), row.challenge)
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
    return this.#respond(request, row.grant, scopes, this.#refreshExpiry(client));
  }

  #refresh(request: TokenRequest): Answer {
    const { grants, now, refreshGraceMillis } = this.#deps;
    const { client, facts, parameters } = request;
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
    if (row.usedAt !== null && now() - row.usedAt >= refreshGraceMillis) {
      grants.revokeGrant(row.grant.id);
      return "RefreshTokenInvalid";
    }
    if (row.expiresAt <= now()) return "RefreshTokenInvalid";
    const scopes = narrowed(parameters.get("scope"), row.grant.scopes);
    if (scopes === undefined) return "ScopeInvalid";
    grants.spendRefresh(row.hash);
    return this.#respond(request, row.grant, scopes, row.expiresAt);
  }

  #clientCredentials(request: TokenRequest): Answer {
    const { client, parameters } = request;
    const scopes = parseScope(parameters.get("scope") ?? "");
    if (scopes === undefined || !isClientScope(client, scopes)) return "ScopeInvalid";
    return this.#respond(request, this.#ownGrant(client, scopes), scopes);
  }

  #ownGrant(client: RegisteredClient, scopes: ReadonlyArray<string>): Grant {
    return this.#deps.grants.create({
      clientId: client.clientId,
      sub: client.owner,
      scopes,
      grantType: "client_credentials",
    });
  }

  /** When the refresh token of a fresh consent expires, where the application has them. */
  #refreshExpiry(client: RegisteredClient): number | undefined {
    return client.refreshTokens
      ? this.#deps.now() + LIFETIMES.refreshToken[client.kind]
      : undefined;
  }

  /** Issues an access token, and a refresh token that expires at `refreshExpiresAt`. */
  #respond(
    { client, facts }: Pick<TokenRequest, "client" | "facts">,
    grant: Grant,
    scopes: ReadonlyArray<string>,
    refreshExpiresAt?: number,
  ): TokenResponse {
    const { accounts, grants, now } = this.#deps;
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
  }
}

interface TokenGrantsDeps {
  readonly store: Store;
  readonly tables: OAuthTables;
  readonly grants: Grants;
  readonly accounts: Accounts;
  readonly platform: Platform;
  readonly now: () => number;
  readonly refreshGraceMillis: number;
}

/**
 * Refresh tokens can be turned off for an application (§5); the other grants are those that it is
 * registered for.
 */
const mayUse = (client: RegisteredClient, grantType: GrantType): boolean =>
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

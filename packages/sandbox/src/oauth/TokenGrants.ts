/**
 * The three grants of the token endpoint (§4.1).
 *
 * Each grant is one transaction. Of several redemptions at once one wins. A code or a refresh token
 * that arrives again from a client that could have redeemed it ends its family (RFC 9700 §4.14.2).
 * A refusal is a value inside the transaction, because an exception would undo that revocation.
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import * as Schema from "effect/Schema";
import { timingSafeEqual } from "../internal/encoding.ts";
import type { Facts } from "../http/Exchange.ts";
import { isSubset, type RegisteredClient, scopesOf } from "../clients/Clients.ts";
import type { SandboxState } from "../State.ts";
import type { Grant } from "./Grants.ts";
import type { OAuthFailureReason } from "./OAuthFailure.ts";

/** The answer of `POST /oauth/token` (§4.1). */
export const TokenResponse = Schema.Struct({
  access_token: Schema.NonEmptyString,
  expires_in: Schema.NullOr(Schema.Natural),
  token_type: Schema.Literal("bearer"),
  scope: Schema.String,
  username: Schema.String,
  sub: Schema.String,
  refresh_token: Schema.optionalKey(Schema.NonEmptyString),
}).annotate({ identifier: "TokenResponse" });
export type TokenResponse = typeof TokenResponse.Type;

/** Syntax of a `code_verifier`: 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/u;
/** Two random verifiers never begin with this number of equal characters. */
const VERIFIER_START = 12;
/** A verifier with fewer different characters is weak. Even random hexadecimal has 16. */
const FEW_CHARACTERS = 10;

export interface TokenRequest {
  readonly client: RegisteredClient;
  readonly form: ReadonlyMap<string, string>;
  readonly facts: Pick<Facts, "issued" | "used" | "verifierStart" | "isVerifierWeak">;
}

/** Outcome of a token request: the tokens, or the reason of the refusal. */
type Result = TokenResponse | OAuthFailureReason;

const GRANTS: Readonly<Record<string, (state: SandboxState, request: TokenRequest) => Result>> = {
  authorization_code: (state, request) => {
    const { clock, grants, platform } = state;
    const { client, facts, form } = request;
    const text = form.get("code");
    const redirectUri = form.get("redirect_uri");
    const verifier = form.get("code_verifier");
    if (text === undefined || redirectUri === undefined || verifier === undefined)
      return "ParameterMissing";
    if (!VERIFIER.test(verifier)) return "VerifierMalformed";
    facts.verifierStart = platform.sha256(verifier.slice(0, VERIFIER_START), "hex");
    facts.isVerifierWeak = new Set(verifier).size < FEW_CHARACTERS;
    facts.used.push({ kind: "code", hash: grants.hash(text) });
    const code = grants.code(text);
    const grant = code && grants.grant(code.grantId);
    if (
      code === undefined ||
      grant?.clientId !== client.clientId ||
      code.redirectUri !== redirectUri ||
      !timingSafeEqual(platform.sha256(verifier, "base64url"), code.challenge)
    )
      return "CodeInvalid";
    if (code.redeemedAt !== null) grants.revokeGrant(grant.id);
    if (code.redeemedAt !== null || code.expiresAt <= clock.now()) return "CodeInvalid";
    const scopes = narrowed(form.get("scope"), grant.scopes);
    if (scopes === undefined) return "ScopeInvalid";
    grants.redeem(code);
    return respond(state, request, { grant, scopes, refreshUntil: refreshUntil(state, client) });
  },

  client_credentials: (state, request) => {
    const { clientId, owner: sub, scopes: registered } = request.client;
    const scopes = scopesOf(request.form.get("scope") ?? "");
    if (!isSubset(scopes, registered)) return "ScopeInvalid";
    const grant = state.grants.create({ clientId, sub, scopes, grantType: "client_credentials" });
    return respond(state, request, { grant, scopes });
  },

  refresh_token: (state, request) => {
    const { clock, config, grants } = state;
    const { client, facts, form } = request;
    const text = form.get("refresh_token");
    if (text === undefined) return "ParameterMissing";
    const hash = grants.hash(text);
    facts.used.push({ kind: "refresh", hash });
    const token = grants.token(hash);
    const grant = token && grants.grant(token.grantId);
    if (
      token?.kind !== "refresh" ||
      grant?.clientId !== client.clientId ||
      grant.revokedAt !== null
    )
      return "RefreshTokenInvalid";
    const isSpent =
      token.endedAt !== null && clock.now() - token.endedAt >= config.refreshGraceMillis;
    if (isSpent) grants.revokeGrant(grant.id);
    if (isSpent || token.expiresAt! <= clock.now()) return "RefreshTokenInvalid";
    const scopes = narrowed(form.get("scope"), grant.scopes);
    if (scopes === undefined) return "ScopeInvalid";
    grants.end(token);
    // The next refresh token inherits the expiry (§3).
    return respond(state, request, { grant, scopes, refreshUntil: token.expiresAt! });
  },
};

export const makeTokenGrants = (state: SandboxState) => ({
  /** Issues tokens for the form of an authenticated client. */
  grant: (request: TokenRequest): Result => {
    const { client, form } = request;
    const type = form.get("grant_type");
    if (type === undefined) return "ParameterMissing";
    const issue = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined;
    if (issue === undefined) return "GrantTypeUnknown";
    if (
      !client.grants.some((one) => one === type) ||
      (type === "refresh_token" && !client.refreshTokens)
    )
      return "GrantTypeForbidden";
    return state.store.transact(() => issue(state, request));
  },
  /** Issues tokens without a flow, for the account `sub` or, if undefined, the client itself. */
  issue: (
    client: RegisteredClient,
    scopes: ReadonlyArray<string>,
    sub: string | undefined,
  ): TokenResponse =>
    state.store.transact(() => {
      const { clientId, owner } = client;
      const grantType = sub === undefined ? "client_credentials" : "authorization_code";
      const grant = state.grants.create({ clientId, sub: sub ?? owner, scopes, grantType });
      const until = sub === undefined ? undefined : refreshUntil(state, client);
      const request = { client, facts: { issued: [], used: [] } };
      return respond(state, request, { grant, scopes, refreshUntil: until });
    }),
});

interface Granted {
  readonly grant: Grant;
  readonly scopes: ReadonlyArray<string>;
  /** Expiry of the refresh token; undefined if none is issued. */
  readonly refreshUntil?: number | undefined;
}

/** Issues the tokens of a grant, and returns the token response. */
const respond = (
  { accounts, clock, grants }: SandboxState,
  { client, facts }: Omit<TokenRequest, "form">,
  { grant, refreshUntil: until, scopes }: Granted,
): TokenResponse => {
  const isOwn = grant.grantType === "client_credentials";
  const seconds = Lifetimes.accessToken[isOwn ? "clientCredentials" : client.kind];
  const expiresAt = seconds === null ? null : clock.now() + 1000 * seconds;
  const access = grants.issue("access", grant, scopes, expiresAt);
  facts.issued.push({ kind: "token", hash: access.hash });
  const refresh =
    until === undefined ? undefined : grants.issue("refresh", grant, grant.scopes, until);
  if (refresh !== undefined) facts.issued.push({ kind: "refresh", hash: refresh.hash });
  grants.sweep();
  return {
    access_token: access.token,
    expires_in: seconds,
    token_type: "bearer",
    scope: scopes.join(" "),
    username: accounts.byUuid(grant.sub)?.name ?? "",
    sub: grant.sub,
    ...(refresh !== undefined && { refresh_token: refresh.token }),
  };
};

/** Returns the expiry of a new refresh token, or undefined if the client gets none. */
const refreshUntil = (
  { clock }: SandboxState,
  { kind, refreshTokens }: RegisteredClient,
): number | undefined =>
  refreshTokens ? clock.now() + 1000 * Lifetimes.refreshToken[kind] : undefined;

/**
 * Returns the requested scopes, or `undefined` if they exceed the granted scopes (RFC 6749 §6).
 * Default: the granted scopes.
 */
const narrowed = (scope: string | undefined, granted: ReadonlyArray<string>) => {
  const scopes = scope === undefined ? granted : scopesOf(scope);
  return isSubset(scopes, granted) ? scopes : undefined;
};

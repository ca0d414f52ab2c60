/**
 * Requests to the token endpoint (RFC 6749 §5.1): a code, a refresh token, or the client's own
 * credentials for a set of tokens.
 *
 * `PkceFlow` and `Session` send codes and refresh tokens at the right time. These are valid once, so
 * nothing is retried for them: after an `OAuthTransportError` with `sent: true` they may be used up.
 * Client credentials can be sent again; a transient failure is retried.
 */
import type { Scope } from "@game-data/contract/Scope";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { ConsentExpired, type ConfigurationInvalid, type RequestError } from "./Errors.ts";
import { malformed, parseSuccess, post, retryTransient, type Form } from "./internal/endpoint.ts";
import { configurationError } from "./internal/options.ts";
import type { ConfidentialClient, OAuthClient } from "./OAuthClient.ts";
import { consentMillis, withoutRefreshToken, type TokenSet } from "./TokenSet.ts";

/** Requests a token for the application itself. It has no refresh token. */
export const clientCredentials = Effect.fn("TokenRequest.clientCredentials")(function* (
  client: ConfidentialClient,
  { scopes }: { readonly scopes: ReadonlyArray<Scope> },
): Effect.fn.Return<TokenSet, RequestError | ConfigurationInvalid> {
  if ((client.kind as string) !== "confidential")
    return yield* configurationError("client", "client credentials need a confidential client");
  if (scopes.length === 0) return yield* configurationError("scopes", "must not be empty");
  const form = { grant_type: "client_credentials", scope: scopes.join(" ") };
  return withoutRefreshToken(yield* retryTransient(requestTokens(client, form, { scopes })));
});

/**
 * Requests the next set of tokens. The end of the consent stays as it was (§3), and scopes can only
 * become fewer (RFC 6749 §6).
 *
 * Fails with `ConsentExpired` if the set has no refresh token, or if the server refuses it after the
 * consent's end. Refuses tokens of another user (OpenID Connect Core §12.2).
 */
export const refresh = Effect.fn("TokenRequest.refresh")(function* (
  client: OAuthClient,
  tokens: TokenSet,
): Effect.fn.Return<TokenSet, RequestError | ConsentExpired> {
  const { refreshToken, consentExpiresAt = Infinity, scopes } = tokens;
  if (!refreshToken) return yield* new ConsentExpired();
  const now = yield* Clock.currentTimeMillis;
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const next = yield* requestTokens(client, form, tokens).pipe(
    Effect.catchIf(
      (error) => error._tag === "InvalidGrant" && now >= consentExpiresAt,
      () => new ConsentExpired(),
    ),
  );
  if (scopes.length === 0) return next;
  return { ...next, scopes: next.scopes.filter((scope) => scopes.includes(scope)) };
});

/** Requests tokens for a code. If there is a refresh token, the end of the consent is computed. */
export const exchangeCode = Effect.fnUntraced(function* (
  client: OAuthClient,
  form: Form,
  scopes: ReadonlyArray<string>,
): Effect.fn.Return<TokenSet, RequestError> {
  const request = { ...form, grant_type: "authorization_code" };
  const tokens = yield* requestTokens(client, request, { scopes });
  if (!tokens.refreshToken) return tokens;
  return { ...tokens, consentExpiresAt: tokens.issuedAt + consentMillis(client) };
});

/** Members that a response may omit, with the values of the request or of the previous set. */
type PreviousTokens = Pick<TokenSet, "scopes"> & Partial<TokenSet>;

const requestTokens = Effect.fnUntraced(function* (
  client: OAuthClient,
  form: Form,
  previous: PreviousTokens,
): Effect.fn.Return<TokenSet, RequestError> {
  // Measured before the request, so that a token never seems to live longer than it does.
  const issuedAt = yield* Clock.currentTimeMillis;
  const response = yield* post(client, "/oauth/token", form);
  const grant = (["authorization_code", "refresh_token"] as const).find(
    (type) => type === form["grant_type"],
  );
  const body = yield* parseSuccess(response, grant);
  const { access_token: access, refresh_token: renewal, scope, sub, username } = body;
  const expiresAt = readExpiry(body["expires_in"], issuedAt);
  // null and "" count as absent.
  const rules: ReadonlyArray<readonly [member: string, holds: boolean]> = [
    ["access_token", isToken(access)],
    ["token_type", isBearer(body["token_type"])],
    ["expires_in", expiresAt !== undefined],
    ["scope", typeof (scope ?? "") === "string"],
    ["refresh_token", !renewal || isToken(renewal)],
    ["sub", !sub || !previous.sub || sub === previous.sub],
  ];
  const broken = rules.find(([, holds]) => !holds)?.[0];
  if (broken || !isToken(access) || expiresAt === undefined)
    return yield* malformed(response, broken ?? "access_token");
  const tokens: TokenSet = {
    ...previous,
    accessToken: Redacted.make(access),
    expiresAt,
    issuedAt,
    ...(typeof scope === "string" && { scopes: splitScope(scope) }),
    ...(isToken(renewal) && { refreshToken: Redacted.make(renewal) }),
    ...(typeof username === "string" && { username }),
    ...(typeof sub === "string" && sub !== "" && { sub }),
  };
  return tokens.refreshToken ? tokens : withoutRefreshToken(tokens);
});

/** Splits a scope parameter (RFC 6749 §3.3). */
export const splitScope = (list: string): ReadonlyArray<string> => list.split(" ").filter(Boolean);

/** Accepts printable characters (RFC 6749 A.12, A.17), because CR and LF would split a header. */
export const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[\x20-\x7e]+$/.test(value);

const isBearer = (type: unknown) => typeof type === "string" && /^bearer$/i.test(type);

/** A hundred years: longer than any sensible lifetime, and still an exact date. */
const MAX_LIFETIME_SECONDS = 3_155_760_000;

const readExpiry = (value: unknown, issuedAt: number): TokenSet["expiresAt"] | undefined => {
  if (value === null) return "never";
  if (value === undefined) return "unknown";
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" && seconds >= 0 && seconds <= MAX_LIFETIME_SECONDS
    ? issuedAt + Math.floor(seconds * 1000)
    : undefined;
};

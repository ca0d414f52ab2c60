/**
 * Payloads of the OAuth server (§4.1, §5): requests, responses and errors, as Effect Schemas.
 *
 * Requests are forms (`application/x-www-form-urlencoded`), so every member is a string. Responses
 * are JSON. The specification shows no payloads for revoke and introspect; RFC 7009 and RFC 7662
 * rule (`docs/choices.md`).
 */
import * as Schema from "effect/Schema";

/**
 * Error codes of the token, revoke and introspect endpoints (RFC 6749 §5.2, RFC 7009 §2.2.1, RFC
 * 6750 §3.1).
 */
export const oauthErrorCodes = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "unsupported_token_type",
  "invalid_token",
  "insufficient_scope",
  "server_error",
  "temporarily_unavailable",
] as const;

const text = Schema.NonEmptyString;
const optional = Schema.optionalKey(Schema.String);
const optionalText = Schema.optionalKey(text);
const openWord = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete]);

/** RFC 7636 §4.1: 43 to 128 unreserved characters. */
export const CodeVerifier = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9\-._~]{43,128}$/u));

/** base64url without padding of the SHA-256 of the verifier: 43 characters (RFC 7636 §4.2). */
const CodeChallenge = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9\-_]{43}$/u));

/** Query of `GET /oauth/authorize`; all seven are required (§4.1). */
export const AuthorizeQuery = Schema.Struct({
  client_id: text,
  response_type: Schema.Literal("code"),
  scope: text,
  state: text,
  redirect_uri: text,
  code_challenge: CodeChallenge,
  code_challenge_method: Schema.Literal("S256"),
});

/** Token request with a code. */
const TokenRequestAuthorizationCode = Schema.Struct({
  grant_type: Schema.Literal("authorization_code"),
  client_id: text,
  client_secret: optionalText,
  code: text,
  redirect_uri: text,
  scope: optionalText,
  code_verifier: CodeVerifier,
}).annotate({ identifier: "TokenRequestAuthorizationCode" });

/** Token request of an application for itself; confidential clients only. */
const TokenRequestClientCredentials = Schema.Struct({
  grant_type: Schema.Literal("client_credentials"),
  client_id: text,
  client_secret: text,
  scope: text,
}).annotate({ identifier: "TokenRequestClientCredentials" });

/** Token request with a refresh token. */
const TokenRequestRefreshToken = Schema.Struct({
  grant_type: Schema.Literal("refresh_token"),
  client_id: text,
  client_secret: optionalText,
  refresh_token: text,
}).annotate({ identifier: "TokenRequestRefreshToken" });

/** The form of `POST /oauth/token`, told apart by `grant_type`. */
export const TokenRequest = Schema.Union([
  TokenRequestAuthorizationCode,
  TokenRequestClientCredentials,
  TokenRequestRefreshToken,
]);

/** The answer of `POST /oauth/token` (§4.1). */
export const TokenResponse = Schema.Struct({
  access_token: text,
  expires_in: Schema.NullOr(Schema.Natural),
  token_type: Schema.Literal("bearer"),
  scope: Schema.String,
  username: Schema.String,
  sub: Schema.String,
  refresh_token: optionalText,
}).annotate({ identifier: "TokenResponse" });
export type TokenResponse = typeof TokenResponse.Type;

const tokenForm = {
  token: text,
  token_type_hint: optional,
  client_id: optional,
  client_secret: optional,
};

/** The form of `POST /oauth/token/revoke` (RFC 7009 §2.1). */
export const RevokeRequest = Schema.Struct(tokenForm).annotate({ identifier: "RevokeRequest" });

/** The form of `POST /oauth/token/introspect` (RFC 7662 §2.1). */
export const IntrospectRequest = Schema.Struct(tokenForm).annotate({
  identifier: "IntrospectRequest",
});

/** The answer of `POST /oauth/token/introspect` (RFC 7662 §2.2). */
export const IntrospectionResponse = Schema.Struct({
  active: Schema.Boolean,
  scope: optional,
  client_id: optional,
  username: optional,
  token_type: optional,
  exp: Schema.optionalKey(Schema.Natural),
  iat: Schema.optionalKey(Schema.Natural),
  sub: optional,
}).annotate({ identifier: "IntrospectionResponse" });
export type IntrospectionResponse = typeof IntrospectionResponse.Type;

/** Error body of the OAuth endpoints (RFC 6749 §5.2). */
export const OAuthErrorBody = Schema.Struct({
  error: openWord(oauthErrorCodes),
  error_description: optional,
  error_uri: optional,
}).annotate({ identifier: "OAuthErrorBody" });

/**
 * Payloads of the OAuth server (§4.1, §5): what is sent to it, what it answers, and its errors.
 *
 * Requests are forms (`application/x-www-form-urlencoded`), so every member is a string. Answers
 * are JSON. The specification shows no payloads for revoke and introspect; RFC 7009 and RFC 7662
 * rule (`docs/choices.md`).
 *
 * These schemas hold to the specification. A client that talks to other servers as well wants more
 * tolerance than this.
 */
import * as Schema from "effect/Schema";

/** RFC 7636 §4.1: 43 to 128 unreserved characters. */
export const CodeVerifier = /*#__PURE__*/ Schema.String.check(
  /*#__PURE__*/ Schema.isPattern(/^[A-Za-z0-9\-._~]{43,128}$/u),
);

/** base64url without padding of the SHA-256 of the verifier: 43 characters (RFC 7636 §4.2). */
export const CodeChallenge = /*#__PURE__*/ Schema.String.check(
  /*#__PURE__*/ Schema.isPattern(/^[A-Za-z0-9\-_]{43}$/u),
);

/** Query of `GET /oauth/authorize`; all seven are required (§4.1). */
export const AuthorizeQuery = /*#__PURE__*/ Schema.Struct({
  client_id: Schema.NonEmptyString,
  response_type: Schema.Literal("code"),
  scope: Schema.NonEmptyString,
  state: Schema.NonEmptyString,
  redirect_uri: Schema.NonEmptyString,
  code_challenge: CodeChallenge,
  code_challenge_method: Schema.Literal("S256"),
});

/** Query of `GET /oauth/authorize`; all seven are required (§4.1). */
export interface AuthorizeQuery extends Schema.Schema.Type<typeof AuthorizeQuery> {}

/** The query with which the browser comes back after consent. */
export const AuthorizeSuccess = /*#__PURE__*/ Schema.Struct({
  code: Schema.NonEmptyString,
  state: Schema.NonEmptyString,
});

/** The query with which the browser comes back after consent. */
export interface AuthorizeSuccess extends Schema.Schema.Type<typeof AuthorizeSuccess> {}

/** Error codes of an authorization response (RFC 6749 §4.1.2.1). */
export const authorizeErrorCodes = [
  "invalid_request",
  "unauthorized_client",
  "access_denied",
  "unsupported_response_type",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
] as const;

/**
 * The query with which the browser comes back after a failure (RFC 6749 §4.1.2.1). Its codes are
 * open.
 */
export const AuthorizeFailure = /*#__PURE__*/ Schema.Struct({
  error: /*#__PURE__*/ Schema.Union([
    /*#__PURE__*/ Schema.Literals(authorizeErrorCodes),
    Schema.StringForLiteralAutocomplete,
  ]),
  error_description: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  error_uri: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  state: /*#__PURE__*/ Schema.optionalKey(Schema.String),
});

/** The query with which the browser comes back after a failure (RFC 6749 §4.1.2.1). */
export interface AuthorizeFailure extends Schema.Schema.Type<typeof AuthorizeFailure> {}

/**
 * Token request with a code. `client_secret` if the client has one: a public client has none (§4.1,
 * §5).
 */
export const TokenRequestAuthorizationCode = /*#__PURE__*/ Schema.Struct({
  grant_type: Schema.Literal("authorization_code"),
  client_id: Schema.NonEmptyString,
  client_secret: /*#__PURE__*/ Schema.optionalKey(Schema.NonEmptyString),
  code: Schema.NonEmptyString,
  redirect_uri: Schema.NonEmptyString,
  scope: /*#__PURE__*/ Schema.optionalKey(Schema.NonEmptyString),
  code_verifier: CodeVerifier,
}).annotate({ identifier: "TokenRequestAuthorizationCode" });

/** Token request with a code. */
export interface TokenRequestAuthorizationCode extends Schema.Schema.Type<
  typeof TokenRequestAuthorizationCode
> {}

/** Token request of an application for itself; confidential clients only. */
export const TokenRequestClientCredentials = /*#__PURE__*/ Schema.Struct({
  grant_type: Schema.Literal("client_credentials"),
  client_id: Schema.NonEmptyString,
  client_secret: Schema.NonEmptyString,
  scope: Schema.NonEmptyString,
}).annotate({ identifier: "TokenRequestClientCredentials" });

/** Token request of an application for itself; confidential clients only. */
export interface TokenRequestClientCredentials extends Schema.Schema.Type<
  typeof TokenRequestClientCredentials
> {}

/**
 * Token request with a refresh token. `client_secret` as for confidential clients: a public client
 * sends none.
 */
export const TokenRequestRefreshToken = /*#__PURE__*/ Schema.Struct({
  grant_type: Schema.Literal("refresh_token"),
  client_id: Schema.NonEmptyString,
  client_secret: /*#__PURE__*/ Schema.optionalKey(Schema.NonEmptyString),
  refresh_token: Schema.NonEmptyString,
}).annotate({ identifier: "TokenRequestRefreshToken" });

/** Token request with a refresh token. */
export interface TokenRequestRefreshToken extends Schema.Schema.Type<
  typeof TokenRequestRefreshToken
> {}

/** The form of `POST /oauth/token`, told apart by `grant_type`. */
export const TokenRequest = /*#__PURE__*/ Schema.Union([
  TokenRequestAuthorizationCode,
  TokenRequestClientCredentials,
  TokenRequestRefreshToken,
]);

/** The form of `POST /oauth/token`, told apart by `grant_type`. */
export type TokenRequest = typeof TokenRequest.Type;

/**
 * The answer of `POST /oauth/token` (§4.1). `expires_in` is null for client credentials: the token
 * does not expire.
 */
export const TokenResponse = /*#__PURE__*/ Schema.Struct({
  access_token: Schema.NonEmptyString,
  expires_in: /*#__PURE__*/ Schema.NullOr(Schema.Natural),
  token_type: Schema.Literal("bearer"),
  scope: Schema.String,
  username: Schema.String,
  sub: Schema.String,
  refresh_token: /*#__PURE__*/ Schema.optionalKey(Schema.NonEmptyString),
}).annotate({ identifier: "TokenResponse" });

/** The answer of `POST /oauth/token` (§4.1). */
export interface TokenResponse extends Schema.Schema.Type<typeof TokenResponse> {}

/**
 * The form of `POST /oauth/token/revoke` (RFC 7009 §2.1). The bearer of the call needs the scope
 * `oauth:revoke`.
 */
export const RevokeRequest = /*#__PURE__*/ Schema.Struct({
  token: Schema.NonEmptyString,
  token_type_hint: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  client_id: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  client_secret: /*#__PURE__*/ Schema.optionalKey(Schema.String),
}).annotate({ identifier: "RevokeRequest" });

/** The form of `POST /oauth/token/revoke` (RFC 7009 §2.1). */
export interface RevokeRequest extends Schema.Schema.Type<typeof RevokeRequest> {}

/**
 * The form of `POST /oauth/token/introspect` (RFC 7662 §2.1). The bearer of the call needs the
 * scope `oauth:introspect`.
 */
export const IntrospectRequest = /*#__PURE__*/ Schema.Struct({
  token: Schema.NonEmptyString,
  token_type_hint: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  client_id: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  client_secret: /*#__PURE__*/ Schema.optionalKey(Schema.String),
}).annotate({ identifier: "IntrospectRequest" });

/** The form of `POST /oauth/token/introspect` (RFC 7662 §2.1). */
export interface IntrospectRequest extends Schema.Schema.Type<typeof IntrospectRequest> {}

/**
 * The answer of `POST /oauth/token/introspect` (RFC 7662 §2.2); an inactive token has `active` and
 * nothing else.
 */
export const IntrospectionResponse = /*#__PURE__*/ Schema.Struct({
  active: Schema.Boolean,
  scope: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  client_id: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  username: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  token_type: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  exp: /*#__PURE__*/ Schema.optionalKey(Schema.Natural),
  iat: /*#__PURE__*/ Schema.optionalKey(Schema.Natural),
  sub: /*#__PURE__*/ Schema.optionalKey(Schema.String),
}).annotate({ identifier: "IntrospectionResponse" });

/** The answer of `POST /oauth/token/introspect` (RFC 7662 §2.2). */
export interface IntrospectionResponse extends Schema.Schema.Type<typeof IntrospectionResponse> {}

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

/**
 * Error body of the OAuth endpoints (RFC 6749 §5.2). Its codes are open; decide on `error` alone.
 */
export const OAuthErrorBody = /*#__PURE__*/ Schema.Struct({
  error: /*#__PURE__*/ Schema.Union([
    /*#__PURE__*/ Schema.Literals(oauthErrorCodes),
    Schema.StringForLiteralAutocomplete,
  ]),
  error_description: /*#__PURE__*/ Schema.optionalKey(Schema.String),
  error_uri: /*#__PURE__*/ Schema.optionalKey(Schema.String),
}).annotate({ identifier: "OAuthErrorBody" });

/** Error body of the OAuth endpoints (RFC 6749 §5.2). */
export interface OAuthErrorBody extends Schema.Schema.Type<typeof OAuthErrorBody> {}

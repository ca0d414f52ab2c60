/**
 * Payloads of the OAuth server (§4.1, §5): what is sent to it, what it answers, and its errors.
 *
 * Requests are forms (`application/x-www-form-urlencoded`), so every member is a string. Answers
 * are JSON. The specification shows no payloads for revoke and introspect; RFC 7009 and RFC 7662
 * rule (`docs/choices.md`). Their Effect Schemas are in `@game-data/contract/effect`.
 */

/** Query of `GET /oauth/authorize`; all seven are required (§4.1). */
export interface AuthorizeQuery {
  readonly client_id: string;
  readonly response_type: "code";
  readonly scope: string;
  readonly state: string;
  readonly redirect_uri: string;
  /** base64url without padding of the SHA-256 of the verifier: 43 characters (RFC 7636 §4.2). */
  readonly code_challenge: string;
  readonly code_challenge_method: "S256";
}

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

/** A known word, or any other: the lists of codes are open. */
type Open<Word extends string> = Word | (string & {});

/** Token request with a code. `client_secret` if the client has one (§4.1, §5). */
export interface TokenRequestAuthorizationCode {
  readonly grant_type: "authorization_code";
  readonly client_id: string;
  readonly client_secret?: string;
  readonly code: string;
  readonly redirect_uri: string;
  readonly scope?: string;
  /** 43 to 128 unreserved characters (RFC 7636 §4.1). */
  readonly code_verifier: string;
}

/** Token request of an application for itself; confidential clients only. */
export interface TokenRequestClientCredentials {
  readonly grant_type: "client_credentials";
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope: string;
}

/** Token request with a refresh token. `client_secret` if the client has one. */
export interface TokenRequestRefreshToken {
  readonly grant_type: "refresh_token";
  readonly client_id: string;
  readonly client_secret?: string;
  readonly refresh_token: string;
}

/** The form of `POST /oauth/token`, told apart by `grant_type`. */
export type TokenRequest =
  | TokenRequestAuthorizationCode
  | TokenRequestClientCredentials
  | TokenRequestRefreshToken;

/** The answer of `POST /oauth/token` (§4.1). */
export interface TokenResponse {
  readonly access_token: string;
  /** Seconds; null for client credentials, whose tokens do not expire. */
  readonly expires_in: number | null;
  readonly token_type: "bearer";
  readonly scope: string;
  readonly username: string;
  readonly sub: string;
  readonly refresh_token?: string;
}

/**
 * The form of `POST /oauth/token/revoke` (RFC 7009 §2.1). The bearer of the call needs the scope
 * `oauth:revoke`.
 */
export interface RevokeRequest {
  readonly token: string;
  readonly token_type_hint?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
}

/**
 * The form of `POST /oauth/token/introspect` (RFC 7662 §2.1). The bearer of the call needs the
 * scope `oauth:introspect`.
 */
export interface IntrospectRequest extends RevokeRequest {}

/**
 * The answer of `POST /oauth/token/introspect` (RFC 7662 §2.2); an inactive token has `active` and
 * nothing else.
 */
export interface IntrospectionResponse {
  readonly active: boolean;
  readonly scope?: string;
  readonly client_id?: string;
  readonly username?: string;
  readonly token_type?: string;
  /** Seconds since 1970. */
  readonly exp?: number;
  /** Seconds since 1970. */
  readonly iat?: number;
  readonly sub?: string;
}

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
export interface OAuthErrorBody {
  readonly error: Open<(typeof oauthErrorCodes)[number]>;
  readonly error_description?: string;
  readonly error_uri?: string;
}

/**
 * The table of OAuth failures: for each reason its error code, its status, and the sentence that
 * clients may see.
 *
 * A sentence names the rule that was broken and never the value that broke it. Its characters are
 * those of RFC 6749 §5.2.
 */
/** Code, status and description of one reason. */
interface OAuthFailureRow {
  /** The `error` of RFC 6749 §4.1.2.1 or §5.2, RFC 6750 §3.1. */
  readonly error: string;
  /** HTTP status at the token, revoke and introspect endpoints. */
  readonly status: number;
  /** The `error_description`. */
  readonly description: string;
}

const row = (error: string, status: number, description: string): OAuthFailureRow => ({
  error,
  status,
  description,
});

/**
 * Every failure of the token, revoke and introspect endpoints, and of authorize once client and
 * redirect URI are known.
 */
export const OAUTH_FAILURES = {
  NotFormEncoded: row(
    "invalid_request",
    400,
    "The body must be application/x-www-form-urlencoded in UTF-8.",
  ),
  BodyTooLarge: row("invalid_request", 413, "The body is too large."),
  ParameterRepeated: row("invalid_request", 400, "A parameter is included more than once."),
  ParameterMissing: row("invalid_request", 400, "A required parameter is missing or empty."),
  ParametersInQuery: row(
    "invalid_request",
    400,
    "Parameters of this endpoint belong in the body, not in the URL.",
  ),
  MultipleCredentials: row(
    "invalid_request",
    400,
    "Use one method of client authentication, not two.",
  ),
  ClientAuthenticationFailed: row("invalid_client", 401, "Client authentication failed."),
  TooManyAttempts: row(
    "temporarily_unavailable",
    429,
    "Too many failed attempts; wait before the next.",
  ),
  GrantTypeUnknown: row(
    "unsupported_grant_type",
    400,
    "The grant type is not one of authorization_code, client_credentials, refresh_token.",
  ),
  GrantTypeForbidden: row("unauthorized_client", 400, "The client may not use this grant type."),
  CodeInvalid: row(
    "invalid_grant",
    400,
    "The authorization code is unknown, expired, used, or was issued for another client or redirect URI, or the code verifier does not match.",
  ),
  VerifierMalformed: row(
    "invalid_request",
    400,
    "The code verifier must be 43 to 128 unreserved characters.",
  ),
  RefreshTokenInvalid: row(
    "invalid_grant",
    400,
    "The refresh token is unknown, expired, used, revoked, or belongs to another client.",
  ),
  ScopeInvalid: row(
    "invalid_scope",
    400,
    "The scope is missing, malformed, unknown, or exceeds what was granted or registered.",
  ),
  MethodNotAllowed: row("invalid_request", 405, "Only POST is allowed here."),
  BearerMissing: row("invalid_client", 401, "The request carries no bearer token."),
  BearerInvalid: row(
    "invalid_token",
    401,
    "The access token is malformed, unknown, expired or revoked.",
  ),
  ScopeInsufficient: row(
    "insufficient_scope",
    403,
    "The access token lacks the scope that this endpoint needs.",
  ),
  StateMissing: row("invalid_request", 400, "The parameter state is missing or empty."),
  ResponseTypeUnknown: row("unsupported_response_type", 400, "The response type must be code."),
  ChallengeMalformed: row(
    "invalid_request",
    400,
    "The code challenge must be 43 base64url characters.",
  ),
  ChallengeMethodUnknown: row("invalid_request", 400, "The code challenge method must be S256."),
  CodeGrantForbidden: row(
    "unauthorized_client",
    400,
    "The client may not use the authorization code grant.",
  ),
  Denied: row("access_denied", 400, "The user denied the request."),
  ServerError: row("server_error", 500, "The server failed."),
} as const satisfies Record<string, OAuthFailureRow>;

/** The reason for which an OAuth request failed. */
export type OAuthFailureReason = keyof typeof OAUTH_FAILURES;

/** An OAuth request that failed, by its row of the table. */
export class OAuthFailure {
  readonly reason: OAuthFailureReason;
  /** Seconds after which another attempt makes sense. */
  readonly retryAfter: number | undefined;
  /** Whether the client tried HTTP Basic: the challenge of a 401 then says so (RFC 6749 §5.2). */
  readonly basic: boolean;
  /** The scope that the bearer lacks. */
  readonly scope: string | undefined;

  constructor(reason: OAuthFailureReason, details: FailureDetails) {
    this.reason = reason;
    this.retryAfter = details.retryAfter;
    this.basic = details.basic ?? false;
    this.scope = details.scope;
  }

  /** The row of the table. */
  get row(): OAuthFailureRow {
    return OAUTH_FAILURES[this.reason];
  }
}

interface FailureDetails {
  readonly retryAfter?: number;
  readonly basic?: boolean;
  readonly scope?: string;
}

/** Builds the failure of a reason. */
export const failure = (reason: OAuthFailureReason, details: FailureDetails = {}): OAuthFailure =>
  new OAuthFailure(reason, details);

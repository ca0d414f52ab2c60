/**
 * OAuth requests that fail: for each reason its error code, its status, and the sentence that clients
 * may see.
 *
 * A sentence names the rule that was broken and never the value that broke it. Its characters are
 * those of RFC 6749 §5.2.
 */
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import * as Response from "effect/http/HttpServerResponse";

interface OAuthFailureRow {
  /** The `error` of RFC 6749 §4.1.2.1 or §5.2, RFC 6750 §3.1. */
  readonly error: string;
  /** HTTP status at the token, revoke and introspect endpoints. */
  readonly status: number;
  readonly description: string;
}

const rows = <Reason extends string>(
  error: string,
  status: number,
  descriptions: Readonly<Record<Reason, string>>,
) =>
  Object.fromEntries(
    Object.entries<string>(descriptions).map(([reason, description]) => [
      reason,
      { error, status, description },
    ]),
  ) as Readonly<Record<Reason, OAuthFailureRow>>;

/**
 * Every failure of the token, revoke and introspect endpoints, and of authorize once client and
 * redirect URI are known.
 */
export const OAUTH_FAILURES = {
  ...rows("invalid_request", 400, {
    NotFormEncoded: "The body must be application/x-www-form-urlencoded in UTF-8.",
    ParameterRepeated: "A parameter is included more than once.",
    ParameterMissing: "A required parameter is missing or empty.",
    ParametersInQuery: "Parameters of this endpoint belong in the body, not in the URL.",
    MultipleCredentials: "Use one method of client authentication, not two.",
    VerifierMalformed: "The code verifier must be 43 to 128 unreserved characters.",
    StateMissing: "The parameter state is missing or empty.",
    ChallengeMalformed: "The code challenge must be 43 base64url characters.",
    ChallengeMethodUnknown: "The code challenge method must be S256.",
  }),
  ...rows("invalid_request", 413, { BodyTooLarge: "The body is too large." }),
  ...rows("invalid_client", 401, {
    ClientAuthenticationFailed: "Client authentication failed.",
    BearerMissing: "The request carries no bearer token.",
  }),
  ...rows("temporarily_unavailable", 429, {
    RateLimited: "Rate limit exceeded",
    TooManyAttempts: "Too many failed attempts; wait before the next.",
  }),
  ...rows("unsupported_grant_type", 400, {
    GrantTypeUnknown:
      "The grant type is not one of authorization_code, client_credentials, refresh_token.",
  }),
  ...rows("unauthorized_client", 400, {
    GrantTypeForbidden: "The client may not use this grant type.",
    CodeGrantForbidden: "The client may not use the authorization code grant.",
  }),
  ...rows("invalid_grant", 400, {
    CodeInvalid:
      "The authorization code is unknown, expired, used, or was issued for another client or redirect URI, or the code verifier does not match.",
    RefreshTokenInvalid:
      "The refresh token is unknown, expired, used, revoked, or belongs to another client.",
  }),
  ...rows("invalid_scope", 400, {
    ScopeInvalid:
      "The scope is missing, malformed, unknown, or exceeds what was granted or registered.",
  }),
  ...rows("invalid_request", 405, { MethodNotAllowed: "Only POST is allowed here." }),
  ...rows("invalid_token", 401, {
    BearerInvalid: "The access token is malformed, unknown, expired or revoked.",
  }),
  ...rows("insufficient_scope", 403, {
    ScopeInsufficient: "The access token lacks the scope that this endpoint needs.",
  }),
  ...rows("unsupported_response_type", 400, {
    ResponseTypeUnknown: "The response type must be code.",
  }),
  ...rows("access_denied", 400, { Denied: "The user denied the request." }),
  ...rows("access_denied", 403, { FormForged: "The form is not of a page of this server." }),
  ...rows("server_error", 500, { ServerError: "The server failed." }),
};

/** `WWW-Authenticate` challenge for an invalid bearer token (RFC 6750 §3). */
export const INVALID_TOKEN = `Bearer error="invalid_token", error_description="${OAUTH_FAILURES.BearerInvalid.description}"`;

export type OAuthFailureReason = keyof typeof OAUTH_FAILURES;

/** Headers of token responses (RFC 6749 §5.1). */
export const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };

export class OAuthFailure extends Data.TaggedError("OAuthFailure")<{
  readonly reason: OAuthFailureReason;
  readonly headers?: Readonly<Record<string, string>>;
}> {
  /** Responds as a token endpoint does (RFC 6749 §5.2). */
  [Respondable.symbol]() {
    const { description, error, status } = OAUTH_FAILURES[this.reason];
    const headers = { ...NO_STORE, ...this.headers };
    return Effect.succeed(
      Response.jsonUnsafe({ error, error_description: description }, { status, headers }),
    );
  }
}

export const refuse = (reason: OAuthFailureReason, headers: OAuthFailure["headers"] = {}) =>
  Effect.fail(new OAuthFailure({ reason, headers }));

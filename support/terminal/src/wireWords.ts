/**
 * Words that a service sends: OAuth error codes, and HTTP statuses. Each leads to the errors that
 * the packages fail with.
 */
import { errors as serviceErrors } from "@game-data/contract/ErrorCode";

/** The meaning of a word, and the tags of the errors that it becomes. */
export interface WireWord {
  readonly meaning: string;
  readonly tags: ReadonlyArray<string>;
}

const word = (meaning: string, ...tags: ReadonlyArray<string>): WireWord => ({ meaning, tags });

/** The words (RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1) and statuses. */
export const wireWords: Readonly<Record<string, WireWord>> = {
  invalid_grant: word("The OAuth server rejects the code or the refresh token.", "InvalidGrant"),
  invalid_client: word("The OAuth server does not know the client or its secret.", "InvalidClient"),
  unauthorized_client: word("The client may not use this grant.", "InvalidClient"),
  invalid_scope: word("A scope is unknown, or not registered for the client.", "InvalidScope"),
  access_denied: word("The user declined on the consent page.", "AccessDenied"),
  invalid_request: word("A parameter is missing, doubled or not valid.", "RequestRejected"),
  unsupported_grant_type: word("The server does not have this grant.", "RequestRejected"),
  unsupported_token_type: word("The server does not revoke such a token.", "RequestRejected"),
  unsupported_response_type: word("The server does not issue codes.", "AuthorizationFailed"),
  server_error: word("The OAuth server failed.", "ServerUnavailable", "AuthorizationFailed"),
  temporarily_unavailable: word("The OAuth server is overloaded.", "ServerUnavailable"),
  invalid_token: word(
    "The access token is expired, revoked or malformed.",
    "Unauthorized",
    "RequestRejected",
  ),
  insufficient_scope: word("The token lacks a scope.", "Forbidden", "InsufficientScope"),
  202: word("The service took an item filter and needs more time; the result says why."),
  400: word("The request is not valid.", "InvalidRequest", "RequestRejected", "ChangeIdRejected"),
  401: word(
    "The access token or the client is refused.",
    "Unauthorized",
    "InvalidClient",
    "PageRefused",
  ),
  403: word(
    "The token does not permit this, or a firewall blocks.",
    "Forbidden",
    "InsufficientScope",
    "PageRefused",
  ),
  404: word("There is no such thing.", "NotFound"),
  405: word("The address does not take this method.", "InvalidRequest"),
  415: word("The body has a type that the service does not take.", "InvalidRequest"),
  422: word("The body is well formed and means nothing.", "InvalidRequest"),
  429: word(
    "Too many requests; the header Retry-After says how long to wait.",
    "RateLimited",
    "ServerUnavailable",
    "PageUnavailable",
  ),
  500: word("The service failed.", "ServerError", "ServerUnavailable", "PageUnavailable"),
  502: word("A gateway got no response of the service.", "ServerError", "ServerUnavailable"),
  503: word(
    "The service is overloaded or being deployed.",
    "ServerError",
    "ServerUnavailable",
    "PageUnavailable",
  ),
  504: word(
    "A gateway waited too long for the service.",
    "ServerError",
    "Timeout",
    "ServerUnavailable",
  ),
};

/** Finds a word in any case; the code of an error body, and its name, mean its status. */
export const findWireWord = (text: string): WireWord | undefined => {
  const wanted = text.toLowerCase();
  if (Object.hasOwn(wireWords, wanted)) return wireWords[wanted];
  const [, error] =
    Object.entries(serviceErrors).find(
      ([name, { code }]) => name.toLowerCase() === wanted || String(code) === wanted,
    ) ?? [];
  return error && wireWords[error.status];
};

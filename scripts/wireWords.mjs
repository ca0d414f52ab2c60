// Words that a service sends, OAuth error codes and HTTP statuses, with the errors that they become:
// what errors.mjs writes pages of (RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1).
const WORDS = {
  invalid_grant: ["The OAuth server rejects the code or the refresh token.", "InvalidGrant"],
  invalid_client: ["The OAuth server does not know the client or its secret.", "InvalidClient"],
  unauthorized_client: ["The client may not use this grant.", "InvalidClient"],
  invalid_scope: ["A scope is unknown, or not registered for the client.", "InvalidScope"],
  access_denied: ["The user declined on the consent page.", "AccessDenied"],
  invalid_request: ["A parameter is missing, doubled or not valid.", "RequestRejected"],
  unsupported_grant_type: ["The server does not have this grant.", "RequestRejected"],
  unsupported_token_type: ["The server does not revoke such a token.", "RequestRejected"],
  unsupported_response_type: ["The server does not issue codes.", "AuthorizationFailed"],
  server_error: ["The OAuth server failed.", "ServerUnavailable AuthorizationFailed"],
  temporarily_unavailable: ["The OAuth server is overloaded.", "ServerUnavailable"],
  invalid_token: [
    "The access token is expired, revoked or malformed.",
    "Unauthorized RequestRejected",
  ],
  insufficient_scope: ["The token lacks a scope.", "Forbidden InsufficientScope"],
  202: ["The service took an item filter and needs more time; the result says why."],
  400: ["The request is not valid.", "InvalidRequest RequestRejected ChangeIdRejected"],
  401: ["The access token or the client is refused.", "Unauthorized InvalidClient PageRefused"],
  403: [
    "The token does not permit this, or a firewall blocks.",
    "Forbidden InsufficientScope PageRefused",
  ],
  404: ["There is no such thing.", "NotFound"],
  405: ["The address does not take this method.", "InvalidRequest"],
  415: ["The body has a type that the service does not take.", "InvalidRequest"],
  422: ["The body is well formed and means nothing.", "InvalidRequest"],
  429: [
    "Too many requests; the header Retry-After says how long to wait.",
    "RateLimited ServerUnavailable PageUnavailable",
  ],
  500: ["The service failed.", "ServerError ServerUnavailable PageUnavailable"],
  502: ["A gateway got no response of the service.", "ServerError ServerUnavailable"],
  503: [
    "The service is overloaded or being deployed.",
    "ServerError ServerUnavailable PageUnavailable",
  ],
  504: ["A gateway waited too long for the service.", "ServerError Timeout ServerUnavailable"],
};

/** The words, each with its meaning and the tags of errors. */
export const wireWords = Object.fromEntries(
  Object.entries(WORDS).map(([word, [meaning, tags = ""]]) => [
    word,
    { meaning, tags: tags.split(" ").filter(Boolean) },
  ]),
);

/**
 * Everything that can go wrong between this package and an OAuth server, as one closed union.
 *
 * Handle with `Effect.catchTags`. Every message says what happened and what to do next. No error carries a token, a code,
 * a verifier, a state or a client secret: text that a server sent is stripped of control characters, capped, and withheld
 * altogether when it echoes a credential of the request.
 */
import { Schema } from "effect";

const text = /*#__PURE__*/ Schema.optionalKey(Schema.String);

const said = (description: string | undefined) =>
  description === undefined ? "" : ` The server says: ${description}`;

/** The client was configured, or called, in a way the specification rules out. No request was sent. */
export class ConfigurationInvalid
  extends /*#__PURE__*/ Schema.TaggedError<ConfigurationInvalid>()("ConfigurationInvalid", {
    reason: Schema.String,
  })
{
  override get message() {
    return `${this.reason} Correct the configuration; no request was sent.`;
  }
}

/** The user said no on the consent page (RFC 6749 §4.1.2.1 `access_denied`). */
export class AuthorizationDenied
  extends /*#__PURE__*/ Schema.TaggedError<AuthorizationDenied>()("AuthorizationDenied", {
    description: text,
  })
{
  override get message() {
    return `The user refused the request. Ask again only when the user wants it.${said(this.description)}`;
  }
}

/** The authorization request came back with an error other than a refusal; `error` is the server's code. */
export class AuthorizationFailed
  extends /*#__PURE__*/ Schema.TaggedError<AuthorizationFailed>()("AuthorizationFailed", {
    error: Schema.String,
    description: text,
  })
{
  override get message() {
    return `The authorization request failed with ${this.error}. Check client id, scopes and redirect URI.${said(this.description)}`;
  }
}

/** A callback whose `state` belongs to no flow that is open here: forged, replayed, or older than ten minutes. */
export class StateMismatch
  extends /*#__PURE__*/ Schema.TaggedError<StateMismatch>()("StateMismatch", {})
{
  override get message() {
    return "The callback's state belongs to no open authorization request. Ignore it, or start a new flow.";
  }
}

/** The callback names another issuer than the one configured, or none where one is required (RFC 9207 §2.4). */
export class IssuerMismatch
  extends /*#__PURE__*/ Schema.TaggedError<IssuerMismatch>()("IssuerMismatch", {})
{
  override get message() {
    return "The callback comes from another issuer than the flow was started with. Do not exchange it; start a new flow.";
  }
}

/** The callback belongs to the flow but can't be read: a parameter is missing or stands there twice. */
export class CallbackMalformed
  extends /*#__PURE__*/ Schema.TaggedError<CallbackMalformed>()("CallbackMalformed", {
    reason: Schema.String,
  })
{
  override get message() {
    return `The callback is malformed: ${this.reason}. Start a new flow.`;
  }
}

/** The authorization code was already sent once, or the callback is older than 30 seconds (§8). No request was sent. */
export class CodeExpired
  extends /*#__PURE__*/ Schema.TaggedError<CodeExpired>()("CodeExpired", {})
{
  override get message() {
    return "The authorization code was already used or is older than 30 seconds. Start a new flow.";
  }
}

/** The server refuses the code or the refresh token (`invalid_grant`): the user has to consent again. */
export class GrantInvalid
  extends /*#__PURE__*/ Schema.TaggedError<GrantInvalid>()("GrantInvalid", {
    description: text,
  })
{
  override get message() {
    return `The server no longer accepts this code or refresh token. Sign the user in again.${said(this.description)}`;
  }
}

/** The server refuses the client itself (`invalid_client`, `unauthorized_client`). */
export class ClientRejected
  extends /*#__PURE__*/ Schema.TaggedError<ClientRejected>()("ClientRejected", {
    error: Schema.String,
    description: text,
  })
{
  override get message() {
    return `The server rejects the client (${this.error}). Check client id, client secret and the grants it may use.${said(this.description)}`;
  }
}

/** The server refuses the requested scopes (`invalid_scope`). */
export class ScopeRejected
  extends /*#__PURE__*/ Schema.TaggedError<ScopeRejected>()("ScopeRejected", { description: text })
{
  override get message() {
    return `The server rejects the requested scopes. Ask for scopes that the client is registered for.${said(this.description)}`;
  }
}

/** The token is good but lacks a scope (403, RFC 6750 §3.1): repeating it doesn't help, a new consent does. */
export class InsufficientScope
  extends /*#__PURE__*/ Schema.TaggedError<InsufficientScope>()("InsufficientScope", {
    scope: text,
  })
{
  override get message() {
    return `The access token lacks a scope${this.scope === undefined ? "" : ` (${this.scope})`}. Obtain a new token with the right scopes.`;
  }
}

/** Any other error of an OAuth endpoint; `error` is the server's code as sent, known to us or not. */
export class RequestRejected
  extends /*#__PURE__*/ Schema.TaggedError<RequestRejected>()("RequestRejected", {
    error: Schema.String,
    status: Schema.Number,
    description: text,
  })
{
  override get message() {
    return `The server rejects the request with ${this.error} (status ${this.status}). Repeating it will not help.${said(this.description)}`;
  }
}

/** The server can't answer now (5xx, 429). What is stored stays valid; `retryAfter` is the server's wish in seconds. */
export class ServerUnavailable
  extends /*#__PURE__*/ Schema.TaggedError<ServerUnavailable>()("ServerUnavailable", {
    status: Schema.Number,
    retryAfter: Schema.optionalKey(Schema.Number),
    error: text,
  })
{
  override get message() {
    return `The OAuth server is unavailable (status ${this.status}${this.error === undefined ? "" : `, ${this.error}`}). Try again ${this.retryAfter === undefined ? "later" : `in ${this.retryAfter} s`}.`;
  }
}

/** An OAuth endpoint answered with a redirect. It is never followed: the request holds credentials. */
export class UnexpectedRedirect
  extends /*#__PURE__*/ Schema.TaggedError<UnexpectedRedirect>()("UnexpectedRedirect", {
    status: Schema.Number,
  })
{
  override get message() {
    return `The OAuth server answered with a redirect (status ${this.status}), which is never followed. Check authUrl.`;
  }
}

/** The answer isn't what RFC 6749 §5 (7009, 7662) allows; `reason` names the rule or the member, never its value. */
export class ResponseMalformed
  extends /*#__PURE__*/ Schema.TaggedError<ResponseMalformed>()("ResponseMalformed", {
    status: Schema.Number,
    reason: Schema.String,
  })
{
  override get message() {
    return `The OAuth server's answer (status ${this.status}) is malformed: ${this.reason}. Check authUrl, or report it to the server's operators.`;
  }
}

/**
 * No answer arrived. `sent: false` means that certainly nothing left this machine (refused, name not found); with
 * `sent: true` the server may have acted on the request, so a single-use grant must not be sent again.
 */
export class Transport
  extends /*#__PURE__*/ Schema.TaggedError<Transport>()("Transport", {
    reason: Schema.String,
    sent: Schema.Boolean,
  })
{
  override get message() {
    return `No answer from the OAuth server: ${this.reason}. ${this.sent ? "The request may have been processed." : "Nothing was sent; it is safe to try again."}`;
  }
}

/** The user's consent has run out (90 or 7 days after it was given, §8). No request was sent. */
export class ConsentExpired
  extends /*#__PURE__*/ Schema.TaggedError<ConsentExpired>()("ConsentExpired", {})
{
  override get message() {
    return "The consent has expired and cannot be refreshed. Sign the user in again.";
  }
}

/** The session's store holds no tokens: nobody signed in yet, or somebody signed out. */
export class NotSignedIn
  extends /*#__PURE__*/ Schema.TaggedError<NotSignedIn>()("NotSignedIn", {})
{
  override get message() {
    return "Nobody is signed in. Run the authorization flow and hand its tokens to the session.";
  }
}

/** The token store failed; `operation` says where, `reason` why, without paths or secrets. */
export class TokenStoreFailed
  extends /*#__PURE__*/ Schema.TaggedError<TokenStoreFailed>()("TokenStoreFailed", {
    operation: Schema.Literals(["get", "set", "remove", "lock"]),
    reason: Schema.String,
  })
{
  override get message() {
    return `The token store failed to ${this.operation}: ${this.reason}. Repair the store, then call again.`;
  }
}

/** The loopback receiver could not listen, or no valid callback came in time. */
export class ReceiverFailed
  extends /*#__PURE__*/ Schema.TaggedError<ReceiverFailed>()("ReceiverFailed", {
    reason: Schema.String,
  })
{
  override get message() {
    return `The loopback receiver failed: ${this.reason}. Start the sign-in again, or paste the redirect's address.`;
  }
}

/** What a callback can turn out to be, other than valid. */
export type CallbackError =
  | AuthorizationDenied
  | AuthorizationFailed
  | StateMismatch
  | IssuerMismatch
  | CallbackMalformed;

/** What a request to an OAuth endpoint can fail with. */
export type RequestError =
  | GrantInvalid
  | ClientRejected
  | ScopeRejected
  | InsufficientScope
  | RequestRejected
  | ServerUnavailable
  | UnexpectedRedirect
  | ResponseMalformed
  | Transport;

/** What a session can fail with when it is asked for a token. */
export type SessionError =
  | RequestError
  | ConfigurationInvalid
  | ConsentExpired
  | NotSignedIn
  | TokenStoreFailed;

/** All errors of the package. */
export type OAuthError = CallbackError | SessionError | CodeExpired | ReceiverFailed;

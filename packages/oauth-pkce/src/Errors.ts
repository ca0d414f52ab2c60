/**
 * Everything that can go wrong between this package and an OAuth server, as one closed union.
 *
 * Handle with `Effect.catchTags`. Every message says what happened and what to do next. No error
 * carries a token, a code, a verifier, a state or a client secret: text that a server sent is
 * stripped of control characters, capped, and withheld altogether when it echoes a credential of
 * the request.
 */
import * as Schema from "effect/Schema";

const text = /*#__PURE__*/ Schema.optionalKey(Schema.String);

/**
 * What the server's word on a refused request comes to: its code, the status, and its description
 * if that is fit to show.
 */
const refusal = { error: Schema.String, status: Schema.Number, description: text };

/** A tagged error whose message is its tag in words, an advice, and the facts in its fields. */
const tagged =
  <Self>() =>
  <Tag extends string, const Fields extends Schema.Struct.Fields = {}>(
    tag: Tag,
    advice: string,
    fields: Fields = {} as Fields,
  ) => {
    const Class = Schema.TaggedError<Self>()(tag, fields);
    Object.defineProperty((Class as unknown as { prototype: object }).prototype, "message", {
      get(this: Readonly<Record<string, unknown>>) {
        let message = `${tag.replace(/\B[A-Z]/g, " $&")}: ${advice}`;
        for (const name in fields) if (name in this) message += `; ${name} ${this[name]}`;
        return message;
      },
    });
    return Class;
  };

/**
 * The client was configured, or called, in a way the specification rules out. No request was sent.
 */
export class ConfigurationInvalid
  extends /*#__PURE__*/ tagged<ConfigurationInvalid>()(
    "ConfigurationInvalid",
    "nothing was sent, correct it",
    { reason: Schema.String },
  ) {}

/** The user said no on the consent page (RFC 6749 §4.1.2.1 `access_denied`). */
export class AuthorizationDenied
  extends /*#__PURE__*/ tagged<AuthorizationDenied>()(
    "AuthorizationDenied",
    "start a new flow if the user wants to",
    { description: text },
  ) {}

/**
 * The authorization request came back with an error other than a refusal; `error` is the server's
 * code.
 */
export class AuthorizationFailed
  extends /*#__PURE__*/ tagged<AuthorizationFailed>()(
    "AuthorizationFailed",
    "check the client's registration",
    { error: Schema.String, description: text },
  ) {}

/**
 * A callback whose `state` belongs to no flow that is open here: forged, replayed, or older than
 * ten minutes.
 */
export class StateMismatch
  extends /*#__PURE__*/ tagged<StateMismatch>()(
    "StateMismatch",
    "ignore it, or start a new flow",
  ) {}

/**
 * The callback names another issuer than the one configured, or none where one is required (RFC
 * 9207 §2.4).
 */
export class IssuerMismatch
  extends /*#__PURE__*/ tagged<IssuerMismatch>()("IssuerMismatch", "start a new flow") {}

/**
 * The callback belongs to the flow but can't be read: a parameter is missing or stands there twice.
 */
export class CallbackMalformed
  extends /*#__PURE__*/ tagged<CallbackMalformed>()("CallbackMalformed", "start a new flow", {
    reason: Schema.String,
  }) {}

/**
 * The authorization code was already sent once, or the callback is older than 30 seconds (§8). No
 * request was sent.
 */
export class CodeExpired
  extends /*#__PURE__*/ tagged<CodeExpired>()("CodeExpired", "start a new flow") {}

/**
 * The server refuses the code or the refresh token (`invalid_grant`): the user has to consent
 * again.
 */
export class GrantInvalid
  extends /*#__PURE__*/ tagged<GrantInvalid>()("GrantInvalid", "sign in again", refusal) {}

/** The server refuses the client itself (`invalid_client`, `unauthorized_client`). */
export class ClientRejected
  extends /*#__PURE__*/ tagged<ClientRejected>()(
    "ClientRejected",
    "check the client's registration",
    refusal,
  ) {}

/** The server refuses the requested scopes (`invalid_scope`). */
export class ScopeRejected
  extends /*#__PURE__*/ tagged<ScopeRejected>()(
    "ScopeRejected",
    "check the client's registration",
    refusal,
  ) {}

/**
 * The token is good but lacks a scope (403, RFC 6750 §3.1): repeating it doesn't help, a new
 * consent does.
 */
export class InsufficientScope
  extends /*#__PURE__*/ tagged<InsufficientScope>()(
    "InsufficientScope",
    "get a new token with it",
    { scope: text },
  ) {}

/**
 * Any other error of an OAuth endpoint; `error` is the server's code as sent, known to us or not.
 */
export class RequestRejected
  extends /*#__PURE__*/ tagged<RequestRejected>()("RequestRejected", "report it", refusal) {}

/**
 * The server can't answer now (5xx, 429). What is stored stays valid; `retryAfter` is the server's
 * wish in seconds.
 */
export class ServerUnavailable
  extends /*#__PURE__*/ tagged<ServerUnavailable>()("ServerUnavailable", "try again later", {
    status: Schema.Number,
    error: text,
    retryAfter: /*#__PURE__*/ Schema.optionalKey(Schema.Number),
  }) {}

/**
 * An OAuth endpoint answered with a redirect. It is never followed: the request holds credentials.
 */
export class UnexpectedRedirect
  extends /*#__PURE__*/ tagged<UnexpectedRedirect>()("UnexpectedRedirect", "check authUrl", {
    status: Schema.Number,
  }) {}

/**
 * The answer isn't what RFC 6749 §5 (7009, 7662) allows; `reason` names the rule or the member,
 * never its value.
 */
export class ResponseMalformed
  extends /*#__PURE__*/ tagged<ResponseMalformed>()("ResponseMalformed", "check authUrl", {
    status: Schema.Number,
    reason: Schema.String,
  }) {}

/**
 * No answer arrived. `sent: false` means that certainly nothing left this machine (refused, name
 * not found); with `sent: true` the server may have acted on the request, so a single-use grant
 * must not be sent again.
 */
export class Transport
  extends /*#__PURE__*/ tagged<Transport>()(
    "Transport",
    "try again, or start a new flow if a code was sent",
    { reason: Schema.String, sent: Schema.Boolean },
  ) {}

/** The user's consent has run out (90 or 7 days after it was given, §8). No request was sent. */
export class ConsentExpired
  extends /*#__PURE__*/ tagged<ConsentExpired>()("ConsentExpired", "sign in again") {}

/** The session's store holds no tokens: nobody signed in yet, or somebody signed out. */
export class NotSignedIn extends /*#__PURE__*/ tagged<NotSignedIn>()("NotSignedIn", "sign in") {}

/** The token store failed; `operation` says where, `reason` why, without paths or secrets. */
export class TokenStoreFailed
  extends /*#__PURE__*/ tagged<TokenStoreFailed>()("TokenStoreFailed", "repair it, try again", {
    operation: /*#__PURE__*/ Schema.Literals(["get", "set", "remove", "lock"]),
    reason: Schema.String,
  }) {}

/** The loopback receiver could not listen, or no valid callback came in time. */
export class ReceiverFailed
  extends /*#__PURE__*/ tagged<ReceiverFailed>()(
    "ReceiverFailed",
    "sign in again, or paste the redirect's address",
    { reason: Schema.String },
  ) {}

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

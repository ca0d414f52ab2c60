/**
 * Everything that can go wrong between this package and an OAuth server, as one closed union.
 *
 * Handle with `Effect.catchTags`. Every message says what happened and what to do next. No error carries a token, a code,
 * a verifier, a state or a client secret: text that a server sent is stripped of control characters, capped, and withheld
 * altogether when it echoes a credential of the request.
 */
import * as Schema from "effect/Schema";

const text = /*#__PURE__*/ Schema.optionalKey(Schema.String);

/** What the server's word on a refused request comes to: its code, the status, and its description if that is fit to show. */
const refusal = { error: Schema.String, status: Schema.Number, description: text };

/** A tagged error whose message is an advice, followed by the facts in its fields. */
const tagged = <Self>() => {
  const base = Schema.TaggedError<Self>();
  return <Tag extends string, const Fields extends Schema.Struct.Fields>(
    tag: Tag,
    advice: string,
    fields: Fields,
  ) => {
    const Class = base(tag, fields);
    Object.defineProperty(
      (Class as unknown as { readonly prototype: object }).prototype,
      "message",
      {
        get(this: Readonly<Record<string, unknown>>) {
          const facts = Object.keys(fields).flatMap((name) => {
            const fact = this[name] ?? [];
            if (typeof fact === "number") return `${name} ${fact}`;
            return typeof fact === "boolean" ? (fact ? name : `not ${name}`) : fact;
          });
          return facts.length === 0 ? advice : `${advice} (${facts.join("; ")})`;
        },
      },
    );
    return Class;
  };
};

/** The client was configured, or called, in a way the specification rules out. No request was sent. */
export class ConfigurationInvalid
  extends /*#__PURE__*/ tagged<ConfigurationInvalid>()(
    "ConfigurationInvalid",
    "Nothing was sent. Correct the configuration.",
    { reason: Schema.String },
  ) {}

/** The user said no on the consent page (RFC 6749 §4.1.2.1 `access_denied`). */
export class AuthorizationDenied
  extends /*#__PURE__*/ tagged<AuthorizationDenied>()(
    "AuthorizationDenied",
    "The user refused. Ask again only when the user wants it.",
    { description: text },
  ) {}

/** The authorization request came back with an error other than a refusal; `error` is the server's code. */
export class AuthorizationFailed
  extends /*#__PURE__*/ tagged<AuthorizationFailed>()(
    "AuthorizationFailed",
    "The authorization request failed. Check client id, scopes and redirect URI.",
    { error: Schema.String, description: text },
  ) {}

/** A callback whose `state` belongs to no flow that is open here: forged, replayed, or older than ten minutes. */
export class StateMismatch
  extends /*#__PURE__*/ tagged<StateMismatch>()(
    "StateMismatch",
    "The callback belongs to no open flow. Ignore it, or start a new flow.",
    {},
  ) {}

/** The callback names another issuer than the one configured, or none where one is required (RFC 9207 §2.4). */
export class IssuerMismatch
  extends /*#__PURE__*/ tagged<IssuerMismatch>()(
    "IssuerMismatch",
    "The callback comes from another issuer. Start a new flow.",
    {},
  ) {}

/** The callback belongs to the flow but can't be read: a parameter is missing or stands there twice. */
export class CallbackMalformed
  extends /*#__PURE__*/ tagged<CallbackMalformed>()(
    "CallbackMalformed",
    "The callback is malformed. Start a new flow.",
    { reason: Schema.String },
  ) {}

/** The authorization code was already sent once, or the callback is older than 30 seconds (§8). No request was sent. */
export class CodeExpired
  extends /*#__PURE__*/ tagged<CodeExpired>()(
    "CodeExpired",
    "The code was used or is older than 30 seconds. Start a new flow.",
    {},
  ) {}

/** The server refuses the code or the refresh token (`invalid_grant`): the user has to consent again. */
export class GrantInvalid
  extends /*#__PURE__*/ tagged<GrantInvalid>()(
    "GrantInvalid",
    "The code or refresh token is no longer valid. Sign in again.",
    refusal,
  ) {}

/** The server refuses the client itself (`invalid_client`, `unauthorized_client`). */
export class ClientRejected
  extends /*#__PURE__*/ tagged<ClientRejected>()(
    "ClientRejected",
    "The server rejects the client. Check its id, secret and grants.",
    refusal,
  ) {}

/** The server refuses the requested scopes (`invalid_scope`). */
export class ScopeRejected
  extends /*#__PURE__*/ tagged<ScopeRejected>()(
    "ScopeRejected",
    "The server rejects the scopes. Ask for those of the registration.",
    refusal,
  ) {}

/** The token is good but lacks a scope (403, RFC 6750 §3.1): repeating it doesn't help, a new consent does. */
export class InsufficientScope
  extends /*#__PURE__*/ tagged<InsufficientScope>()(
    "InsufficientScope",
    "The access token lacks a scope. Get a new token with it.",
    { scope: text },
  ) {}

/** Any other error of an OAuth endpoint; `error` is the server's code as sent, known to us or not. */
export class RequestRejected
  extends /*#__PURE__*/ tagged<RequestRejected>()(
    "RequestRejected",
    "The server rejects the request. Repeating it will not help.",
    refusal,
  ) {}

/** The server can't answer now (5xx, 429). What is stored stays valid; `retryAfter` is the server's wish in seconds. */
export class ServerUnavailable
  extends /*#__PURE__*/ tagged<ServerUnavailable>()(
    "ServerUnavailable",
    "The server is unavailable. Try again later.",
    {
      status: Schema.Number,
      error: text,
      retryAfter: /*#__PURE__*/ Schema.optionalKey(Schema.Number),
    },
  ) {}

/** An OAuth endpoint answered with a redirect. It is never followed: the request holds credentials. */
export class UnexpectedRedirect
  extends /*#__PURE__*/ tagged<UnexpectedRedirect>()(
    "UnexpectedRedirect",
    "The server redirects, which is never followed. Check authUrl.",
    { status: Schema.Number },
  ) {}

/** The answer isn't what RFC 6749 §5 (7009, 7662) allows; `reason` names the rule or the member, never its value. */
export class ResponseMalformed
  extends /*#__PURE__*/ tagged<ResponseMalformed>()(
    "ResponseMalformed",
    "The server's answer is malformed. Check authUrl.",
    { status: Schema.Number, reason: Schema.String },
  ) {}

/**
 * No answer arrived. `sent: false` means that certainly nothing left this machine (refused, name not found); with
 * `sent: true` the server may have acted on the request, so a single-use grant must not be sent again.
 */
export class Transport
  extends /*#__PURE__*/ tagged<Transport>()(
    "Transport",
    "No answer came. Try again, but start a new flow if a code was sent.",
    { reason: Schema.String, sent: Schema.Boolean },
  ) {}

/** The user's consent has run out (90 or 7 days after it was given, §8). No request was sent. */
export class ConsentExpired
  extends /*#__PURE__*/ tagged<ConsentExpired>()(
    "ConsentExpired",
    "The consent has expired. Sign in again.",
    {},
  ) {}

/** The session's store holds no tokens: nobody signed in yet, or somebody signed out. */
export class NotSignedIn
  extends /*#__PURE__*/ tagged<NotSignedIn>()(
    "NotSignedIn",
    "Nobody is signed in. Sign in first.",
    {},
  ) {}

/** The token store failed; `operation` says where, `reason` why, without paths or secrets. */
export class TokenStoreFailed
  extends /*#__PURE__*/ tagged<TokenStoreFailed>()(
    "TokenStoreFailed",
    "The token store failed. Repair it, then call again.",
    {
      operation: /*#__PURE__*/ Schema.Literals(["get", "set", "remove", "lock"]),
      reason: Schema.String,
    },
  ) {}

/** The loopback receiver could not listen, or no valid callback came in time. */
export class ReceiverFailed
  extends /*#__PURE__*/ tagged<ReceiverFailed>()(
    "ReceiverFailed",
    "No callback was received. Sign in again, or paste the redirect's address.",
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

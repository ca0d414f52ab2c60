/**
 * Lists every failure of this package and of the OAuth servers it talks to, as one closed union.
 *
 * Handle with `Effect.catchTags`. Each message says what happened and what to do next.
 * `isRetryable` says whether the same call may succeed later, `retryAfter` how long the server asks
 * to wait, counted from the failure.
 *
 * No error carries a token, a code, a verifier, a state or a client secret. Text from a server is
 * stripped of control characters, shortened, and withheld if it repeats a credential of the
 * request. The errors of HTTP clients and database drivers quote requests and rows, so they are not
 * kept as `cause`: `reason` holds their error code.
 *
 * @example
 * ```ts
 * import { PkceFlow, OAuthClient } from "@game-data/oauth-pkce";
 * import { Effect } from "effect";
 *
 * const started = Effect.gen(function* () {
 *   const client = yield* OAuthClient.publicClient({
 *     authUrl: "http://auth.example", // must be https
 *     clientId: "price-tool",
 *     redirectUri: "http://127.0.0.1/callback",
 *   });
 *   return yield* PkceFlow.start(client, { scopes: ["account:profile"] });
 * }).pipe(
 *   Effect.map(({ url }) => url),
 *   Effect.catchTags({ ConfigurationInvalid: ({ option }) => Effect.succeed(`wrong ${option}`) }),
 * );
 * if ((await Effect.runPromise(started)) !== "wrong authUrl") throw new Error("it started");
 * ```
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { fieldsOf } from "@game-data/contract/failure";
import { type TaggedFailure, taggedFailure } from "@game-data/contract/taggedFailure";
import * as Duration from "effect/Duration";

export { ConfigurationInvalid };

/** By tag: what happened, what to do, and whether the same call may succeed later. */
const WORDS = {
  AccessDenied: ["The user denied access", "Start a new flow if the user wants to"],
  AuthorizationFailed: ["The authorization request failed", "Check the client's registration"],
  StateMismatch: ["The callback's state belongs to no open flow", "Ignore it, or start a new flow"],
  IssuerMismatch: ["The callback names another issuer", "Start a new flow"],
  CallbackMalformed: ["The callback cannot be read", "Start a new flow"],
  CodeExpired: ["The code was used or is too old", "Start a new flow"],
  InvalidGrant: ["The server rejected the grant", "Sign in again"],
  InvalidClient: ["The server rejected the client", "Check the client's registration"],
  InvalidScope: ["The server rejected the scopes", "Check the client's registration"],
  InsufficientScope: ["The token lacks a scope", "Get a new token with it"],
  RequestRejected: ["The server rejected the request", "Report it"],
  ServerUnavailable: ["The OAuth server is unavailable", "Try again later", true],
  UnexpectedRedirect: ["The server redirected", "Check authUrl"],
  OAuthResponseMalformed: ["The response is malformed", "Check authUrl"],
  OAuthTransportError: [
    "No response arrived",
    "Try again, or start a new flow if a code was sent",
    true,
  ],
  ConsentExpired: ["The user's consent has ended", "Sign in again"],
  NotSignedIn: ["Nobody is signed in", "Sign in"],
  TokenStoreFailed: ["The token store failed", "Repair it, then try again", true],
  LoopbackListenFailed: [
    "No callback was received",
    "Sign in again, or paste the redirect's address",
  ],
} satisfies Record<string, readonly [sentence: string, advice: string, isRetryable?: true]>;

/** Makes an error class whose message says what happened, with the fields, and what to do. */
const tagged = <Tag extends keyof typeof WORDS>(tag: Tag): TaggedFailure<Tag> => {
  const [sentence, advice, isRetryable = false]: readonly [string, string, boolean?] = WORDS[tag];
  const Failure = class extends taggedFailure<string>(tag, isRetryable)<Record<string, unknown>> {
    override get message(): string {
      const facts = fieldsOf(this).map(
        ([name, value]) =>
          `${name} ${Duration.isDuration(value) ? Duration.format(value) : String(value)}`,
      );
      return `${sentence}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}. ${this.advice}.`;
    }

    protected get advice(): string {
      return advice;
    }
  };
  return Failure as unknown as TaggedFailure<Tag>;
};

/** Text of the server, sanitized. */
interface Described {
  readonly description?: string;
}

/** Fields of an OAuth error response: code, status, sanitized description. */
interface ErrorResponse extends Described, Record<string, unknown> {
  readonly error: string;
  readonly status: number;
}

/** The user declined on the consent page (RFC 6749 §4.1.2.1 `access_denied`). */
export class AccessDenied extends /*#__PURE__*/ tagged("AccessDenied")<Described> {}

/** The consent page redirected back with an error other than `access_denied`. */
export class AuthorizationFailed
  extends /*#__PURE__*/ tagged("AuthorizationFailed")<Described & { readonly error: string }> {}

/**
 * The callback's `state` belongs to no open flow: it is forged, replayed or over ten minutes old.
 */
export class StateMismatch extends /*#__PURE__*/ tagged("StateMismatch") {}

/**
 * The callback names another issuer than configured, or none where it is required (RFC 9207 §2.4).
 */
export class IssuerMismatch extends /*#__PURE__*/ tagged("IssuerMismatch") {}

/** The callback belongs to the flow but lacks a parameter or has one twice. */
export class CallbackMalformed
  extends /*#__PURE__*/ tagged("CallbackMalformed")<{
    readonly reason: string;
  }> {}

/** The authorization code was already sent, or is over 30 seconds old (§8). No request was sent. */
export class CodeExpired extends /*#__PURE__*/ tagged("CodeExpired") {}

/**
 * The server rejects the code or the refresh token (`invalid_grant`): the user has to consent
 * again. `grant` says which of the two it was.
 *
 * With `lostAnswer` the grant ended because a response of the server never arrived: the refresh
 * token had been used by a request whose new tokens were lost.
 */
export class InvalidGrant
  extends /*#__PURE__*/ tagged("InvalidGrant")<
    ErrorResponse & {
      /** The grant that the request held; absent where the server said it of something else. */
      readonly grant?: "authorization_code" | "refresh_token";
      readonly lostAnswer?: boolean;
    }
  >
{
  protected get advice(): string {
    if (this.grant === "authorization_code") return "Start a new flow";
    return this.lostAnswer
      ? "Sign in again: the last response of the server was lost"
      : "Sign in again";
  }
}

/** The server rejects the client itself (`invalid_client`, `unauthorized_client`). */
export class InvalidClient extends /*#__PURE__*/ tagged("InvalidClient")<ErrorResponse> {}

/** The server rejects the requested scopes (`invalid_scope`). */
export class InvalidScope extends /*#__PURE__*/ tagged("InvalidScope")<ErrorResponse> {}

/** The token is valid but lacks a scope (403, RFC 6750 §3.1). A new consent is needed. */
export class InsufficientScope
  extends /*#__PURE__*/ tagged("InsufficientScope")<{
    readonly scope?: string;
  }> {}

/** Any other OAuth error response; `error` is the server's code, known or not. */
export class RequestRejected extends /*#__PURE__*/ tagged("RequestRejected")<ErrorResponse> {}

/** The server is unavailable (5xx, 429). Stored tokens stay valid. */
export class ServerUnavailable
  extends /*#__PURE__*/ tagged("ServerUnavailable")<{
    readonly status: number;
    readonly error?: string;
    /** The server's `Retry-After`, counted from this failure. */
    readonly retryAfter?: Duration.Duration;
  }> {}

/** An OAuth endpoint redirected. Redirects are never followed: the request holds credentials. */
export class UnexpectedRedirect
  extends /*#__PURE__*/ tagged("UnexpectedRedirect")<{
    readonly status: number;
  }> {}

/**
 * The response breaks RFC 6749 §5 (7009, 7662). `reason` names the rule or the member, never its
 * value.
 */
export class OAuthResponseMalformed
  extends /*#__PURE__*/ tagged("OAuthResponseMalformed")<{
    readonly status: number;
    readonly reason: string;
  }> {}

/**
 * No response arrived.
 *
 * With `sent: false` nothing left this machine (connection refused, name not found). With
 * `sent: true` the server may have processed the request, so a single-use grant is not sent again
 * by itself.
 */
export class OAuthTransportError
  extends /*#__PURE__*/ tagged("OAuthTransportError")<{
    readonly reason: string;
    readonly sent: boolean;
  }> {}

/** The user's consent has ended (a refresh token's lifetime after it was given, §8), or cannot be renewed. */
export class ConsentExpired extends /*#__PURE__*/ tagged("ConsentExpired") {}

/** The session's store holds no tokens: nobody has signed in, or somebody signed out. */
export class NotSignedIn extends /*#__PURE__*/ tagged("NotSignedIn") {}

/** The token store failed; `operation` says where, `reason` why, without paths or secrets. */
export class TokenStoreFailed
  extends /*#__PURE__*/ tagged("TokenStoreFailed")<{
    readonly operation: "read" | "write" | "open";
    readonly reason: string;
  }> {}

/** The loopback receiver cannot listen, or no valid callback arrived in time. */
export class LoopbackListenFailed
  extends /*#__PURE__*/ tagged("LoopbackListenFailed")<{
    readonly kind: "listen" | "timeout";
    readonly reason: string;
  }> {}

/** Failures of a callback. */
export type CallbackError =
  | AccessDenied
  | AuthorizationFailed
  | StateMismatch
  | IssuerMismatch
  | CallbackMalformed
  /** `UsedStates` could not be asked. */
  | TokenStoreFailed;

/** Failures of a request to an OAuth endpoint. */
export type RequestError =
  | InvalidGrant
  | InvalidClient
  | InvalidScope
  | InsufficientScope
  | RequestRejected
  | ServerUnavailable
  | UnexpectedRedirect
  | OAuthResponseMalformed
  | OAuthTransportError;

/** Failures of a session that is asked for a token. */
export type SessionError =
  | RequestError
  | ConfigurationInvalid
  | ConsentExpired
  | NotSignedIn
  | TokenStoreFailed;

/** All errors of the package. */
export type OAuthError = CallbackError | SessionError | CodeExpired | LoopbackListenFailed;

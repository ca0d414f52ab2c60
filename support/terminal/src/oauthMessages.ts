/**
 * Messages for the errors of `oauth-pkce`. Their own messages are short, to keep bundles for
 * browsers small.
 */
import type { OAuthError } from "@game-data/oauth-pkce";

type Messages = {
  readonly [Tag in OAuthError["_tag"]]: (error: Extract<OAuthError, { _tag: Tag }>) => string;
};

/** The server's description, or the end of the sentence. */
const said = ({ description }: { readonly description?: string }) =>
  description === undefined ? "." : `: ${description}`;

const messages: Messages = {
  ConfigurationInvalid: ({ option, reason }) => `${option} ${reason}.`,
  AccessDenied: (error) => `Consent was denied${said(error)}`,
  AuthorizationFailed: (error) => `The consent page returned ${error.error}${said(error)}`,
  StateMismatch: () => "The callback belongs to no pending sign-in: it is expired or forged.",
  IssuerMismatch: () => "The callback comes from another OAuth server than the configured one.",
  CallbackMalformed: ({ reason }) => `The callback is malformed: ${reason}.`,
  CodeExpired: () => "The authorization code was already used, or is older than 30 seconds.",
  InvalidGrant: (error) => `The OAuth server no longer accepts the sign-in${said(error)}`,
  InvalidClient: (error) => `The OAuth server rejects the client (${error.error})${said(error)}`,
  InvalidScope: (error) => `The OAuth server rejects the scopes${said(error)}`,
  InsufficientScope: ({ scope }) => `The token lacks ${scope ?? "a required scope"}.`,
  RequestRejected: (error) => `The OAuth server rejects the request (${error.error})${said(error)}`,
  ServerUnavailable: ({ status }) => `The OAuth server is unavailable (HTTP ${status}).`,
  UnexpectedRedirect: ({ status }) =>
    `The OAuth server responded with a redirect (HTTP ${status}). It is not followed, because the request holds credentials.`,
  OAuthResponseMalformed: ({ reason, status }) =>
    `The OAuth server's response is malformed (HTTP ${status}): ${reason}.`,
  OAuthTransportError: ({ reason }) => `The OAuth server did not respond: ${reason}.`,
  ConsentExpired: () => "The user's consent has expired.",
  NotSignedIn: () => "Nobody is signed in.",
  TokenStoreFailed: ({ operation, reason }) => `The token store failed to ${operation}: ${reason}.`,
  LoopbackListenFailed: ({ reason }) => `The browser did not return: ${reason}.`,
};

/** Returns the message of an error. */
export const oauthMessage = (error: OAuthError): string =>
  (messages[error._tag] as (error: OAuthError) => string)(error);

/**
 * The errors of `oauth-pkce` in sentences. Their own messages are kept short for browsers; at a
 * prompt there is room.
 */
import type { OAuthError } from "@game-data/oauth-pkce";

type Sentences = {
  readonly [Tag in OAuthError["_tag"]]: (error: Extract<OAuthError, { _tag: Tag }>) => string;
};

/** `: what the server said`, or the end of the sentence. */
const said = ({ description }: { readonly description?: string }) =>
  description === undefined ? "." : `: ${description}`;

const sentences: Sentences = {
  ConfigurationInvalid: ({ option, reason }) => `${option} ${reason}.`,
  AccessDenied: (error) => `Consent was refused${said(error)}`,
  AuthorizationFailed: (error) => `The consent page answered with ${error.error}${said(error)}`,
  StateMismatch: () => "The answer belongs to no sign-in that is open here: it is old, or forged.",
  IssuerMismatch: () => "The answer comes from another OAuth server than the configured one.",
  CallbackMalformed: ({ reason }) => `The answer of the consent page cannot be read: ${reason}.`,
  CodeExpired: () => "The code of the sign-in was used already, or is older than 30 seconds.",
  InvalidGrant: (error) => `The OAuth server no longer accepts the sign-in${said(error)}`,
  InvalidClient: (error) => `The OAuth server rejects the client (${error.error})${said(error)}`,
  InvalidScope: (error) => `The OAuth server refuses the scopes${said(error)}`,
  InsufficientScope: ({ scope }) => `The token lacks ${scope ?? "a scope that this needs"}.`,
  RequestRejected: (error) => `The OAuth server refuses the request (${error.error})${said(error)}`,
  ServerUnavailable: ({ status }) => `The OAuth server cannot answer now (HTTP ${status}).`,
  UnexpectedRedirect: ({ status }) =>
    `The OAuth server answers with a redirect (HTTP ${status}), which is not followed: the request holds credentials.`,
  OAuthResponseMalformed: ({ reason, status }) =>
    `The OAuth server's answer is not what the standard allows (HTTP ${status}): ${reason}.`,
  OAuthTransportError: ({ reason }) => `The OAuth server does not answer: ${reason}.`,
  ConsentExpired: () => "The consent that was given has run out.",
  NotSignedIn: () => "Nobody is signed in.",
  TokenStoreFailed: ({ operation, reason }) => `The token store failed to ${operation}: ${reason}.`,
  LoopbackListenFailed: ({ reason }) => `The sign-in did not come back: ${reason}.`,
};

/** What happened, in a sentence. */
export const sentenceOf = (error: OAuthError): string =>
  (sentences[error._tag] as (error: OAuthError) => string)(error);

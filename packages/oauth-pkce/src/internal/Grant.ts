/**
 * The record of one grant in its store, and the rule that decides what to do next with it.
 *
 * | record                              | access token usable     | expired or refused               |
 * | ----------------------------------- | ----------------------- | -------------------------------- |
 * | none                                | –                       | fail with `NotSignedIn`          |
 * | tokens                              | use; renew near the end | renew                            |
 * | tokens, intent of a live process    | use                     | wait, send nothing               |
 * | tokens, intent without a response   | use                     | `resend`: renew; `signIn`: end   |
 * | ended                               | –                       | fail with the error of its end   |
 *
 * A sign-in is the first step of a grant: its intent stands for the code and has no tokens beside it.
 * This module sends nothing and reads no clock.
 */
import * as Option from "effect/Option";
import type * as Redacted from "effect/Redacted";
import * as Schema from "effect/Schema";
import {
  ConsentExpired,
  InvalidGrant,
  NotSignedIn,
  OAuthTransportError,
  type SessionError,
} from "../Errors.ts";
import { expiry, isOther, TokenSet } from "../TokenSet.ts";

/** The use of a refresh token or code, recorded before it is sent. */
const Intent = Schema.Struct({
  /** Milliseconds since 1970 by the store's clock; 0 for a code. */
  at: Schema.Finite,
  /** Milliseconds after `at` at which the process that wrote the intent has certainly given up. */
  patience: Schema.Finite,
  /** The number of times that this credential was sent, this time included. */
  attempt: Schema.Finite,
  /** No usable response arrived, so the server may have used the credential. */
  isLost: Schema.optionalKey(Schema.Boolean),
});
type Intent = typeof Intent.Type;

const End = Schema.Struct({
  reason: Schema.Literals(["refused", "lostAnswer", "consentExpired", "signedOut"]),
  status: Schema.Finite,
  /** Version of an intent whose process did not report back. That process may replace this end. */
  intent: Schema.optionalKey(Schema.String),
});
type End = typeof End.Type;

/** The record of one grant: tokens with or without an intent, or the reason of its end. */
export const Grant = Schema.Struct({
  v: Schema.Literal(3),
  tokens: Schema.optionalKey(TokenSet),
  intent: Schema.optionalKey(Intent),
  ended: Schema.optionalKey(End),
  /** The times of the sign-in and of the last recorded use, in milliseconds since 1970. */
  since: Schema.optionalKey(Schema.Finite),
  seen: Schema.optionalKey(Schema.Finite),
});
export interface Grant extends Schema.Schema.Type<typeof Grant> {}

export const EMPTY: Grant = { v: 3 };

const Json = Schema.fromJsonString(Grant);

/** Writes a record as JSON with the secrets in clear. */
export const encode: (grant: Grant) => string = Schema.encodeSync(Json);

const decodeJson = Schema.decodeUnknownOption(Json);

/** Reads a record. Returns `undefined` for any other text. */
export const decode = (text: string): Grant | undefined => Option.getOrUndefined(decodeJson(text));

export const endedGrant = (ended: End): Grant => ({ v: 3, ended });

const ENDED_TTL_MILLIS = 30 * 86_400_000;
/**
 * Lifetime of the record of a sign-in without tokens, or of a sign-out: four times the ten minutes in
 * which a callback is accepted, in case of wrong clocks.
 */
const CLAIM_TTL_MILLIS = 2_400_000;

/** Returns for how many milliseconds a store keeps a record; `undefined` without a known end. */
export const recordTtl = ({ ended, tokens }: Grant, now: number): number | undefined => {
  if (ended?.reason === "signedOut" || (!ended && !tokens)) return CLAIM_TTL_MILLIS;
  if (ended) return ENDED_TTL_MILLIS;
  const end = tokens?.consentExpiresAt;
  return end === undefined ? undefined : Math.ceil(Math.max(end - now, 0) + ENDED_TTL_MILLIS);
};

export type Step =
  | { readonly _tag: "Use"; readonly tokens: TokenSet }
  /** Write an intent, send the credential, store the result. `usable` serves if the server is away. */
  | { readonly _tag: "Renew"; readonly attempt: number; readonly usable?: TokenSet | undefined }
  /** Poll until the process that wrote the intent is done or has given up. Send nothing. */
  | { readonly _tag: "Wait" }
  /** End the grant. Send nothing. */
  | { readonly _tag: "End" }
  | { readonly _tag: "Fail"; readonly error: SessionError };

/** How the next tokens are obtained: the `grant_type` of the request. */
export type GrantType = "authorization_code" | "refresh_token" | "client_credentials";

/** The facts that decide the next step of a grant. Times are in milliseconds. */
export interface Circumstances {
  readonly now: number;
  readonly storeNow: number;
  /** Time for which this process has waited for another process. */
  readonly waited: number;
  readonly refused: Redacted.Redacted | undefined;
  /** Time before its end at which an access token is renewed. */
  readonly renewBefore: number;
  readonly onLostAnswer: "resend" | "signIn";
}

export const nextStep = (type: GrantType, grant: Grant | undefined, at: Circumstances): Step => {
  if (type === "authorization_code") return firstStep(grant ?? EMPTY, at.waited);
  const { ended, intent, tokens } = grant ?? EMPTY;
  const left = tokens && isOther(tokens, at.refused) ? expiry(tokens) - at.now : 0;
  const usable = left > 0 ? tokens : undefined;
  const renew = { _tag: "Renew", attempt: 1, usable } as const;
  // The credentials of an application can be sent at any time.
  if (type === "client_credentials")
    return usable && left > at.renewBefore ? { _tag: "Use", tokens: usable } : renew;
  if (ended || !tokens) return { _tag: "Fail", error: endedError(ended) };
  if (usable && (intent || left > at.renewBefore || !tokens.refreshToken))
    return { _tag: "Use", tokens };
  if (!tokens.refreshToken) return { _tag: "Fail", error: new ConsentExpired() };
  if (!intent) return renew;
  if (!isLost(intent, at.storeNow)) return { _tag: "Wait" };
  return at.onLostAnswer === "resend" ? { ...renew, attempt: intent.attempt + 1 } : { _tag: "End" };
};

/**
 * Decides the next step of a sign-in. Its code is sent once over all servers. The store's clock is not
 * known before the first record, so a process counts for how long it has waited itself.
 */
const firstStep = ({ ended, intent, tokens }: Grant, waited: number): Step => {
  if (tokens) return { _tag: "Use", tokens };
  if (ended) return { _tag: "Fail", error: endedError(ended, "authorization_code") };
  if (!intent) return { _tag: "Renew", attempt: 1 };
  if (!intent.isLost && waited < intent.patience) return { _tag: "Wait" };
  const reason = "the response to the code was lost";
  return { _tag: "Fail", error: new OAuthTransportError({ reason, sent: true }) };
};

/** Returns whether the process of an intent has given up, also if the clock was set back. */
export const isLost = (intent: Intent, storeNow: number): boolean =>
  intent.isLost === true || storeNow < intent.at || storeNow - intent.at >= intent.patience;

export const endedError = (
  ended: End | undefined,
  grant: InvalidGrant["grant"] = "refresh_token",
): SessionError => {
  if (!ended || ended.reason === "signedOut") return new NotSignedIn();
  if (ended.reason === "consentExpired") return new ConsentExpired();
  return new InvalidGrant({
    error: "invalid_grant",
    status: ended.status,
    ...(grant && { grant }),
    ...(ended.reason === "lostAnswer" && { lostAnswer: true }),
  });
};

/** State of a credential after a failed request: not used, ended, or possibly used. */
export type Fate = "untouched" | "ended" | "lost";

/** Returns what a failed request means for its credential. A code that was sent is not sent again. */
export const credentialFate = (type: GrantType, error: SessionError): Fate => {
  const isCode = type === "authorization_code";
  switch (error._tag) {
    case "OAuthTransportError":
      return error.sent ? "lost" : "untouched";
    case "UnexpectedRedirect":
    case "OAuthResponseMalformed":
      return "lost";
    case "ServerUnavailable": {
      // The server refuses with a 429, or a 503 with a `Retry-After`, before it reads the token.
      const isUnseen = error.status === 429 || (error.status === 503 && error.retryAfter);
      return isUnseen && !isCode ? "untouched" : "lost";
    }
    case "InvalidGrant":
    case "ConsentExpired":
      return "ended";
    case "NotSignedIn":
      return "untouched";
    default:
      return isCode ? "ended" : "untouched";
  }
};

/** Failures: what they say about the grant or its token, and how an ended grant fails. */
import * as Effect from "effect/Effect";
import { ConsentExpired, InvalidGrant, NotSignedIn, type SessionError } from "../Errors.ts";
import type { TokenSet } from "../TokenSet.ts";
import type { GrantRecord } from "./GrantRecord.ts";
import type { AnswerKind, TokenState } from "./grantStates.ts";

/** The failure of a grant that has ended, or of none. */
export const deathOf = (record: GrantRecord | undefined): SessionError => {
  const dead = record?.dead;
  if (!dead) return new NotSignedIn();
  if (dead.hasConsentEnded) return new ConsentExpired();
  return new InvalidGrant({
    error: "invalid_grant",
    status: dead.status,
    grant: "refresh_token",
    ...(dead.lostAnswer && { lostAnswer: true }),
  });
};

/** Whether a failed refresh has touched the grant (the second table of the protocol). */
export const answerKind = (error: SessionError): AnswerKind => {
  switch (error._tag) {
    case "InvalidGrant":
    case "ConsentExpired":
      return "invalidGrant";
    case "ServerUnavailable":
      return error.status === 429 || (error.status === 503 && error.retryAfter)
        ? "untouched"
        : "unanswered";
    case "OAuthTransportError":
      return error.sent ? "unanswered" : "untouched";
    case "UnexpectedRedirect":
    case "OAuthResponseMalformed":
      return "unanswered";
    default:
      return "untouched";
  }
};

/** Failures that say nothing about the client: no response, or none that can be read. */
const UNDECIDED =
  /^(ServerUnavailable|OAuthTransportError|OAuthResponseMalformed|UnexpectedRedirect|ConsentExpired)$/;

/**
 * Falls back to a token that is still good if the server did not decide. Any other failure is told
 * at once.
 */
export const keepIfGood = (
  renewed: Effect.Effect<TokenSet | undefined, SessionError>,
  token: TokenState,
  tokens: TokenSet | undefined,
): Effect.Effect<TokenSet | undefined, SessionError> =>
  token === "good" && tokens
    ? Effect.catchIf(
        renewed,
        ({ _tag: tag }) => UNDECIDED.test(tag),
        () => Effect.succeed(tokens),
      )
    : renewed;

/**
 * Whether a failure of a data request means that the access token was refused: a tag
 * `Unauthorized`, or an HTTP client error whose response has status 401.
 */
export const isTokenRejected = (error: unknown): boolean => {
  const { _tag: tag, response } = (error ?? {}) as {
    readonly _tag?: unknown;
    readonly response?: { readonly status?: unknown };
  };
  return tag === "Unauthorized" || (tag === "HttpClientError" && response?.status === 401);
};

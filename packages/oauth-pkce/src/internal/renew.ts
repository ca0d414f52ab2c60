/** One renewal: the intent, the request, and what its response means for the grant. */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { InvalidGrant, type SessionError } from "../Errors.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import { revokeIfAllowed } from "../TokenCall.ts";
import { expiry, type TokenSet } from "../TokenSet.ts";
import { credentialFate, EMPTY, endedGrant, type Grant, type GrantType } from "./Grant.ts";
import * as StoredGrant from "./StoredGrant.ts";

/** Limit from the read to the send. A process that was paused for longer starts over. */
const SEND_WITHIN_MILLIS = 5_000;

/** A refresh that the server may or may not have processed. */
export interface UnknownOutcome {
  readonly key: string;
  /** The number of times that this refresh token was sent. */
  readonly attempt: number;
  /** Milliseconds since 1970 until which the access token can be used. */
  readonly usableUntil: number;
}

/** The request that obtains the next tokens. */
export interface TokenSource {
  readonly client: OAuthClient;
  readonly type: GrantType;
  readonly obtain: (tokens: TokenSet | undefined) => Effect.Effect<TokenSet, SessionError>;
  readonly onUnknownOutcome?: ((refresh: UnknownOutcome) => void) | undefined;
}

/**
 * Obtains the next tokens of a grant. Returns `undefined` if another process was faster, so that
 * the caller reads the record again.
 */
export const renew = Effect.fn("Session.renew")(function* (
  source: TokenSource,
  stored: StoredGrant.StoredGrant,
  reading: StoredGrant.Reading,
  attempt: number,
): Effect.fn.Return<TokenSet | undefined, SessionError> {
  const { grant = EMPTY } = reading;
  if (source.type === "client_credentials")
    return yield* keep(source, stored, { ...reading, grant }, yield* source.obtain(grant.tokens));

  // 1. Record the intent before the credential is sent. One process wins.
  const patience = SEND_WITHIN_MILLIS + Duration.toMillis(source.client.timeout);
  const intent = { at: reading.storeNow, patience, attempt };
  const version = yield* StoredGrant.writeIntent(stored, { ...reading, grant }, intent);
  if (version === undefined) return undefined;
  const elapsed = Number((yield* Clock.monotonicTimeNanos) - reading.readAt) / 1e6;
  if (elapsed > SEND_WITHIN_MILLIS) {
    yield* StoredGrant.write(stored, version, grant);
    return undefined;
  }

  // 2. Send the credential. 3. Store the new tokens before any caller sees them.
  const sent = yield* Effect.result(source.obtain(grant.tokens));
  if (sent._tag === "Success")
    return yield* keep(source, stored, { ...reading, grant, version }, sent.success);

  // 4. Without tokens, record what became of the credential.
  const error = sent.failure;
  const fate = credentialFate(source.type, error);
  if (fate === "lost") yield* reportUnknownOutcome(source, stored.key, { attempt, grant });
  const next: Grant = {
    ended: endedBy(error, attempt),
    untouched: grant,
    lost: { ...grant, intent: { ...intent, isLost: true } },
  }[fate];
  // If the store fails here, the intent stays and counts as lost when its `patience` is over.
  const isWritten = yield* StoredGrant.write(stored, version, next).pipe(
    Effect.catch(() => Effect.succeed(true)),
  );
  if (!isWritten) return undefined;
  return yield* error._tag === "InvalidGrant" && attempt > 1
    ? new InvalidGrant({ ...error, lostAnswer: true })
    : error;
});

const endedBy = (error: SessionError, attempt: number): Grant =>
  endedGrant({
    reason:
      error._tag === "ConsentExpired" ? "consentExpired" : attempt > 1 ? "lostAnswer" : "refused",
    status: error._tag === "InvalidGrant" ? error.status : 400,
  });

/**
 * Stores new tokens. If the user signed in or out in the meantime, the tokens will never be used, so
 * they are revoked.
 */
const keep = Effect.fnUntraced(function* (
  { client }: TokenSource,
  stored: StoredGrant.StoredGrant,
  before: StoredGrant.Reading & { readonly grant: Grant },
  tokens: TokenSet,
): Effect.fn.Return<TokenSet | undefined, SessionError> {
  // A renewal is not a use by the user. A sign-in does not know the store's clock yet.
  const { since = before.storeNow || (yield* Clock.currentTimeMillis), seen = since } =
    before.grant;
  const next: Grant = { v: 3, tokens, since, seen };
  if (yield* StoredGrant.write(stored, before.version, next)) return tokens;
  yield* Effect.ignore(revokeIfAllowed(client, tokens));
  return undefined;
});

const reportUnknownOutcome = Effect.fnUntraced(function* (
  { onUnknownOutcome }: TokenSource,
  key: string,
  { attempt, grant }: { readonly attempt: number; readonly grant: Grant },
) {
  yield* Effect.annotateCurrentSpan({ "oauth.answer_lost": true, "oauth.attempt": attempt });
  yield* Effect.logWarning("The outcome of a refresh is unknown");
  const usableUntil = grant.tokens ? expiry(grant.tokens) : 0;
  // The renewal continues even if the caller's function throws.
  yield* Effect.ignoreCause(Effect.sync(() => onUnknownOutcome?.({ key, attempt, usableUntil })));
});

/** One renewal: the intent, the request, and what its response means for the grant. */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Metric from "effect/Metric";
import { InvalidGrant, type SessionError } from "../Errors.ts";
import * as Revocation from "../Revocation.ts";
import type { TokenSet } from "../TokenSet.ts";
import { answerKind } from "./grantErrors.ts";
import { intentOutcomes } from "./grantStates.ts";
import type { StoredGrant } from "./GrantRecord.ts";
import * as GrantStore from "./GrantStore.ts";
import { endOf } from "./renewalTimes.ts";
import { warn, type SessionState } from "./SessionState.ts";

const MAX_NOT_BEFORE_MILLIS = 3_600_000;

/** Counts refreshes without a response. */
const answersLost = /*#__PURE__*/ Metric.counter("game_data_oauth_answers_lost");

/** Renews the token of `from`. Returns `undefined` if another writer was faster. */
export const renewOnce = /*#__PURE__*/ Effect.fnUntraced(function* (
  state: SessionState,
  { found, startedAt, ...read }: GrantStore.Read,
  attempt: number,
): Effect.fn.Return<TokenSet | undefined, SessionError> {
  const { grant, source } = state;
  let { version } = read;
  if (source.isSingleUse && found) {
    const patience = patienceOf(state);
    version = yield* GrantStore.writeIntent(grant, found, { attempt, patience });
    if (version === undefined) return undefined;
    const elapsed = Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6;
    if (elapsed > state.times.sendWithin) {
      yield* GrantStore.undoIntent(grant, version, found.record);
      return undefined;
    }
  }
  const outcome = yield* Effect.result(source.obtain(found?.record.tokens));
  if (outcome._tag === "Success") {
    if (yield* GrantStore.commit(grant, version, outcome.success)) return outcome.success;
    yield* revokeOrphan(state, outcome.success);
    return undefined;
  }
  const error = outcome.failure;
  if (source.isSingleUse && found && version !== undefined) {
    // If the store fails here, the intent stays open and counts as lost in time: nothing is sent
    // too often because of it.
    const isOurs = yield* settleIntent(state, { found, version, attempt, error }).pipe(
      Effect.catch(() => Effect.succeed(true)),
    );
    if (!isOurs) return undefined;
  }
  if (error._tag !== "InvalidGrant" || attempt === 1) return yield* error;
  const { description, error: code, grant: sent, status } = error;
  return yield* new InvalidGrant({
    error: code,
    status,
    ...(description !== undefined && { description }),
    ...(sent && { grant: sent }),
    lostAnswer: true,
  });
});

/** Milliseconds after which the holder of an intent has given up for certain (`W`). */
const patienceOf = (state: SessionState): number =>
  state.times.sendWithin + Duration.toMillis(state.client.timeout);

interface FailedRefresh {
  readonly found: StoredGrant;
  readonly version: string;
  readonly attempt: number;
  readonly error: SessionError;
}

/**
 * Writes into the record what a failed refresh means for the refresh token. Returns `false` if
 * somebody has signed in or out meanwhile.
 */
const settleIntent = /*#__PURE__*/ Effect.fnUntraced(function* (
  state: SessionState,
  { attempt, error, found, version }: FailedRefresh,
) {
  const { grant } = state;
  const { record, storeNow } = found;
  const outcome = intentOutcomes[answerKind(error)];
  if (outcome === "bury") {
    const dead = {
      at: storeNow,
      status: error._tag === "InvalidGrant" ? error.status : 400,
      lostAnswer: error._tag === "InvalidGrant" && attempt > 1,
      hasConsentEnded: error._tag === "ConsentExpired",
      intent: version,
    };
    return yield* GrantStore.write(grant, version, { v: 2, dead });
  }
  if (outcome === "undo") {
    const { notBefore: _, ...before } = record;
    const wait =
      error._tag === "ServerUnavailable" && error.retryAfter
        ? Math.min(Duration.toMillis(error.retryAfter), MAX_NOT_BEFORE_MILLIS)
        : 0;
    return yield* GrantStore.undoIntent(grant, version, {
      ...before,
      ...(wait > 0 && { notBefore: storeNow + wait }),
    });
  }
  yield* reportLostAnswer(state, attempt, endOf(record.tokens));
  const patience = patienceOf(state);
  const intent = { id: version, at: storeNow, patience, attempt, isClosed: true };
  return yield* GrantStore.write(grant, version, { ...record, intent });
});

const reportLostAnswer = /*#__PURE__*/ Effect.fnUntraced(function* (
  { grant: { key }, options }: SessionState,
  attempt: number,
  usableUntil: number,
) {
  yield* Metric.update(answersLost, 1);
  yield* Effect.annotateCurrentSpan({ "oauth.answer_lost": true, "oauth.attempt": attempt });
  yield* warn(options, "The response to a token refresh was lost");
  // The caller's function may throw; the renewal goes on.
  yield* Effect.ignoreCause(
    Effect.sync(() => options.onAnswerLost?.({ key, attempt, usableUntil })),
  );
});

/** Somebody signed out, or in, while the tokens were under way: nobody will use these. */
const revokeOrphan = ({ client }: SessionState, tokens: TokenSet): Effect.Effect<void> =>
  Effect.ignore(Revocation.ifAllowed(client, tokens));

/**
 * Hands out a fresh set of tokens: from memory if it can, else by the steps of the state table.
 *
 * Callers share one look into the store and one renewal. Both run on fibers of their own, so an
 * interrupted caller strands nobody.
 */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Redacted from "effect/Redacted";
import {
  ConfigurationInvalid,
  ConsentExpired,
  ServerUnavailable,
  type SessionError,
} from "../Errors.ts";
import type { TokenSet } from "../TokenSet.ts";
import { deathOf, keepIfGood } from "./grantErrors.ts";
import { actionFor, grantState, tokenState, type Action, type TokenState } from "./grantStates.ts";
import type { StoredGrant } from "./GrantRecord.ts";
import * as GrantStore from "./GrantStore.ts";
import { endOf, isOther } from "./renewalTimes.ts";
import { renewOnce } from "./renewOnce.ts";
import { serverTime } from "./serverClock.ts";
import { isRenewable, timesOf, warn, type SessionState } from "./SessionState.ts";

const FIRST_POLL_MILLIS = 40;
const MAX_POLL_MILLIS = 1_000;
/** A token that is good but not fresh is returned without another read for this long. */
const RECHECK_MILLIS = 1_000;
/** Pause between background renewals that fail before the server was reached. */
const BACKGROUND_RETRY_MILLIS = 30_000;

/** Returns tokens that are good now, with another access token than `refused`. */
export const freshTokens = (
  state: SessionState,
  refused?: Redacted.Redacted,
): Effect.Effect<TokenSet, SessionError> =>
  Effect.clockWith((clock) => {
    const tokens = remembered(state, clock.currentTimeMillisUnsafe(), refused);
    if (tokens) return Effect.succeed(tokens);
    const next = advanceShared(state, refused);
    if (!refused) return next;
    // The step that was under way may have been one that still trusted the refused token.
    return Effect.flatMap(next, (set) =>
      isOther(set, refused) ? Effect.succeed(set) : advanceShared(state, refused),
    );
  });

/** The token in memory, if it needs no look into the store. */
const remembered = (
  state: SessionState,
  now: number,
  refused: Redacted.Redacted | undefined,
): TokenSet | undefined => {
  const { known, knownAt, unsaved } = state.grant;
  const tokens = known?.record.tokens;
  if (!known || !tokens || unsaved || !isOther(tokens, refused)) return undefined;
  const left = endOf(tokens) - serverTime(state.client, tokens, now);
  const { renewFrom, waitFrom } = timesOf(state, known);
  const { intent } = known.record;
  if (!intent && left > 0 && (left > renewFrom || !isRenewable(state, tokens))) return tokens;
  const isRecent = now >= knownAt && now - knownAt < RECHECK_MILLIS;
  return isRecent && (intent ? left > 0 : left > waitFrom && now < state.backgroundFrom)
    ? tokens
    : undefined;
};

const advanceShared = (
  state: SessionState,
  refused: Redacted.Redacted | undefined,
): Effect.Effect<TokenSet, SessionError> =>
  Effect.withFiber(({ context }) => {
    if (state.reading) return Fiber.join(state.reading);
    const fiber = Effect.runForkWith(context)(advance(state, refused));
    state.reading = fiber;
    fiber.addObserver(() => {
      state.reading = undefined;
    });
    return Fiber.join(fiber);
  });

/** Reads the store and takes the steps of the state table until there is a token. */
const advance = /*#__PURE__*/ Effect.fnUntraced(function* (
  state: SessionState,
  refused: Redacted.Redacted | undefined,
): Effect.fn.Return<TokenSet, SessionError> {
  const { grant } = state;
  let poll = FIRST_POLL_MILLIS;
  while (true) {
    const current = yield* GrantStore.read(grant);
    if (grant.unsaved && grant.unsaved.expected === current.version) {
      yield* GrantStore.saveUnsaved(grant);
      continue;
    }
    grant.unsaved = undefined;
    const next = yield* step(state, current, refused);
    if (next === "wait") {
      yield* Effect.sleep(poll);
      poll = Math.min(poll * 1.5, MAX_POLL_MILLIS);
    } else if (next) return next;
  }
});

interface Seen {
  /** The OAuth server's clock. */
  readonly now: number;
  /** Whether a server refused the access token that is stored. */
  readonly isRefused: boolean;
  readonly token: TokenState;
}

/** Takes one step of the state table. `undefined`: read again. */
const step = /*#__PURE__*/ Effect.fnUntraced(function* (
  state: SessionState,
  current: GrantStore.Read,
  refused: Redacted.Redacted | undefined,
): Effect.fn.Return<TokenSet | "wait" | undefined, SessionError> {
  const { found } = current;
  const localNow = yield* Clock.currentTimeMillis;
  const tokens = found?.record.tokens;
  const now = serverTime(state.client, tokens, localNow);
  const isRefused = tokens !== undefined && !isOther(tokens, refused);
  const token = tokenState(tokens, { now, isRefused });
  const renew = (attempt: number) =>
    keepIfGood(renewShared(state, current, attempt), token, tokens);
  if (!state.source.isSingleUse)
    return token === "good" && tokens && !isEnding(state, found, now) ? tokens : yield* renew(1);
  const action = actionOf(state, found, { now, isRefused, token });
  // Without a record nobody has signed in: `deathOf` knows.
  if (action === "failDead" || !found || !tokens) return yield* deathOf(found?.record);
  if (action === "use") return tokens;
  if (action === "wait") return action;
  if (action === "endGrant") return void (yield* endGrant(state, found));
  if (!tokens.refreshToken) return yield* new ConsentExpired();
  const wait = (found.record.notBefore ?? 0) - found.storeNow;
  if (action === "useAndRenew") {
    if (wait <= 0) yield* renewInBackground(state, current, localNow);
    return tokens;
  }
  if (wait > 0) return yield* waitForServer(tokens, token, wait);
  return yield* renew(action === "resend" ? sendsOf(found) + 1 : 1);
});

/** How often the refresh token of a lost response was sent. */
const sendsOf = ({ record }: StoredGrant): number => record.intent?.attempt ?? 1;

/** The cell of the state table in which a grant stands. */
const actionOf = (
  state: SessionState,
  found: StoredGrant | undefined,
  { isRefused, now, token }: Seen,
): Action => {
  const name = grantState(found?.record, {
    now,
    storeNow: found?.storeNow ?? now,
    isRefused,
    isRenewable: isRenewable(state, found?.record.tokens),
    times: found ? timesOf(state, found) : { renewFrom: 0, waitFrom: 0 },
  });
  return actionFor(name, token, state.options.onLostAnswer ?? "resend");
};

/** The server asked for a pause: the token while it is good, else the time that is left. */
const waitForServer = (
  tokens: TokenSet,
  token: TokenState,
  wait: number,
): Effect.Effect<TokenSet, SessionError> =>
  token === "good"
    ? Effect.succeed(tokens)
    : Effect.fail(new ServerUnavailable({ status: 503, retryAfter: Duration.millis(wait) }));

/** Replaces a grant whose response was lost by a tombstone, under the policy `signIn`. */
const endGrant = ({ grant }: SessionState, { record, storeNow, version }: StoredGrant) =>
  GrantStore.write(grant, version, {
    v: 2,
    dead: {
      at: storeNow,
      status: 400,
      lostAnswer: true,
      hasConsentEnded: false,
      ...(record.intent && { intent: record.intent.id }),
    },
  });

const isEnding = (state: SessionState, found: StoredGrant | undefined, now: number): boolean =>
  found !== undefined && endOf(found.record.tokens) - now <= timesOf(state, found).waitFrom;

const renewShared = (
  state: SessionState,
  from: GrantStore.Read,
  attempt: number,
): Effect.Effect<TokenSet | undefined, SessionError> =>
  Effect.withFiber(({ context }) => {
    if (state.isClosed)
      return new ConfigurationInvalid({ option: "session", reason: "it has been closed" });
    if (state.renewal) return Fiber.join(state.renewal);
    const fiber = renewOnce(state, from, attempt).pipe(
      Effect.withSpan("Session.renew"),
      Effect.runForkWith(context),
    );
    state.renewal = fiber;
    fiber.addObserver(() => {
      state.renewal = undefined;
    });
    return Fiber.join(fiber);
  });

/** Renews beside the caller, at most once in `BACKGROUND_RETRY_MILLIS`. */
const renewInBackground = (
  state: SessionState,
  from: GrantStore.Read,
  now: number,
): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    if (now < state.backgroundFrom || state.isClosed) return Effect.void;
    state.backgroundFrom = now + BACKGROUND_RETRY_MILLIS;
    const fiber = Effect.runForkWith(context)(
      renewShared(state, from, 1).pipe(
        Effect.catch((error) =>
          warn(state.options, `Renewing a token in the background failed: ${error.message}`),
        ),
      ),
    );
    state.options.waitUntil?.(Effect.runPromise(Effect.asVoid(Fiber.await(fiber))));
    return Effect.void;
  });

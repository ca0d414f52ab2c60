/** Returns usable tokens: from memory, from the store, or renewed. */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Redacted from "effect/Redacted";
import { ConfigurationInvalid, ServerUnavailable, type SessionError } from "../Errors.ts";
import { expiry, isOther, type TokenSet } from "../TokenSet.ts";
import { endedGrant, nextStep } from "./Grant.ts";
import { renew, type TokenSource } from "./renew.ts";
import * as StoredGrant from "./StoredGrant.ts";

export interface SessionState {
  /** Milliseconds before its expiry at which a token is renewed, if the program chose them. */
  readonly refreshBefore: number | undefined;
  readonly onLostAnswer: "resend" | "signIn";
  readonly waitUntil: ((renewal: Promise<unknown>) => void) | undefined;
  readonly source: TokenSource;
  readonly stored: StoredGrant.StoredGrant;
  /** The fiber that obtains tokens for all current callers. */
  current: Fiber.Fiber<TokenSet, SessionError> | undefined;
  /** Until this time a usable token is returned from memory and not renewed. */
  useMemoryUntil: number;
  /** Nothing is sent before this time (`Retry-After`). */
  pausedUntil: number;
  isClosed: boolean;
}

/** Returns usable tokens, from memory if possible, and renews them in the background near their end. */
export const freshTokens = Effect.fnUntraced(function* (
  state: SessionState,
  refused?: Redacted.Redacted,
): Effect.fn.Return<TokenSet, SessionError> {
  const now = yield* Clock.currentTimeMillis;
  const obtain = () => joinRenewal(state, resolveTokens(state, { refused }));
  let tokens = remembered(state, now, refused) ?? (yield* obtain());
  // The renewal that was joined may have started before the token was refused.
  if (!isOther(tokens, refused)) tokens = yield* obtain();
  const left = expiry(tokens) - now;
  // A token without time left is not renewed ahead, or each of its callers would send a refresh.
  const isNear = left > 0 && left < renewalTimes(state, tokens).renewFrom;
  if (tokens.refreshToken && isNear && now >= state.useMemoryUntil) yield* renewInBackground(state);
  return tokens;
});

/** Returns the tokens in memory, or `undefined` if the store has to be read. */
const remembered = (state: SessionState, now: number, refused?: Redacted.Redacted) => {
  const { known, unfinished } = state.stored;
  const tokens = known?.tokens;
  if (!tokens || unfinished || !isOther(tokens, refused)) return undefined;
  const left = expiry(tokens) - now;
  const isEnough = left > renewalTimes(state, tokens).waitFrom || !isRenewable(state, tokens);
  return left > 0 && (isEnough || now < state.useMemoryUntil) ? tokens : undefined;
};

export const isRenewable = ({ source }: SessionState, { refreshToken }: TokenSet) =>
  source.type === "client_credentials" || refreshToken !== undefined;

interface Demand {
  /** The access token that a server refused. */
  readonly refused?: Redacted.Redacted | undefined;
  /** Renews earlier, because no caller waits for the result. */
  readonly isBackground?: boolean;
}

const FIRST_POLL_MILLIS = 40;
const MAX_POLL_MILLIS = 1_000;
/** A grant that another process renews is read at most once a second. */
const READ_INTERVAL_MILLIS = 1_000;

/** Follows the steps of the grant until there are tokens. */
export const resolveTokens = Effect.fnUntraced(function* (
  state: SessionState,
  demand: Demand,
  source: TokenSource = state.source,
): Effect.fn.Return<TokenSet, SessionError> {
  const { onLostAnswer, stored } = state;
  const { isBackground = false, refused } = demand;
  let poll = FIRST_POLL_MILLIS;
  let waited = 0;
  while (true) {
    const reading = yield* StoredGrant.read(stored);
    const { grant, storeNow, version } = reading;
    const now = yield* Clock.currentTimeMillis;
    const { renewFrom, waitFrom } = renewalTimes(state, grant?.tokens);
    const renewBefore = isBackground ? renewFrom : waitFrom;
    const at = { now, storeNow, waited, refused, renewBefore, onLostAnswer };
    const step = nextStep(source.type, grant, at);
    switch (step._tag) {
      case "Use":
        if (grant?.intent) state.useMemoryUntil = now + READ_INTERVAL_MILLIS;
        return step.tokens;
      case "Fail":
        return yield* step.error;
      case "Wait":
        if (state.isClosed) return yield* closedError();
        yield* Effect.sleep(poll);
        waited += poll;
        poll = Math.min(poll * 1.5, MAX_POLL_MILLIS);
        break;
      case "End": {
        const ended = { reason: "lostAnswer", status: 400, intent: version! } as const;
        yield* StoredGrant.write(stored, version, endedGrant(ended));
        break;
      }
      case "Renew": {
        const tokens = yield* renewOrUse(state, source, reading, step);
        // Without tokens, another process was faster, so its record is read.
        if (tokens) return tokens;
      }
    }
  }
});

const closedError = () =>
  new ConfigurationInvalid({ option: "session", reason: "is closed: make a new one" });

/** Failures that do not end the access token, which is used until it expires. */
const UNDECIDED = new Set<SessionError["_tag"]>([
  "ServerUnavailable",
  "OAuthTransportError",
  "OAuthResponseMalformed",
  "UnexpectedRedirect",
  "ConsentExpired",
]);

/**
 * Renews the token. Falls back to `usable`, a token that has not expired, if the server did not
 * decide.
 */
const renewOrUse = Effect.fnUntraced(function* (
  state: SessionState,
  source: TokenSource,
  reading: StoredGrant.Reading,
  { attempt, usable }: { readonly attempt: number; readonly usable?: TokenSet | undefined },
): Effect.fn.Return<TokenSet | undefined, SessionError> {
  if (state.isClosed) return yield* closedError();
  const now = yield* Clock.currentTimeMillis;
  const pause = state.pausedUntil - now;
  const renewal =
    pause > 0
      ? Effect.fail(new ServerUnavailable({ status: 503, retryAfter: Duration.millis(pause) }))
      : renew(source, state.stored, reading, attempt).pipe(
          Effect.tapError((error) => Effect.sync(() => pauseAfter(state, error, now))),
        );
  if (!usable) return yield* renewal;
  return yield* Effect.catchIf(
    renewal,
    ({ _tag }) => UNDECIDED.has(_tag),
    () => Effect.succeed(usable),
  );
});

/** Time after a failed renewal in which a usable token is not renewed again. */
const RETRY_MILLIS = 30_000;
const MAX_PAUSE_MILLIS = 3_600_000;

const pauseAfter = (state: SessionState, error: SessionError, now: number) => {
  const { retryAfter = Duration.zero } = error._tag === "ServerUnavailable" ? error : {};
  state.pausedUntil = now + Math.min(Duration.toMillis(retryAfter), MAX_PAUSE_MILLIS);
  state.useMemoryUntil = Math.max(state.pausedUntil, now + RETRY_MILLIS);
};

/** Starts a renewal for which the caller does not wait. */
const renewInBackground = Effect.fnUntraced(function* (state: SessionState) {
  if (state.isClosed || state.current) return;
  const renewal = resolveTokens(state, { isBackground: true }).pipe(
    Effect.tapError(({ message }) =>
      state.isClosed
        ? Effect.void
        : Effect.logWarning(`Renewing a token in the background failed: ${message}`),
    ),
  );
  const fiber = yield* startRenewal(state, renewal);
  state.waitUntil?.(Effect.runPromise(Effect.asVoid(Fiber.await(fiber))));
});

/**
 * Returns the fiber of the current renewal, or starts `work` as the renewal. It has a fiber of its
 * own, so an interrupted caller leaves no other caller waiting.
 */
const startRenewal = (state: SessionState, work: Effect.Effect<TokenSet, SessionError>) =>
  // One synchronous step, so that two callers never start a renewal each.
  Effect.withFiber<Fiber.Fiber<TokenSet, SessionError>>(({ context }) => {
    if (state.current) return Effect.succeed(state.current);
    const fiber = Effect.runForkWith(context)(work);
    state.current = fiber;
    fiber.addObserver(() => {
      state.current = undefined;
    });
    return Effect.succeed(fiber);
  });

/** Joins the current renewal, or starts `work` as the renewal. */
export const joinRenewal = (state: SessionState, work: Effect.Effect<TokenSet, SessionError>) =>
  Effect.flatMap(startRenewal(state, work), Fiber.join);

/** Waits for the current renewal, whether it succeeds or fails. */
export const awaitRenewal = (state: SessionState): Effect.Effect<void> =>
  Effect.suspend(() => (state.current ? Effect.asVoid(Fiber.await(state.current)) : Effect.void));

const MAX_RENEW_FROM_MILLIS = 3 * 86_400_000;
const MAX_WAIT_FROM_MILLIS = 60_000;

/** Returns how many milliseconds before expiry a token is renewed, and callers wait for it. */
export const renewalTimes = ({ refreshBefore }: SessionState, tokens: TokenSet | undefined) => {
  if (!tokens || expiry(tokens) === Infinity) return { renewFrom: 0, waitFrom: 0 };
  const life = expiry(tokens) - tokens.issuedAt;
  const renewFrom = refreshBefore
    ? Math.min(life / 2, refreshBefore)
    : Math.min(life / 10, MAX_RENEW_FROM_MILLIS);
  return { renewFrom, waitFrom: Math.min(MAX_WAIT_FROM_MILLIS, renewFrom / 2) };
};

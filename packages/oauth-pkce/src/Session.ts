/**
 * Hands a fresh access token to any number of callers, over any number of servers on one store.
 *
 * - In one process one renewal runs at a time, on a fiber of its own, so an interrupted caller
 *   strands nobody.
 * - Across processes the intent to use a refresh token is written to the store, by compare-and-set,
 *   before the token is sent. One writer wins; the others see the intent and send nothing.
 * - The store is written before anybody sees a new token. If that fails, callers fail, and the next
 *   call saves the same token instead of using another refresh token.
 * - If the response to a refresh is lost, the access token is used to its very end. After it,
 *   `onLostAnswer` decides: `"resend"` sends the refresh token once more, `"signIn"` never does.
 *
 * Limit: if the process is killed between the server's rotation and the write of the new tokens, or
 * their response is lost, those tokens are gone and the user has to sign in again, at the end of
 * the access token. No client can close that gap.
 *
 * @example
 * ```ts
 * import { OAuthClient, Session, TokenSet } from "@game-data/oauth-pkce";
 * import { Effect } from "effect";
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* OAuthClient.publicClient({
 *     authUrl: "https://auth.example.com",
 *     clientId: "my-program",
 *     redirectUri: "http://127.0.0.1/callback",
 *   });
 *   const session = Session.forUser(client);
 *   yield* session.signIn(TokenSet.fromRefreshToken({ refreshToken: "from elsewhere" }));
 *   return yield* session.status;
 * });
 * const status = await Effect.runPromise(program);
 * if (status._tag !== "Due") throw new Error("a migrated token is refreshed by its first use");
 * ```
 */
import type { Scope } from "@game-data/contract/Scope";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Metric from "effect/Metric";
import type * as Redacted from "effect/Redacted";
import * as ClientCredentials from "./ClientCredentials.ts";
import {
  ConfigurationInvalid,
  ConsentExpired,
  InvalidGrant,
  NotSignedIn,
  ServerUnavailable,
  TokenStoreFailed,
  type SessionError,
} from "./Errors.ts";
import {
  decode,
  encode,
  ofTokens,
  ttlOf,
  type GrantRecord,
  type StoredGrant,
} from "./internal/GrantRecord.ts";
import {
  actionFor,
  grantState,
  intentOutcomes,
  tokenState,
  type LostAnswerPolicy,
  type RenewalTimes,
} from "./internal/grantStates.ts";
import { answerKind, deathOf, keepIfGood } from "./internal/grantErrors.ts";
import { isTokenRejected } from "./internal/isTokenRejected.ts";
import { randomText } from "./internal/random.ts";
import { endOf, isOther, renewalTimes } from "./internal/renewalTimes.ts";
import type { ConfidentialClient, OAuthClient } from "./OAuthClient.ts";
import * as RefreshGrant from "./RefreshGrant.ts";
import * as Revocation from "./Revocation.ts";
import type { TokenSet } from "./TokenSet.ts";
import { memory, type TokenStore } from "./TokenStore.ts";

export type { LostAnswerPolicy };

/** What is known of a grant without sending a request. Times are in milliseconds since 1970. */
export type Status =
  /** The access token can be used; `usableUntil` is `Infinity` if time does not end it. */
  | { readonly _tag: "Active"; readonly usableUntil: number }
  /** The next call renews the token first. */
  | { readonly _tag: "Due" }
  /** Somebody is renewing the token. */
  | { readonly _tag: "InFlight"; readonly usableUntil: number }
  /** A response was lost: sign in again before `usableUntil`, to be safe. */
  | { readonly _tag: "AnswerLost"; readonly usableUntil: number }
  /** The grant has ended: sign in again. */
  | { readonly _tag: "Dead"; readonly lostAnswer: boolean }
  /** Nobody is signed in. */
  | { readonly _tag: "Absent" };

/** Fresh tokens for one user, or for the application itself. */
export interface Session {
  /** An access token that is good now, renewed first if need be. */
  readonly accessToken: Effect.Effect<Redacted.Redacted, SessionError>;
  /** The whole set behind `accessToken`. */
  readonly tokens: Effect.Effect<TokenSet, SessionError>;
  /**
   * Runs `f` with a fresh token. When `f` fails because the token was refused (401), the token is
   * renewed once and `f` runs once more. A 403 is not repeated: the same user's token has the same
   * scopes.
   */
  readonly withFreshToken: <A, E, R>(
    f: (accessToken: Redacted.Redacted) => Effect.Effect<A, E, R>,
    options?: {
      /** Which failures mean "token refused". Default: a tag `Unauthorized`, or an HTTP 401. */
      readonly isRefused?: (error: E) => boolean;
    },
  ) => Effect.Effect<A, E | SessionError, R>;
  /**
   * A token other than `refused`: renewed, or adopted from another server. For callers that see the
   * 401 themselves.
   */
  readonly renew: (refused: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, SessionError>;
  /**
   * Epoch milliseconds until which refreshing should work, for display: the server decides.
   * `undefined` without a refresh token, or if the end is not known.
   */
  readonly consentExpiresAt: Effect.Effect<number | undefined, SessionError>;
  /** Reads the state of the grant. Sends no request. */
  readonly status: Effect.Effect<Status, TokenStoreFailed>;
  /** Stores the tokens of a finished flow, in place of what is there. */
  readonly signIn: (tokens: TokenSet) => Effect.Effect<void, SessionError>;
  /**
   * Forgets the tokens, after `revoke` where it is given (`Revocation.using(token)` makes one).
   * They are forgotten even if revoking fails; a store that keeps them fails the sign-out.
   */
  readonly signOut: (options?: {
    readonly revoke?: (client: OAuthClient, tokens: TokenSet) => Effect.Effect<void, SessionError>;
  }) => Effect.Effect<void, SessionError>;
  /**
   * Begins no renewal any more and waits for the one in flight. Call it before the process ends: a
   * renewal that is cut off may cost the login.
   */
  readonly close: Effect.Effect<void>;
  /** Whether a renewal is in flight in this process. */
  readonly isRenewing: () => boolean;
}

/** A response to a refresh that did not arrive. */
export interface LostAnswer {
  /** The key of the grant in the store. */
  readonly key: string;
  /** How often this refresh token was sent. */
  readonly attempt: number;
  /** Milliseconds since 1970 until which the access token can be used. */
  readonly usableUntil: number;
}

/** Options of both kinds of session. */
export interface SessionOptions {
  /** Default: memory. */
  readonly store?: TokenStore;
  /** The key in the store. Default: the client id (one user per store). */
  readonly key?: string;
  /**
   * How long before its end a token is renewed in the background. Default: a tenth of its life (±
   * 10 %, at most 3 days). At most half of its life. It is the time that users have to sign in
   * again after a lost response.
   */
  readonly refreshBeforeExpiry?: Duration.Input;
  /**
   * How long before its end callers wait for the renewal. Default: 60 seconds, at most half of
   * `refreshBeforeExpiry`.
   */
  readonly waitBeforeExpiry?: Duration.Input;
  /**
   * After a refresh without a response, at the end of the access token: `"resend"` (default) sends
   * the refresh token once more, which saves logins whose request never arrived. `"signIn"` never
   * sends a refresh token twice.
   */
  readonly onLostAnswer?: LostAnswerPolicy;
  /** Called for every refresh without a response. */
  readonly onAnswerLost?: (lost: LostAnswer) => void;
  /**
   * How long after the intent was recorded the refresh token may still be sent. Default: 5 seconds.
   * A process that was paused for longer starts over.
   */
  readonly sendWithin?: Duration.Input;
  /**
   * Keeps the host alive for a background renewal, where it ends with the response (serverless).
   */
  readonly waitUntil?: (renewal: Promise<unknown>) => void;
}

/** The session of a user who signed in through `PkceFlow`; renewed with the refresh token. */
export const forUser = (client: OAuthClient, options: SessionOptions = {}): Session =>
  make(client, options, {
    isSingleUse: true,
    obtain: (stored) => (stored ? RefreshGrant.request(client, stored) : new NotSignedIn()),
  });

/**
 * The session of the application itself; obtained, and after a 401 obtained anew, by client
 * credentials. Such a request does no harm twice, so it needs no intent.
 */
export const forApplication = (
  client: ConfidentialClient,
  options: SessionOptions & { readonly scopes: ReadonlyArray<Scope> },
): Session =>
  make(client, options, {
    isSingleUse: false,
    obtain: () => ClientCredentials.request(client, options),
  });

/** Counts refreshes without a response. */
const answersLost = /*#__PURE__*/ Metric.counter("oauth_answers_lost");

interface Grant {
  readonly isSingleUse: boolean;
  readonly obtain: (stored: TokenSet | undefined) => Effect.Effect<TokenSet, SessionError>;
}

/** A read of the store, with the monotonic time from before it. */
interface Read {
  readonly found: StoredGrant | undefined;
  readonly startedAt: bigint;
}

const FIRST_POLL_MILLIS = 40;
const MAX_POLL_MILLIS = 1_000;
/** A token that is good but not fresh is returned without another read for this long. */
const RECHECK_MILLIS = 1_000;
/** Pause between background renewals that fail before the server was reached. */
const BACKGROUND_RETRY_MILLIS = 30_000;
const MAX_NOT_BEFORE_MILLIS = 3_600_000;

const make = (client: OAuthClient, options: SessionOptions, grant: Grant): Session => {
  const { store = memory(), key = client.clientId, onLostAnswer = "resend" } = options;
  const marginMillis = Duration.toMillis(options.sendWithin ?? "5 seconds");
  const patience = marginMillis + Duration.toMillis(client.timeout);
  /** The last record seen in the store: saves a read per call. */
  let known: StoredGrant | undefined;
  let knownAt = -Infinity;
  /** Tokens that the store would not take, and the version that they replace. */
  let unsaved:
    | { readonly expected: string | undefined; readonly version: string; readonly tokens: TokenSet }
    | undefined;
  /** Intents of ours that are in the store, perhaps, and were certainly not sent. */
  const unsent = new Set<string>();
  let reading: Fiber.Fiber<TokenSet, SessionError> | undefined;
  let renewal: Fiber.Fiber<TokenSet | undefined, SessionError> | undefined;
  let backgroundFrom = -Infinity;
  let isClosed = false;

  const timesOf = ({ entry, record }: StoredGrant): RenewalTimes =>
    renewalTimes(record.tokens, entry.version, options);

  const read: Effect.Effect<Read, TokenStoreFailed> = Effect.gen(function* () {
    const startedAt = yield* Clock.monotonicTimeNanos;
    const entry = yield* store.read(key);
    knownAt = yield* Clock.currentTimeMillis;
    if (entry === undefined) {
      known = undefined;
      return { found: undefined, startedAt };
    }
    const record = decode(entry.text);
    if (record === undefined)
      return yield* new TokenStoreFailed({
        operation: "read",
        reason: "the entry is unreadable",
      });
    // An intent of ours that certainly was not sent is none.
    const { intent, ...rest } = record;
    known = { entry, record: intent && unsent.has(entry.version) ? rest : record };
    return { found: known, startedAt };
  });

  const write = Effect.fnUntraced(function* (expected: string | undefined, record: GrantRecord) {
    const version = yield* randomText;
    const now = yield* Clock.currentTimeMillis;
    const text = encode(record);
    const isWritten = yield* store.write(key, expected, {
      version,
      text,
      ttl: ttlOf(record, now),
    });
    if (isWritten) {
      known = { entry: { version, text, now: known?.entry.now ?? now }, record };
      knownAt = now;
    }
    return isWritten;
  });

  /**
   * Writes tokens that nobody else has; once more after a failure, which may have been a success.
   */
  const commit = Effect.fnUntraced(function* (expected: string | undefined, tokens: TokenSet) {
    const version = yield* randomText;
    unsaved = { expected, version, tokens };
    return yield* saveUnsaved.pipe(Effect.catch(() => saveUnsaved));
  });

  /**
   * Returns whether the store holds the tokens now. If not, somebody signed in or out meanwhile.
   */
  const saveUnsaved = Effect.suspend(() => {
    if (unsaved === undefined) return Effect.succeed(false);
    const { expected, tokens, version } = unsaved;
    const record = ofTokens(tokens);
    const text = encode(record);
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis;
      const next = { version, text, ttl: ttlOf(record, now) };
      let isSaved = yield* store.write(key, expected, next);
      if (!isSaved) {
        const entry = yield* store.read(key);
        isSaved = entry?.version === version;
        // Another server took our silence for a loss and ended the grant: we were only slow.
        const dead = entry && decode(entry.text)?.dead;
        if (entry && dead?.lostAnswer && expected !== undefined && dead.intent === expected)
          isSaved = yield* store.write(key, entry.version, next);
      }
      unsaved = undefined;
      if (isSaved) {
        known = { entry: { version, text, now }, record };
        knownAt = now;
      }
      return isSaved;
    });
  });

  /** The renewal: intent, send, commit. `undefined` if another writer was faster. */
  const renewOnce = Effect.fnUntraced(function* (
    { found, startedAt }: Read,
    attempt: number,
  ): Effect.fn.Return<TokenSet | undefined, SessionError> {
    const tokens = found?.record.tokens;
    const { isSingleUse } = grant;
    let version = found?.entry.version;
    if (isSingleUse && found) {
      const id = yield* randomText;
      const intent = { id, at: found.entry.now, patience, attempt };
      const text = encode({ ...found.record, intent });
      const ttl = ttlOf(found.record, found.entry.now);
      const isWritten = yield* store.write(key, version, { version: id, text, ttl }).pipe(
        // It may have been written all the same.
        Effect.tapError(() => Effect.sync(() => unsent.add(id))),
      );
      if (!isWritten) return undefined;
      version = id;
      const elapsed = Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6;
      if (elapsed > marginMillis) {
        unsent.add(id);
        yield* write(id, found.record);
        unsent.delete(id);
        return undefined;
      }
    }
    const outcome = yield* Effect.result(grant.obtain(tokens));
    if (outcome._tag === "Success") {
      const next = outcome.success;
      if (yield* commit(version, next)) return next;
      yield* revokeOrphan(next);
      return undefined;
    }
    const error = outcome.failure;
    if (isSingleUse && found && version !== undefined) {
      // If the store fails here, the intent stays open and counts as lost in time: nothing is sent
      // too often because of it.
      const isOurs = yield* settleIntent({ found, version, attempt, error }).pipe(
        Effect.catch(() => Effect.succeed(true)),
      );
      if (!isOurs) return undefined;
    }
    return yield* error._tag === "InvalidGrant" && attempt > 1
      ? new InvalidGrant({
          error: error.error,
          status: error.status,
          ...(error.description !== undefined && { description: error.description }),
          lostAnswer: true,
        })
      : error;
  });

  /**
   * Writes into the record what a failed refresh means for the refresh token. Returns `false` if
   * somebody has signed in or out meanwhile.
   */
  const settleIntent = Effect.fnUntraced(function* ({
    attempt,
    error,
    found,
    version,
  }: {
    readonly found: StoredGrant;
    readonly version: string;
    readonly attempt: number;
    readonly error: SessionError;
  }) {
    const { entry, record } = found;
    const outcome = intentOutcomes[answerKind(error)];
    if (outcome === "bury") {
      const dead = {
        at: entry.now,
        status: error._tag === "InvalidGrant" ? error.status : 400,
        lostAnswer: error._tag === "InvalidGrant" && attempt > 1,
        hasConsentEnded: error._tag === "ConsentExpired",
        intent: version,
      };
      return yield* write(version, { v: 2, dead });
    }
    if (outcome === "undo") {
      const { notBefore: _, ...before } = record;
      const wait =
        error._tag === "ServerUnavailable" && error.retryAfter
          ? Math.min(Duration.toMillis(error.retryAfter), MAX_NOT_BEFORE_MILLIS)
          : 0;
      unsent.add(version);
      const isOurs = yield* write(version, {
        ...before,
        ...(wait > 0 && { notBefore: entry.now + wait }),
      });
      unsent.delete(version);
      return isOurs;
    }
    yield* reportLostAnswer(attempt, endOf(record.tokens));
    const intent = { id: version, at: entry.now, patience, attempt, isClosed: true };
    return yield* write(version, { ...record, intent });
  });

  const reportLostAnswer = Effect.fnUntraced(function* (attempt: number, usableUntil: number) {
    yield* Metric.update(answersLost, 1);
    yield* Effect.annotateCurrentSpan({ "oauth.answer_lost": true, "oauth.attempt": attempt });
    yield* Effect.logWarning("The response to a token refresh was lost").pipe(
      Effect.annotateLogs({ attempt }),
    );
    // The caller's function may throw; the renewal goes on.
    yield* Effect.ignoreCause(
      Effect.sync(() => options.onAnswerLost?.({ key, attempt, usableUntil })),
    );
  });

  /** Somebody signed out, or in, while the tokens were under way: nobody will use these. */
  const revokeOrphan = (tokens: TokenSet): Effect.Effect<void> =>
    tokens.scopes.includes("oauth:revoke")
      ? Effect.ignore(Revocation.using(tokens.accessToken)(client, tokens))
      : Effect.void;

  const renewShared = (from: Read, attempt: number) =>
    Effect.withFiber(({ context }) => {
      if (isClosed)
        return new ConfigurationInvalid({ option: "session", reason: "it has been closed" });
      if (!renewal || renewal.pollUnsafe())
        renewal = renewOnce(from, attempt).pipe(
          Effect.withSpan("Session.renew"),
          Effect.runForkWith(context),
        );
      return Fiber.join(renewal);
    });

  /** Reads the store and takes the steps of the state table until there is a token. */
  const advance = Effect.fnUntraced(function* (
    refused: Redacted.Redacted | undefined,
  ): Effect.fn.Return<TokenSet, SessionError> {
    let poll = FIRST_POLL_MILLIS;
    while (true) {
      const current = yield* read;
      const { found } = current;
      if (unsaved && unsaved.expected === found?.entry.version) {
        yield* saveUnsaved;
        continue;
      }
      unsaved = undefined;
      const now = yield* Clock.currentTimeMillis;
      const tokens = found?.record.tokens;
      const isRefused = tokens !== undefined && !isOther(tokens, refused);
      const token = tokenState(tokens, { now, isRefused });
      if (!grant.isSingleUse) {
        if (token === "good" && tokens && !isEnding(found, now)) return tokens;
        const next = yield* keepIfGood(renewShared(current, 1), token, tokens);
        if (next) return next;
        continue;
      }
      const state = grantState(found?.record, {
        now,
        storeNow: found?.entry.now ?? now,
        isRefused,
        isRenewable: isRenewable(tokens),
        times: found ? timesOf(found) : { renewFrom: 0, waitFrom: 0 },
      });
      const action = actionFor(state, token, onLostAnswer);
      if (action === "failNotSignedIn") return yield* new NotSignedIn();
      if (action === "failDead" || !found || !tokens) return yield* deathOf(found?.record);
      if (action === "use") return tokens;
      if (action === "wait") {
        yield* Effect.sleep(poll);
        poll = Math.min(poll * 1.5, MAX_POLL_MILLIS);
        continue;
      }
      if (action === "endGrant") {
        const dead = {
          at: found.entry.now,
          status: 400,
          lostAnswer: true,
          hasConsentEnded: false,
          ...(found.record.intent && { intent: found.record.intent.id }),
        };
        yield* write(found.entry.version, { v: 2, dead });
        continue;
      }
      if (!tokens.refreshToken) return yield* new ConsentExpired();
      const wait = (found.record.notBefore ?? 0) - found.entry.now;
      if (action === "useAndRenew") {
        if (wait <= 0 && now >= backgroundFrom && !isClosed) {
          backgroundFrom = now + BACKGROUND_RETRY_MILLIS;
          yield* renewInBackground(current);
        }
        return tokens;
      }
      if (wait > 0) {
        if (token === "good") return tokens;
        const retryAfter = Duration.millis(wait);
        return yield* new ServerUnavailable({ status: 503, retryAfter });
      }
      const attempt = action === "resend" ? (found.record.intent?.attempt ?? 1) + 1 : 1;
      const next = yield* keepIfGood(renewShared(current, attempt), token, tokens);
      if (next) return next;
    }
  });

  const renewInBackground = (current: Read) =>
    Effect.withFiber(({ context }) => {
      const fiber = Effect.runForkWith(context)(
        renewShared(current, 1).pipe(
          Effect.catch((error) =>
            Effect.logWarning("Renewing a token in the background failed", error.message),
          ),
        ),
      );
      options.waitUntil?.(Effect.runPromise(Effect.asVoid(Fiber.await(fiber))));
      return Effect.void;
    });

  const isEnding = (found: StoredGrant | undefined, now: number) =>
    found !== undefined && endOf(found.record.tokens) - now <= timesOf(found).waitFrom;

  const advanceShared = (refused?: Redacted.Redacted): Effect.Effect<TokenSet, SessionError> =>
    Effect.withFiber(({ context }) => {
      if (!reading || reading.pollUnsafe()) reading = Effect.runForkWith(context)(advance(refused));
      return Fiber.join(reading);
    });

  const isRenewable = (tokens: TokenSet | undefined) =>
    !grant.isSingleUse || tokens?.refreshToken !== undefined;

  /** The token in memory, if it needs no look into the store. */
  const remembered = (now: number, refused: Redacted.Redacted | undefined) => {
    const tokens = known?.record.tokens;
    if (!known || !tokens || unsaved || !isOther(tokens, refused)) return undefined;
    const left = endOf(tokens) - now;
    const { renewFrom, waitFrom } = timesOf(known);
    const { intent } = known.record;
    if (!intent && left > 0 && (left > renewFrom || !isRenewable(tokens))) return tokens;
    const isRecent = now >= knownAt && now - knownAt < RECHECK_MILLIS;
    return isRecent && (intent ? left > 0 : left > waitFrom && now < backgroundFrom)
      ? tokens
      : undefined;
  };

  const fresh = Effect.fnUntraced(function* (
    refused?: Redacted.Redacted,
  ): Effect.fn.Return<TokenSet, SessionError> {
    const now = yield* Clock.currentTimeMillis;
    const tokens = remembered(now, refused);
    if (tokens) return tokens;
    const next = yield* advanceShared(refused);
    // The step that was under way may have been one that still trusted the refused token.
    return isOther(next, refused) ? next : yield* advanceShared(refused);
  });

  const accessToken = (refused?: Redacted.Redacted) =>
    Effect.map(fresh(refused), (set) => set.accessToken);

  /** Removes the entry, whatever it is by now. */
  const remove: Effect.Effect<void, TokenStoreFailed> = Effect.gen(function* () {
    for (let tries = 0; tries < 10; tries++) {
      const entry = yield* store.read(key);
      known = undefined;
      if (!entry || (yield* store.write(key, entry.version, undefined))) return;
    }
    return yield* keepsChanging;
  });

  const settled: Effect.Effect<void> = Effect.suspend(() =>
    renewal ? Effect.asVoid(Fiber.await(renewal)) : Effect.void,
  );

  return {
    tokens: fresh(),
    accessToken: accessToken(),
    withFreshToken: (f, { isRefused = isTokenRejected } = {}) =>
      Effect.flatMap(accessToken(), (token) =>
        Effect.catchIf(f(token), isRefused, () => Effect.flatMap(accessToken(token), f)),
      ),
    renew: accessToken,
    consentExpiresAt: Effect.gen(function* () {
      const { found } = yield* read;
      const tokens = found?.record.tokens;
      return tokens ? tokens.consentExpiresAt : yield* deathOf(found?.record);
    }),
    status: Effect.gen(function* () {
      const { found } = yield* read;
      if (!found) return { _tag: "Absent" };
      const { dead, tokens } = found.record;
      const usableUntil = endOf(tokens);
      const state = grantState(found.record, {
        now: yield* Clock.currentTimeMillis,
        storeNow: found.entry.now,
        isRefused: false,
        isRenewable: isRenewable(tokens),
        times: timesOf(found),
      });
      return {
        absent: { _tag: "Absent" },
        fresh: { _tag: "Active", usableUntil },
        soon: { _tag: "Active", usableUntil },
        due: { _tag: "Due" },
        inFlight: { _tag: "InFlight", usableUntil },
        lost: { _tag: "AnswerLost", usableUntil },
        dead: { _tag: "Dead", lostAnswer: dead?.lostAnswer ?? false },
      }[state] as Status;
    }),
    signIn: (next) =>
      Effect.gen(function* () {
        for (let tries = 0; tries < 10; tries++) {
          const entry = yield* store.read(key);
          if (yield* write(entry?.version, ofTokens(next))) {
            unsaved = undefined;
            backgroundFrom = -Infinity;
            return;
          }
        }
        return yield* keepsChanging;
      }),
    signOut: ({ revoke } = {}) =>
      Effect.gen(function* () {
        // A renewal in flight ends first, so that its tokens are revoked too.
        yield* settled;
        // An entry that cannot be read is removed all the same.
        const tokens = yield* Effect.match(read, {
          onSuccess: ({ found }) => found?.record.tokens,
          onFailure: () => undefined,
        });
        unsaved = undefined;
        yield* Effect.onExit(revoke && tokens ? revoke(client, tokens) : Effect.void, () => remove);
      }),
    close: Effect.suspend(() => {
      isClosed = true;
      return settled;
    }),
    isRenewing: () => renewal !== undefined && renewal.pollUnsafe() === undefined,
  };
};

const keepsChanging = /*#__PURE__*/ Effect.suspend(() =>
  Effect.fail(new TokenStoreFailed({ operation: "write", reason: "the entry keeps changing" })),
);

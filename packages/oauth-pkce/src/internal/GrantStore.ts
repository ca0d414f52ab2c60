/**
 * The record of one grant in its token store, as this process knows it.
 *
 * It remembers the last record, so that a fresh token costs no read, and two things that the store
 * may not know: tokens that it would not take, and intents that were certainly not sent.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import type { Entry, TokenStore } from "../Model.ts";
import type { TokenSet } from "../TokenSet.ts";
import {
  decode,
  encode,
  ofTokens,
  ttlOf,
  type GrantRecord,
  type StoredGrant,
} from "./GrantRecord.ts";
import { randomText } from "./random.ts";

/** The record of one grant, and what this process remembers of it. */
export interface GrantStore {
  readonly store: TokenStore;
  readonly key: string;
  /** The last record that was read or written. */
  known: StoredGrant | undefined;
  /** This machine's clock at that time. */
  knownAt: number;
  /** Tokens that nobody else has, and the version that they replace. */
  unsaved:
    | { readonly expected: string | undefined; readonly version: string; readonly tokens: TokenSet }
    | undefined;
  /** Versions of our intents that are in the store, perhaps, and were certainly not sent. */
  unsent: ReadonlySet<string>;
}

/** A read of the store. */
export interface Read {
  readonly found: StoredGrant | undefined;
  /** The entry's version, also of one that does not open: it counts as absent. */
  readonly version: string | undefined;
  /** Monotonic time from before it, in nanoseconds. */
  readonly startedAt: bigint;
}

const NONE: ReadonlySet<string> = /*#__PURE__*/ new Set<string>();

/** Makes the state of a grant that has not been read yet. */
export const make = (store: TokenStore, key: string): GrantStore => ({
  store,
  key,
  known: undefined,
  knownAt: -Infinity,
  unsaved: undefined,
  unsent: NONE,
});

/** Reads the record. */
export const read = (grant: GrantStore): Effect.Effect<Read, TokenStoreFailed> =>
  Effect.clockWith((clock) => {
    const startedAt = clock.monotonicTimeNanosUnsafe();
    return Effect.flatMap(
      grant.store.read(grant.key),
      (entry): Effect.Effect<Read, TokenStoreFailed> => {
        const record = entry && decode(entry.text);
        // A sealed store reads what does not open as the text "".
        if (entry && !record && entry.text !== "")
          return new TokenStoreFailed({ operation: "read", reason: "the entry is unreadable" });
        const found = entry && record && toStoredGrant(grant, entry, record);
        grant.known = found;
        grant.knownAt = clock.currentTimeMillisUnsafe();
        return Effect.succeed({ found, version: entry?.version, startedAt });
      },
    );
  });

/** An intent of ours that certainly was not sent counts as none. */
const toStoredGrant = (
  { unsent }: GrantStore,
  { now, version }: Entry,
  { intent, ...rest }: GrantRecord,
): StoredGrant => {
  const isOpen = intent !== undefined && !unsent.has(version);
  return { version, storeNow: now, record: isOpen ? { ...rest, intent } : rest };
};

/** Writes a record if the version is still `expected`. */
export const write = /*#__PURE__*/ Effect.fnUntraced(function* (
  grant: GrantStore,
  expected: string | undefined,
  record: GrantRecord,
) {
  const version = yield* randomText;
  const now = yield* Clock.currentTimeMillis;
  const next = { version, text: encode(record), ttlMillis: ttlOf(record, now) };
  const isWritten = yield* grant.store.write(grant.key, expected, next);
  if (isWritten) remember(grant, version, record, now);
  return isWritten;
});

const remember = (grant: GrantStore, version: string, record: GrantRecord, now: number) => {
  grant.known = { version, storeNow: grant.known?.storeNow ?? now, record };
  grant.knownAt = now;
};

/**
 * Writes an intent to send the refresh token, and returns its version; `undefined` if another
 * writer was faster.
 */
export const writeIntent = /*#__PURE__*/ Effect.fnUntraced(function* (
  grant: GrantStore,
  { record, storeNow, version }: StoredGrant,
  { attempt, patience }: { readonly attempt: number; readonly patience: number },
) {
  const id = yield* randomText;
  const text = encode({ ...record, intent: { id, at: storeNow, patience, attempt } });
  const next = { version: id, text, ttlMillis: ttlOf(record, storeNow) };
  const isWritten = yield* grant.store.write(grant.key, version, next).pipe(
    // It may have been written all the same.
    Effect.tapError(() => Effect.sync(() => markUnsent(grant, id))),
  );
  return isWritten ? id : undefined;
});

/** Replaces an intent that was not sent, or changed nothing, by a record without one. */
export const undoIntent = /*#__PURE__*/ Effect.fnUntraced(function* (
  grant: GrantStore,
  version: string,
  record: GrantRecord,
) {
  markUnsent(grant, version);
  const isOurs = yield* write(grant, version, record);
  const rest = new Set(grant.unsent);
  rest.delete(version);
  grant.unsent = rest;
  return isOurs;
});

const markUnsent = (grant: GrantStore, version: string) => {
  grant.unsent = new Set([...grant.unsent, version]);
};

/**
 * Writes tokens that nobody else has; once more after a failure, which may have been a success.
 * Returns whether the store holds them.
 */
export const commit = /*#__PURE__*/ Effect.fnUntraced(function* (
  grant: GrantStore,
  expected: string | undefined,
  tokens: TokenSet,
) {
  const version = yield* randomText;
  grant.unsaved = { expected, version, tokens };
  return yield* saveUnsaved(grant).pipe(Effect.catch(() => saveUnsaved(grant)));
});

/** Returns whether the store holds the tokens. If not, somebody signed in or out meanwhile. */
export const saveUnsaved = /*#__PURE__*/ Effect.fnUntraced(function* (grant: GrantStore) {
  if (grant.unsaved === undefined) return false;
  const { key, store } = grant;
  const { expected, tokens, version } = grant.unsaved;
  const record = ofTokens(tokens);
  const now = yield* Clock.currentTimeMillis;
  const next = { version, text: encode(record), ttlMillis: ttlOf(record, now) };
  let isSaved = yield* store.write(key, expected, next);
  if (!isSaved) {
    const entry = yield* store.read(key);
    isSaved = entry?.version === version;
    // Another server took our silence for a loss and ended the grant: we were only slow.
    const dead = entry && decode(entry.text)?.dead;
    if (entry && dead?.lostAnswer && expected !== undefined && dead.intent === expected)
      isSaved = yield* store.write(key, entry.version, next);
  }
  grant.unsaved = undefined;
  if (isSaved) remember(grant, version, record, now);
  return isSaved;
});

const MAX_TRIES = 10;

/** Writes the tokens of a sign-in, whatever the entry is by now. */
export const replace = (
  grant: GrantStore,
  tokens: TokenSet,
): Effect.Effect<void, TokenStoreFailed> =>
  insist(grant, (entry) =>
    Effect.tap(write(grant, entry?.version, ofTokens(tokens)), (isWritten) => {
      if (isWritten) grant.unsaved = undefined;
      return Effect.void;
    }),
  );

/** Removes the entry, whatever it is by now. */
export const remove = (grant: GrantStore): Effect.Effect<void, TokenStoreFailed> =>
  insist(grant, (entry) => {
    grant.known = undefined;
    return entry ? grant.store.write(grant.key, entry.version, undefined) : Effect.succeed(true);
  });

/** Reads the entry and changes it, anew after each other writer. */
const insist = /*#__PURE__*/ Effect.fnUntraced(function* (
  { key, store }: GrantStore,
  change: (entry: Entry | undefined) => Effect.Effect<boolean, TokenStoreFailed>,
): Effect.fn.Return<void, TokenStoreFailed> {
  for (let tries = 0; tries < MAX_TRIES; tries++) if (yield* change(yield* store.read(key))) return;
  return yield* new TokenStoreFailed({ operation: "write", reason: "the entry keeps changing" });
});

/**
 * The record of one grant in its store, as this process knows it.
 *
 * A write that failed may have arrived all the same. It is remembered with its version and finished
 * before the record is read again, so that a failing store never costs tokens that only this process
 * has.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import type { Entry, TokenStore } from "../TokenStore.ts";
import { decode, encode, recordTtl, type Grant } from "./Grant.ts";
import { randomText } from "./crypto.ts";

export interface StoredGrant {
  readonly store: TokenStore;
  readonly key: string;
  /** The last record that was read or written. */
  known: Grant | undefined;
  /** A change that the store may or may not have made. */
  unfinished: Change | undefined;
}

interface Change {
  readonly expected: string | undefined;
  readonly version: string;
  readonly grant: Grant;
}

export interface Reading {
  readonly grant: Grant | undefined;
  /** The entry's version. An entry that no key opens has a version, but no grant. */
  readonly version: string | undefined;
  readonly storeNow: number;
  /** Monotonic time before the read, in nanoseconds. */
  readonly readAt: bigint;
}

export const make = (store: TokenStore, key: string): StoredGrant => ({
  store,
  key,
  known: undefined,
  unfinished: undefined,
});

/** Finishes an unfinished change, then reads the record. */
export const read = Effect.fnUntraced(function* (
  self: StoredGrant,
): Effect.fn.Return<Reading, TokenStoreFailed> {
  if (self.unfinished) yield* finish(self, self.unfinished);
  const readAt = yield* Clock.monotonicTimeNanos;
  const entry = yield* self.store.read(self.key);
  const grant = entry && decode(entry.text);
  // A sealed store reads an entry that no key opens as the text "".
  if (entry && !grant && entry.text !== "")
    return yield* new TokenStoreFailed({
      operation: "read",
      reason: "the entry is not of this version of the package; remove it and sign in again",
    });
  self.known = grant;
  return { grant, version: entry?.version, storeNow: entry?.now ?? 0, readAt };
});

/**
 * Writes a record if the version is still `expected`, and once more after a failure. Returns whether
 * the store holds the record.
 */
export const write = Effect.fnUntraced(function* (
  self: StoredGrant,
  expected: string | undefined,
  grant: Grant,
) {
  const change = { expected, version: yield* randomText, grant };
  self.unfinished = change;
  return yield* Effect.retry(finish(self, change), { times: 1 });
});

const finish = Effect.fnUntraced(function* (self: StoredGrant, change: Change) {
  let isWritten = yield* put(self, change);
  if (!isWritten) {
    const current = yield* self.store.read(self.key);
    // A process that assumed this process to be dead ended the grant. This result is newer.
    if (current && isGivenUp(current, change.expected))
      isWritten = yield* put(self, { ...change, expected: current.version });
  }
  self.unfinished = undefined;
  if (isWritten) self.known = change.grant;
  return isWritten;
});

/** Makes a change by compare-and-set. Returns whether the store has it. */
const put = Effect.fnUntraced(function* (
  { key, store }: StoredGrant,
  { expected, grant, version }: Change,
) {
  const ttlMillis = recordTtl(grant, yield* Clock.currentTimeMillis);
  if (yield* store.write(key, expected, { version, text: encode(grant), ttlMillis })) return true;
  // An earlier try may have been written although its response was lost.
  return (yield* store.read(key))?.version === version;
});

const isGivenUp = ({ text }: Entry, intent: string | undefined): boolean =>
  intent !== undefined && decode(text)?.ended?.intent === intent;

/**
 * Adds an intent to the record, unless the record has changed since the read. Returns the intent's
 * version, or `undefined` if another process was faster.
 */
export const writeIntent = Effect.fnUntraced(function* (
  self: StoredGrant,
  { grant, version: expected }: Reading & { readonly grant: Grant },
  intent: NonNullable<Grant["intent"]>,
) {
  const version = yield* randomText;
  // If the write fails, the next read removes the intent that may have been written.
  self.unfinished = { expected: version, version: yield* randomText, grant };
  const change = { expected, version, grant: { ...grant, intent } };
  const isWritten = yield* Effect.retry(put(self, change), { times: 1 });
  self.unfinished = undefined;
  return isWritten ? version : undefined;
});

const MAX_TRIES = 10;

/** Replaces the entry, whatever it is. Fails after 10 tries if other processes keep changing it. */
export const replace = Effect.fnUntraced(function* (
  self: StoredGrant,
  grant: Grant,
): Effect.fn.Return<void, TokenStoreFailed> {
  self.unfinished = undefined;
  self.known = undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const entry = yield* self.store.read(self.key);
    if (yield* write(self, entry?.version, grant)) return;
  }
  return yield* new TokenStoreFailed({ operation: "write", reason: "the entry keeps changing" });
});

/**
 * Stores of grants with two operations: read, and compare-and-set. Any number of processes may share
 * a store.
 *
 * There is no lock: the record itself says that a refresh token was sent, and one writer wins. A
 * database without compare-and-set cannot be a store. `memory` is for tests and for programs that can
 * sign in again; `/node`, `/redis` and `/postgres` have the others.
 */
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "./Errors.ts";
import { errorCode } from "./internal/errorCode.ts";

/** An entry of a store. Its text is a secret. */
export interface Entry {
  /** An opaque text, chosen by the writer. */
  readonly version: string;
  readonly text: string;
  /** The store's clock at the time of the read, in milliseconds since 1970. */
  readonly now: number;
}

/** New entry of a write, and its lifetime in the store. */
export interface NextEntry extends Omit<Entry, "now"> {
  /** Whole milliseconds after which the store forgets the entry. Default: never. */
  readonly ttlMillis?: number | undefined;
}

/** Arguments of `write`, a compare-and-set. */
export type Change = [key: string, expected: string | undefined, next: NextEntry];

/** Store of grants by key. Its operations fail with `TokenStoreFailed`. */
export interface TokenStore {
  readonly read: (key: string) => Effect.Effect<Entry | undefined, TokenStoreFailed>;
  /**
   * Writes `next` if the entry's version is still `expected` (`undefined`: no entry). Returns whether
   * it did. By then the change is durable.
   */
  readonly write: (...change: Change) => Effect.Effect<boolean, TokenStoreFailed>;
}

/** Token store whose functions return promises. `fromBackend` converts it. */
export interface Backend {
  readonly read: (key: string) => Promise<Entry | undefined>;
  readonly write: (...change: Change) => Promise<boolean>;
}

/** Makes a store from a backend. Only the code of its errors is kept, because the text may quote a row. */
export const fromBackend = ({ read, write }: Backend): TokenStore => ({
  read: (key) => tryStore("read", () => read(key)),
  write: (...change) => tryStore("write", () => write(...change)),
});

const tryStore = <A>(operation: "read" | "write", run: () => Promise<A>) =>
  Effect.tryPromise({ try: async () => run(), catch: (error) => storeError(operation, error) });

/** Converts an error of a store to `TokenStoreFailed`, without its text. */
export const storeError = (operation: "open" | "read" | "write", error: unknown) =>
  error instanceof TokenStoreFailed
    ? error
    : new TokenStoreFailed({ operation, reason: errorCode(error) ?? "the store failed" });

/** Makes a backend from a store, for programs without Effect. */
export const toBackend = (store: TokenStore): Backend => ({
  read: (key) => Effect.runPromise(store.read(key)),
  write: (...change) => Effect.runPromise(store.write(...change)),
});

/** Makes a store in the memory of this process. Its entries are lost when the process ends. */
export const memory = (): TokenStore => {
  const entries = new Map<string, NextEntry & { readonly end: number }>();
  const live = (key: string, now: number) => {
    const entry = entries.get(key);
    return entry && entry.end > now ? entry : undefined;
  };
  return {
    read: (key) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = live(key, now);
        return entry && { version: entry.version, text: entry.text, now };
      }),
    write: (key, expected, next) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (live(key, now)?.version !== expected) return false;
        entries.set(key, { ...next, end: now + (next.ttlMillis ?? Infinity) });
        return true;
      }),
  };
};

/**
 * Limits the time of every call. A write that finishes later does no harm, because the version that
 * it expects is no longer current.
 */
export const withTimeout = (store: TokenStore, duration: Duration.Input): TokenStore => {
  const limit = <A>(operation: "read" | "write", call: Effect.Effect<A, TokenStoreFailed>) =>
    Effect.timeoutOrElse(call, {
      duration,
      orElse: () => new TokenStoreFailed({ operation, reason: "ETIMEDOUT" }),
    });
  return {
    read: (key) => limit("read", store.read(key)),
    write: (...change) => limit("write", store.write(...change)),
  };
};

/**
 * Encrypts what is stored, so that a dump of the store shows no token. `context` is the entry's
 * key, to which the text is bound. Use `makeSealer` of `./sealer`, or implement it over a key
 * management service.
 */
export interface Sealer {
  readonly seal: (text: string, context: string) => Promise<string>;
  /** Returns `undefined` for a text that was not sealed with these keys for this context. */
  readonly open: (text: string, context: string) => Promise<string | undefined>;
}

/**
 * Makes a store whose entries are sealed. An entry that no key opens is read as the text `""` with its
 * version: it signs no user in and can be replaced. Clear text is never accepted.
 */
export const sealed = (backend: Backend, sealer: Sealer): Backend => ({
  read: async (key) => {
    const entry = await backend.read(key);
    return entry && { ...entry, text: (await sealer.open(entry.text, key)) ?? "" };
  },
  write: async (key, expected, next) =>
    backend.write(key, expected, { ...next, text: await sealer.seal(next.text, key) }),
});

/**
 * Stores of sessions' grants between requests, restarts and servers.
 *
 * A store is two functions: `read`, and `write` with compare-and-set. There is no lock: the record
 * itself says that a refresh token has been sent, and one writer wins. `memory` is for tests and
 * for programs that can sign in again; `./node` has a file store, `./redis` and `./postgres` have
 * stores for several servers. `fromBackend` makes a store of two functions that return promises.
 *
 * A database without compare-and-set (a keychain, a key-value store with plain reads and writes)
 * cannot be a store: reading before writing lets two servers send one refresh token. There is no
 * store for browsers, because refresh tokens must be kept server-side (§5).
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Backend, Entry, NextEntry, TokenStore } from "./Model.ts";
import { attempt } from "./internal/storeFailure.ts";

export type { Backend, Entry, NextEntry, TokenStore };

/** Makes a store of a backend. Its errors become `TokenStoreFailed` with their code alone. */
export const fromBackend = (backend: Backend): TokenStore => ({
  read: (key) => attempt("read", () => backend.read(key)),
  write: (...change) => attempt("write", () => backend.write(...change)),
});

/** Makes a backend of a store, for programs without Effect. */
export const toBackend = (store: TokenStore): Backend => ({
  read: (key) => Effect.runPromise(store.read(key)),
  write: (...change) => Effect.runPromise(store.write(...change)),
});

/**
 * Makes a store in this process's memory.
 */
export const memory = (): TokenStore => {
  const entries = new Map<string, { readonly next: NextEntry; readonly end: number }>();
  const current = (key: string, now: number) => {
    const found = entries.get(key);
    if (found && found.end <= now) entries.delete(key);
    return entries.get(key);
  };
  return {
    read: (key) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = current(key, now)?.next;
        return found && { version: found.version, text: found.text, now };
      }),
    write: (key, expected, next) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = current(key, now);
        if (found?.next.version !== expected) return false;
        if (next === undefined) entries.delete(key);
        else {
          const { ttlMillis: ttl = Infinity } = next;
          const end = ttl === "keep" ? (found?.end ?? Infinity) : now + ttl;
          entries.set(key, { next, end });
        }
        return true;
      }),
  };
};

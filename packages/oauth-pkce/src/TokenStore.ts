/**
 * Where a session keeps its tokens between requests, restarts and processes.
 *
 * Every write names the set it replaces (compare-and-set by `revision`), and `withLock` keeps other
 * holders of the same store out while tokens are renewed; that is what ends refresh races. `memory`
 * is for servers that can ask again and for tests; `./node` has a file store; `fromBackend` makes a
 * store of anything that can read, write and delete a text.
 *
 * There is no store for browsers: refresh tokens must be kept server-side (§5). For a page, turn
 * refresh tokens off for the application, or let your server hold the session.
 */
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import { TokenStoreFailed } from "./Errors.ts";
import { fromJson, isSame, toJson, type TokenSet } from "./TokenSet.ts";

/** A store of token sets by key (one key per user, or per application). */
export interface TokenStore {
  /** The set kept under `key`. */
  readonly get: (key: string) => Effect.Effect<TokenSet | undefined, TokenStoreFailed>;
  /** Writes `next` if the store still holds `expected`; tells whether it did. */
  readonly compareAndSet: (
    key: string,
    expected: TokenSet | undefined,
    next: TokenSet,
  ) => Effect.Effect<boolean, TokenStoreFailed>;
  /** Removes `expected` if the store still holds it; tells whether it did. */
  readonly remove: (key: string, expected: TokenSet) => Effect.Effect<boolean, TokenStoreFailed>;
  /**
   * Runs an effect while nobody else, in whatever process, runs one under the same key. Not
   * reentrant.
   */
  readonly withLock: (
    key: string,
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TokenStoreFailed, R>;
}

/** What `fromBackend` needs: a text by key, and mutual exclusion by name. */
export interface Backend {
  /** The text kept under `key`. */
  readonly read: (key: string) => Effect.Effect<string | undefined, TokenStoreFailed>;
  /** Keeps `text` under `key`, durably before it succeeds. */
  readonly write: (key: string, text: string) => Effect.Effect<void, TokenStoreFailed>;
  /** Forgets `key`; succeeds if it is unknown. */
  readonly delete: (key: string) => Effect.Effect<void, TokenStoreFailed>;
  readonly lock: Lock;
}

/** Mutual exclusion by name. */
export type Lock = (
  name: string,
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TokenStoreFailed, R>;

/**
 * A lock among the fibers of this process. A name is remembered as long as somebody holds it or
 * waits for it.
 */
export const processLock = (): Lock => {
  const queues = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>();
  return (name) => (effect) =>
    Effect.suspend(() => {
      const queue = queues.get(name) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 };
      queues.set(name, queue);
      queue.users += 1;
      const leave = Effect.sync(() => {
        queue.users -= 1;
        if (queue.users === 0) queues.delete(name);
      });
      return Effect.ensuring(queue.semaphore.withPermit(effect), leave);
    });
};

/** A store in this process's memory. */
export const memory = (): TokenStore => {
  const sets = new Map<string, TokenSet>();
  const lock = processLock();
  return {
    get: (key) => Effect.sync(() => sets.get(key)),
    compareAndSet: (key, expected, next) =>
      Effect.sync(() => isSame(sets.get(key), expected) && sets.set(key, next) === sets),
    remove: (key, expected) =>
      Effect.sync(() => isSame(sets.get(key), expected) && sets.delete(key)),
    withLock: lock,
  };
};

/** A store on top of plain reads and writes; comparisons are made under a lock of their own. */
export const fromBackend = (backend: Backend): TokenStore => {
  const get = (key: string) =>
    Effect.flatMap(backend.read(key), (text) => {
      const tokens = text === undefined ? undefined : fromJson(text);
      return text !== undefined && tokens === undefined
        ? Effect.fail(new TokenStoreFailed({ operation: "get", reason: "the entry is unreadable" }))
        : Effect.succeed(tokens);
    });
  const ifHolds = (
    key: string,
    expected: TokenSet | undefined,
    write: Effect.Effect<void, TokenStoreFailed>,
  ) =>
    Effect.flatMap(get(key), (current) =>
      isSame(current, expected) ? Effect.as(write, true) : Effect.succeed(false),
    ).pipe(backend.lock(`${key}.write`), Effect.uninterruptible);
  return {
    get,
    compareAndSet: (key, expected, next) =>
      ifHolds(key, expected, backend.write(key, toJson(next))),
    remove: (key, expected) => ifHolds(key, expected, backend.delete(key)),
    withLock: (key) => backend.lock(`${key}.renew`),
  };
};

/**
 * Keeps the documents of a limiter and runs transactions over them: in the memory of this process,
 * or in one entry of a `KeyValueStore` for programs that start often.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import * as KeyValueStore from "effect/persistence/KeyValueStore";
import * as Schedule from "effect/Schedule";
import * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import { addHit, type Documents, LOG_PREFIX, mapDocuments, type RequestLog } from "./Documents.ts";
import { LimiterStoreError } from "./Errors.ts";

/**
 * A function that reads and changes documents in place, and has no other effect, because a shared
 * store may run it again. Its result is a function that runs once the changes are stored. The
 * store's time is at least `now` and at most `latest`.
 */
export type Transaction<A> = (documents: Documents, now: number, latest: number) => () => A;

/** Service that runs transactions over documents. Implement it for a store of your own. */
export interface LimiterStoreService {
  /** The store's time in milliseconds since 1970. */
  readonly now: Effect.Effect<number>;
  /** Runs a transaction, and then the function that it returned. One transaction at a time. */
  readonly transact: <A>(transaction: Transaction<A>) => Effect.Effect<A, LimiterStoreError>;
  /** Whether other processes change the documents. If so, each decision reviews all waits. */
  readonly isShared: boolean;
}

export const storeTimeout = (): LimiterStoreError =>
  new LimiterStoreError({ cause: new Error("it did not answer in time") });

/** Milliseconds since 1970, unaffected by changes of the wall clock. */
const steadyClock = Clock.clockWith((clock) => {
  const monotonic = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6;
  const start = clock.currentTimeMillisUnsafe() - monotonic();
  return Effect.succeed(() => start + monotonic());
});

/** Stores what limiters learn. Limiters that use the same store share their limits. */
export class LimiterStore extends Context.Service<LimiterStore, LimiterStoreService>()(
  "@game-data/rate-limit/LimiterStore",
) {
  /** Keeps the documents in the memory of this process. */
  static readonly layerMemory: Layer.Layer<LimiterStore> = Layer.effect(
    LimiterStore,
    Effect.map(steadyClock, (now) => memoryStore(now, new Map())),
  );
}

/** A transaction fails after this time, which includes opening the store. */
const TIMEOUT = "8 seconds";

/**
 * Wraps a store that may be unavailable at first. A transaction opens it if necessary, and fails
 * after 8 seconds, as it does if a store becomes unavailable later.
 */
export const layerReopening = (
  store: Layer.Layer<LimiterStore, unknown>,
): Layer.Layer<LimiterStore> => Layer.effect(LimiterStore, reopeningStore(store));

const reopeningStore = (layer: Layer.Layer<LimiterStore, unknown>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope;
    const localTime = yield* steadyClock;
    const mutex = yield* Semaphore.make(1);
    const state: { store?: LimiterStoreService } = {};
    const open = Effect.suspend(() => {
      if (state.store) return Effect.succeed(state.store);
      const attempt = Scope.forkUnsafe(scope);
      return Effect.map(
        Layer.buildWithScope(layer, attempt),
        (context) => (state.store = Context.get(context, LimiterStore)),
      ).pipe(
        Effect.mapError((cause) => new LimiterStoreError({ cause })),
        // A client that cannot connect may hang while it closes, so it closes in the background.
        Effect.onError(() => Effect.forkDetach(Scope.close(attempt, Exit.void))),
      );
    });
    const openWithin = (duration: Duration.Input) =>
      Effect.timeoutOrElse(open, { duration, orElse: storeTimeout });
    yield* Effect.ignore(openWithin("1 second"));
    if (state.store) return state.store;
    return LimiterStore.of({
      now: Effect.suspend(() => state.store?.now ?? Effect.sync(localTime)),
      isShared: true,
      transact: (transaction) =>
        Effect.retry(openWithin("4 seconds"), Schedule.exponential("250 millis")).pipe(
          mutex.withPermits(1),
          Effect.flatMap((store) => store.transact(transaction)),
          Effect.timeoutOrElse({ duration: TIMEOUT, orElse: storeTimeout }),
        ),
    });
  });

const HOUR = 3_600_000;

const memoryStore = (now: () => number, entries: Map<string, unknown>): LimiterStoreService => {
  const documents = mapDocuments(entries);
  let cleanedAt = now();
  return {
    now: Effect.sync(now),
    isShared: false,
    transact: (transaction) =>
      Effect.sync(() => {
        const at = now();
        const value = transaction(documents, at, at)();
        // Removes unused documents last, because this transaction may have used old documents.
        if (cleanedAt + HOUR < at) {
          cleanedAt = at;
          removeUnused(entries, at);
        }
        return value;
      }),
  };
};

/** Logs and routes that are not used for this long are removed. */
const UNUSED_MILLIS = 24 * HOUR;

const removeUnused = (documents: Map<string, unknown>, now: number): void => {
  const isOld = (at: number): boolean => at + UNUSED_MILLIS < now;
  for (const [key, document] of documents) {
    if (!key.startsWith(LOG_PREFIX)) continue;
    const { hits, inFlight } = document as RequestLog;
    const usedAt = Math.max(hits.at(-1)?.receivedAt ?? 0, ...Object.values(inFlight));
    if (isOld(usedAt)) documents.delete(key);
  }
  const routes = mapDocuments(documents).routes();
  for (const [route, policies] of Object.entries(routes))
    if (isOld(policies.at(-1)?.[1] ?? 0)) delete routes[route];
};

/** A stored entry that is further in the future is ignored, because the clock was set back. */
const MAX_AHEAD_MILLIS = 1000;
const FORMAT = 1;

/**
 * Keeps the documents in one entry of a `KeyValueStore`, written every second and when the scope
 * closes. Only one process at a time may use the entry.
 */
export const layerKeyValue = (
  key = "rate-limits",
): Layer.Layer<LimiterStore, LimiterStoreError, KeyValueStore.KeyValueStore> =>
  Layer.effect(LimiterStore, keyValueStore(key));

const keyValueStore = (key: string) =>
  Effect.gen(function* () {
    const storage = yield* KeyValueStore.KeyValueStore;
    const now = yield* steadyClock;
    const text = yield* Effect.mapError(
      storage.get(key),
      (cause) => new LimiterStoreError({ cause }),
    );
    const documents = parseEntry(text, now());
    let saved = "";
    const save = Effect.suspend(() => {
      const current = JSON.stringify([...documents]);
      if (current === saved) return Effect.void;
      saved = current;
      const entry = { format: FORMAT, savedAt: now(), documents: [...documents] };
      return Effect.ignore(storage.set(key, JSON.stringify(entry)), {
        log: "Warn",
        message: "The rate limits could not be saved",
      });
    });
    yield* Effect.forkScoped(Effect.repeat(save, Schedule.spaced("1 second")));
    yield* Effect.addFinalizer(() => save);
    return memoryStore(now, documents);
  });

/** Parses a stored entry. Returns no documents if it is missing, damaged or of the future. */
const parseEntry = (text: string | undefined, now: number): Map<string, unknown> => {
  try {
    const { documents, format, savedAt } = JSON.parse(text ?? "");
    if (format !== FORMAT || savedAt > now + MAX_AHEAD_MILLIS) return new Map();
    const entries = new Map<string, unknown>(documents);
    loseRequestsInFlight(entries, now);
    return entries;
  } catch {
    return new Map();
  }
};

/** Marks the requests in flight of an earlier run of the program as lost. */
export const loseRequestsInFlight = (documents: Map<string, unknown>, now: number): void => {
  documents.delete("new-routes");
  for (const [key, document] of documents)
    if (key.startsWith(LOG_PREFIX)) {
      const log = document as RequestLog;
      for (const sentAt of Object.values(log.inFlight))
        addHit(log, { sentAt, receivedAt: now, isLost: true });
      log.inFlight = {};
    }
};

/**
 * Keeps the documents in Redis, for several processes. A transaction runs on the copies that this
 * process read last. One script compares their versions and writes the changes. If another process
 * was faster, the script returns the new documents, and the transaction runs again.
 *
 * If Redis loses its data, nothing is granted for 2.5 seconds. In this time the processes write
 * their copies back. Of each document, the copy with the highest version remains.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redis from "effect/persistence/Redis";
import * as Schedule from "effect/Schedule";
import * as Semaphore from "effect/Semaphore";
import { makeDocuments } from "./Documents.ts";
import { LimiterStoreError } from "./Errors.ts";
import { LimiterStore, storeTimeout, type Transaction } from "./Store.ts";

/** Options of the Redis store. Processes that share limits need the same options. */
export interface RedisStoreOptions {
  /** Stores with different prefixes share nothing. Default: `rate-limit`. */
  readonly prefix?: string | undefined;
}

/** Keeps the documents in the Redis of the context. All processes use the clock of Redis. */
export const layerRedis = (
  options: RedisStoreOptions = {},
): Layer.Layer<LimiterStore, LimiterStoreError, Redis.Redis> =>
  Layer.effect(LimiterStore, makeRedisStore(options));

/** Redis removes documents that do not change for this long. */
const LIFETIME_MILLIS = "86400000";
/** Nothing is granted for this long after Redis lost its data, while processes restore it. */
const RESTORE_MILLIS = "2500";
/** Interval at which a transaction is tried while the data of Redis is being restored. */
const RESTORE_POLL_MILLIS = 250;
const MAX_COPIES = 2000;
const MAX_ATTEMPTS = 50;
/** A transaction is tried again if Redis does not reply within this time. */
const ATTEMPT_TIMEOUT = "4 seconds";
/** A transaction fails after this time, including its retries. */
const TIMEOUT = "8 seconds";
/** Assumed drift between the clocks of Redis and this machine from one reply to the next. */
const DRIFT_MILLIS = 0.05;

type Texts = ReadonlyArray<string>;

/**
 * KEYS: the key of the data's start time, then the documents. ARGV: the start time that the process
 * knows, `1` if it restores documents, and for each document the version that it knows and its new
 * text, or "". Returns time, start time, whether the changes were written, and index, version and
 * text of each document of another version. Restores documents of a higher version than in Redis.
 */
const compareAndSet = Redis.script((keys: Texts, args: Texts) => [...keys, ...args], {
  numberOfKeys: (keys) => keys.length,
  lua: `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local start = redis.call('GET', KEYS[1])
    if not start then
      start = string.format('%.0f', now)
      redis.call('SET', KEYS[1], start)
    end
    local isRestored = now - start >= ${RESTORE_MILLIS}
    local function write(i, version, text)
      redis.call('HSET', KEYS[i], 'version', version, 'text', text)
      redis.call('PEXPIRE', KEYS[i], ${LIFETIME_MILLIS})
    end
    local stale = {}
    for i = 2, #KEYS do
      local held = redis.call('HMGET', KEYS[i], 'version', 'text')
      local version, known, text = held[1] or '0', ARGV[2 * i - 1], ARGV[2 * i]
      if ARGV[2] == '1' and not isRestored and tonumber(version) < tonumber(known) then
        write(i, known, text)
      elseif version ~= known then
        stale[#stale + 1] = i - 2
        stale[#stale + 1] = version
        stale[#stale + 1] = held[2] or ''
      end
    end
    local isWritten = #stale == 0 and isRestored and start == ARGV[1]
    if isWritten then
      for i = 2, #KEYS do
        if ARGV[2 * i] ~= '' then write(i, ARGV[2 * i - 1] + 1, ARGV[2 * i]) end
      end
    end
    return {time[1], time[2], start, isWritten and 1 or 0, stale}`,
}).withReturnType<
  readonly [
    seconds: string,
    micros: string,
    start: string,
    isWritten: number,
    stale: ReadonlyArray<string | number>,
  ]
>();

/** The texts of documents by key; "" if a document did not change. */
type Changes = ReadonlyMap<string, string>;

/** The documents as this process read or wrote them last. */
type Copies = Map<string, { readonly version: number; readonly text: string }>;

const getCopy = (copies: Copies, key: string) => copies.get(key) ?? { version: 0, text: "" };

const makeRedisStore = Effect.fnUntraced(function* ({ prefix = "rate-limit" }: RedisStoreOptions) {
  const redis = yield* Redis.Redis;
  const clock = new RedisClock(yield* Clock.Clock);
  const copies: Copies = new Map();
  /** Two transactions of one process at a time would only make each other run again. */
  const mutex = yield* Semaphore.make(1);
  /** The start time of the data in Redis, which shows a loss of data. Empty until it is known. */
  let knownStart = "";

  /** Sends known versions and changed texts to Redis, and updates the copies from the reply. */
  const sendChanges = Effect.fnUntraced(function* (changes: Changes, isRestoring = false) {
    const sentAt = clock.local();
    const keys = [...changes.keys()];
    const versions = [...changes].flatMap(([key, text]) => [
      String(getCopy(copies, key).version),
      text,
    ]);
    const [seconds, micros, start, written, stale] = yield* redis.eval(compareAndSet)(
      ["start", ...keys].map((key) => `{${prefix}}:${key}`),
      [knownStart, isRestoring ? "1" : "0", ...versions],
    );
    clock.observe(Number(seconds) * 1000 + Number(micros) / 1000, sentAt);
    const reply = { start, isWritten: written === 1, isStale: stale.length > 0 };
    // A Redis that has lost its data must not overwrite the copies.
    if (start !== knownStart && !isRestoring) return reply;
    for (let index = 0; index < stale.length; index += 3) {
      const [position, version, text] = stale.slice(index, index + 3);
      copies.set(keys[Number(position)]!, { version: Number(version), text: String(text) });
    }
    if (reply.isWritten)
      for (const [key, text] of changes)
        if (text !== "") copies.set(key, { version: getCopy(copies, key).version + 1, text });
    if (copies.size > MAX_COPIES)
      for (const key of [...copies.keys()].slice(0, MAX_COPIES / 2)) copies.delete(key);
    return reply;
  });

  const runTransaction = Effect.fnUntraced(function* <A>(transaction: Transaction<A>) {
    for (let count = 0; count < MAX_ATTEMPTS; count++) {
      const { changes, finish } = runOnCopies(copies, clock, transaction);
      const { isStale, isWritten, start } = yield* sendChanges(changes);
      if (isWritten) return finish();
      if (start !== knownStart) {
        yield* sendChanges(new Map(Array.from(copies, ([key, { text }]) => [key, text])), true);
        knownStart = start;
      } else if (!isStale) yield* Effect.sleep(RESTORE_POLL_MILLIS);
    }
    return yield* new LimiterStoreError({ cause: new Error("other processes were always faster") });
  });

  const reply = yield* Effect.mapError(sendChanges(new Map()), failed);
  knownStart = reply.start;
  return LimiterStore.of({
    now: Effect.sync(() => clock.earliest()),
    isShared: true,
    transact: (transaction) =>
      runTransaction(transaction).pipe(
        Effect.mapError(failed),
        Effect.timeoutOrElse({ duration: ATTEMPT_TIMEOUT, orElse: storeTimeout }),
        Effect.retry(Schedule.exponential("250 millis")),
        mutex.withPermits(1),
        Effect.timeoutOrElse({ duration: TIMEOUT, orElse: storeTimeout }),
      ),
  });
});

/** Runs a transaction on the copies. Returns its result and the text of each changed document. */
const runOnCopies = <A>(copies: Copies, clock: RedisClock, transaction: Transaction<A>) => {
  const used = new Map<string, unknown>();
  const documents = makeDocuments((key, create) => {
    const { text } = getCopy(copies, key);
    if (!used.has(key)) used.set(key, text === "" ? create() : JSON.parse(text));
    return used.get(key) as never;
  });
  const finish = transaction(documents, clock.earliest(), clock.latest());
  const changes = Array.from(used, ([key, document]): [string, string] => {
    const text = JSON.stringify(document);
    return [key, text === getCopy(copies, key).text ? "" : text];
  });
  return { finish, changes: new Map(changes) };
};

const failed = (cause: unknown): LimiterStoreError =>
  cause instanceof LimiterStoreError ? cause : new LimiterStoreError({ cause });

/** Estimates the time of the clock of Redis between two bounds. */
class RedisClock {
  readonly #clock: Clock.Clock;
  /** Bounds of how far the clock of Redis is ahead of the local clock. Each reply narrows them. */
  #lead = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

  constructor(clock: Clock.Clock) {
    this.#clock = clock;
  }

  local(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6;
  }

  earliest(): number {
    return this.local() + this.#lead.least;
  }

  latest(): number {
    return this.local() + this.#lead.most;
  }

  /** Narrows the bounds by the time in a reply to a command that was sent at `sentAt`. */
  observe(time: number, sentAt: number): void {
    const reply = { least: time - this.local(), most: time - sentAt };
    const least = Math.max(this.#lead.least - DRIFT_MILLIS, reply.least);
    const most = Math.min(this.#lead.most + DRIFT_MILLIS, reply.most);
    // The bounds contradict each other if the clock was set or another server has taken over.
    this.#lead = least <= most ? { least, most } : reply;
  }
}

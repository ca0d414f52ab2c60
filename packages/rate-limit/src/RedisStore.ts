/**
 * Keeps the documents in Redis, for several processes. A transaction runs on the copies that this
 * process read last. One script compares their versions and writes the changes. If another process
 * was faster, the script returns the new documents, and the transaction runs again.
 *
 * If Redis loses its data, nothing is granted for 2.5 seconds. In this time the processes write their
 * copies back, and the one with the highest version remains.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redis from "effect/persistence/Redis";
import { makeDocuments } from "./Documents.ts";
import { LimiterStoreError } from "./Errors.ts";
import { LimiterStore } from "./Store.ts";
import type { Transaction } from "./Store.ts";

export interface RedisStoreOptions {
  /** Stores with different prefixes share nothing. Default: `rate-limit`. */
  readonly prefix?: string | undefined;
}

/** A store in the Redis of the context. All processes use the clock of Redis. */
export const layerRedis = (
  options: RedisStoreOptions = {},
): Layer.Layer<LimiterStore, LimiterStoreError, Redis.Redis> =>
  Layer.effect(LimiterStore, makeRedisStore(options));

/** Documents that nobody changes for this long expire. */
const LIFETIME_MILLIS = "86400000";
/** The time in which processes restore the documents of a Redis that has lost its data. */
const RESTORE_MILLIS = "2500";
/** The pause between two looks at a Redis that is being restored. */
const RESTORE_POLL = 250;
const MAX_COPIES = 2000;
const MAX_ATTEMPTS = 50;
/** Drift between the clocks from one reply to the next. */
const DRIFT_MILLIS = 0.05;

type Texts = ReadonlyArray<string>;

/**
 * KEYS: the start of the data, documents. ARGV: the start that the process knows, whether it restores
 * documents, and for each document the version that it knows and its new text, or "". Returns time,
 * start, whether the changes were written, and index, version and text of each document that has
 * another version. Restoring writes the documents that have a higher version than those in Redis.
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

interface Copy {
  readonly version: string;
  readonly text: string;
}

const makeRedisStore = Effect.fnUntraced(function* ({ prefix = "rate-limit" }: RedisStoreOptions) {
  const redis = yield* Redis.Redis;
  const copies = new Copies(prefix, yield* Clock.Clock);

  /** Sends versions and changes. Returns whether they were written. */
  const exchange = Effect.fnUntraced(function* (changes: Changes, isRestoring = false) {
    const sentAt = copies.local();
    const [seconds, micros, start, isWritten, stale] = yield* redis.eval(compareAndSet)(
      ...copies.request(changes, isRestoring),
    );
    copies.setTime(Number(seconds) * 1000 + Number(micros) / 1000, sentAt);
    // A Redis that has lost its data must not overwrite the copies.
    if (start === copies.start || isRestoring) copies.update(changes, isWritten === 1, stale);
    return { start, isWritten: isWritten === 1, isStale: stale.length > 0 };
  });

  const attempt = Effect.fnUntraced(function* <A>(transaction: Transaction<A>) {
    for (let count = 0; count < MAX_ATTEMPTS; count++) {
      const { changes, result } = copies.run(transaction);
      const { isStale, isWritten, start } = yield* exchange(changes);
      if (isWritten) return result;
      if (start !== copies.start) {
        yield* exchange(copies.texts(), true);
        copies.start = start;
      } else if (!isStale) yield* Effect.sleep(RESTORE_POLL);
    }
    return yield* new LimiterStoreError({ cause: new Error("other processes were always faster") });
  });

  const { start } = yield* Effect.mapError(exchange(new Map()), failed);
  copies.start = start;
  return LimiterStore.of({
    now: Effect.sync(() => copies.now()),
    isShared: true,
    transact: (transaction) => Effect.mapError(attempt(transaction), failed),
  });
});

const failed = (cause: unknown): LimiterStoreError =>
  cause instanceof LimiterStoreError ? cause : new LimiterStoreError({ cause });

/** The documents that this process read or wrote last, and its knowledge of the clock of Redis. */
class Copies {
  readonly entries = new Map<string, Copy>();
  /** The start of the data in Redis. Empty: not known yet. */
  start = "";
  readonly #prefix: string;
  readonly #clock: Clock.Clock;
  /** The lead of the clock of Redis. Each reply bounds it from both sides. */
  #lead = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

  constructor(prefix: string, clock: Clock.Clock) {
    this.#prefix = `{${prefix}}:`;
    this.#clock = clock;
  }

  local(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6;
  }

  now(): number {
    return this.local() + this.#lead.least;
  }

  setTime(time: number, sentAt: number): void {
    const least = Math.max(this.#lead.least - DRIFT_MILLIS, time - this.local());
    const most = Math.min(this.#lead.most + DRIFT_MILLIS, time - sentAt);
    // The bounds contradict each other if the clock was set or another server has taken over.
    this.#lead =
      least <= most ? { least, most } : { least: time - this.local(), most: time - sentAt };
  }

  /** Runs a transaction on copies. Returns its result and the text of each changed document. */
  run<A>(transaction: Transaction<A>): {
    readonly result: A;
    readonly changes: Map<string, string>;
  } {
    const used = new Map<string, unknown>();
    const documents = makeDocuments((key, create) => {
      const text = this.entries.get(key)?.text;
      if (!used.has(key)) used.set(key, text ? JSON.parse(text) : create());
      return used.get(key) as never;
    });
    const result = transaction(documents, this.now(), this.local() + this.#lead.most);
    const changes = new Map<string, string>();
    for (const [key, document] of used) {
      const text = JSON.stringify(document);
      changes.set(key, text === this.entries.get(key)?.text ? "" : text);
    }
    return { result, changes };
  }

  /** Returns the arguments of `compareAndSet`. */
  request(changes: Changes, isRestoring: boolean): [keys: Texts, args: Texts] {
    const keys = [...changes.keys()].map((key) => this.#prefix + key);
    const args = [...changes].flatMap(([key, text]) => [
      this.entries.get(key)?.version ?? "0",
      text,
    ]);
    return [
      [`${this.#prefix}start`, ...keys],
      [this.start, isRestoring ? "1" : "0", ...args],
    ];
  }

  texts(): Changes {
    return new Map([...this.entries].map(([key, { text }]) => [key, text]));
  }

  /** Records the reply to a request. */
  update(changes: Changes, isWritten: boolean, stale: ReadonlyArray<string | number>): void {
    const keys = [...changes.keys()];
    for (let index = 0; index < stale.length; index += 3)
      this.entries.set(keys[Number(stale[index])]!, {
        version: String(stale[index + 1]),
        text: String(stale[index + 2]),
      });
    if (!isWritten) return;
    for (const [key, text] of changes) {
      const version = String(Number(this.entries.get(key)?.version ?? "0") + 1);
      if (text !== "") this.entries.set(key, { version, text });
    }
    if (this.entries.size > MAX_COPIES)
      for (const key of [...this.entries.keys()].slice(0, MAX_COPIES / 2)) this.entries.delete(key);
  }
}

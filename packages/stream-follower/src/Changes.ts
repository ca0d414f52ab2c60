/**
 * The changes of a page log, for programs that keep something of their own of them: an index,
 * prices, notifications.
 *
 * A consumer stores the `version` of each batch in the same transaction as what it makes of it, and
 * asks for what comes after that version when it starts again. Killed at any moment it loses
 * nothing and applies nothing twice. The log is a local file, PostgreSQL or a stream of NATS
 * JetStream: the program is the same, only the layer differs.
 *
 * ```ts
 * import { Effect } from "effect";
 * import * as Changes from "@game-data/stream-follower/Changes";
 * import { SinkSqlite } from "@game-data/stream-follower/sqlite";
 * import { mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const path = join(mkdtempSync(join(tmpdir(), "changes-")), "pages.db");
 * const sellers = new Set<string>();
 * await Effect.runPromise(
 *   Changes.run({
 *     key: { source: "stashes", realm: "pc" },
 *     until: "caughtUp",
 *     apply: ({ changes }) =>
 *       Effect.sync(() => {
 *         for (const { account } of changes) if (account !== null) sellers.add(account);
 *       }),
 *   }).pipe(Effect.provide(SinkSqlite.layer({ path }))),
 * );
 * if (sellers.size > 0) throw new Error("nothing was followed yet");
 * ```
 */
import * as Arr from "effect/Array";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Stream from "effect/Stream";
import { ChainBroken, type HistoryExpired, SinkError } from "./Errors.ts";
import * as Metrics from "./Metrics.ts";
import { keyName, type MarketHour, type StashChange, type StreamKey, ofStream } from "./Model.ts";
import {
  changes as changesOf,
  jsonOf,
  type LoggedPage,
  markets as marketsOf,
  type RejectedChange,
  PageLog,
  type PageLogService,
} from "./PageLog.ts";
import { checkSubscribeOptions } from "./core/checkOptions.ts";
import { readChange } from "./core/readRow.ts";
import { again, mayPass, within } from "./core/attempt.ts";

/** The changes of one page. */
export interface ChangeBatch {
  readonly key: StreamKey;
  /**
   * Version to store with the changes. A program that starts again passes it as `after`. A stored
   * row with a higher version is newer.
   */
  readonly version: bigint;
  /** The id that follows the page. */
  readonly nextId: string;
  /** Arrival time of the page, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The stashes of the page that lie in the wanted shards, in order; empty for the exchange. */
  readonly changes: ReadonlyArray<StashChange>;
  /** The markets of the hour; empty for the stash stream. */
  readonly markets: ReadonlyArray<MarketHour>;
  /** Changes that are not valid: the rest of the page is applied. */
  readonly rejected: ReadonlyArray<RejectedChange>;
}

export type { RejectedChange };

/** Which changes, and from where. */
export interface SubscribeOptions {
  readonly key: StreamKey;
  /**
   * The version that the consumer has stored, or the batch with its `nextId`: then a log that was
   * replaced fails with `ChainBroken`, and is not read on from the same number. Default: before the
   * oldest page of the log.
   */
  readonly after?: bigint | Pick<ChangeBatch, "version" | "nextId"> | undefined;
  /**
   * Reads only the stashes of some shards; see `shardOf`. The number of shards is part of the
   * store.
   */
  readonly shards?: { readonly count: number; readonly mine: ReadonlySet<number> } | undefined;
  /**
   * `caughtUp` ends at the end of the log. A function tells whether nobody writes to the log any
   * more: from then on the same. Default `forever`.
   */
  readonly until?: "caughtUp" | "forever" | (() => boolean) | undefined;
  /** Pages that are read ahead at most; the log holds the rest. Default 8. */
  readonly maxPages?: number | undefined;
  /** Bytes of compressed pages that are read ahead, besides the first page. Default 8 MiB. */
  readonly maxBytes?: number | undefined;
  /** Time between looks at the end of the log. Default 50 ms. */
  readonly pollInterval?: Duration.Input | undefined;
}

/** Errors of reading changes. Reading retries while the log is unavailable. */
export type ChangesError = SinkError | HistoryExpired | ChainBroken;

/** The changes after a version, one batch per page, as fast as they are taken. */
export const subscribe = (
  options: SubscribeOptions,
): Stream.Stream<ChangeBatch, ChangesError, PageLog> =>
  Stream.unwrap(
    Effect.map(PageLog, (log) => {
      checkSubscribeOptions(options);
      const reader = new Reader(log, options);
      return Stream.fromPull(Effect.succeed(reader.pull));
    }),
  );

/**
 * Applies the changes of every page. `apply` is called once per page, also where no change of it is
 * ours: it opens its transaction, writes its rows, and stores `version` in it.
 */
export const run = <E, R>(
  options: SubscribeOptions & {
    readonly apply: (batch: ChangeBatch) => Effect.Effect<void, E, R>;
  },
): Effect.Effect<void, E | ChangesError, R | PageLog> =>
  subscribe(options).pipe(
    Stream.runForEach((batch) =>
      Effect.gen(function* () {
        yield* options.apply(batch);
        const now = yield* Clock.currentTimeMillis;
        yield* Metrics.record(Metrics.changesApplied, batch.key, 1);
        const lag = Math.max(0, (now - batch.receivedAt) / 1000);
        yield* Metrics.record(Metrics.changesLagSeconds, batch.key, lag);
      }),
    ),
    Effect.withSpan("Changes.run", { attributes: { stream: keyName(options.key) } }),
  );

/**
 * The changes as an async iterator, for programs without Effect. The log is opened with the first
 * step and closed when the loop ends, also by `break`.
 *
 * ```ts
 * import { iterate } from "@game-data/stream-follower/Changes";
 * import { SinkSqlite } from "@game-data/stream-follower/sqlite";
 *
 * const log = SinkSqlite.layer({ path: ":memory:" });
 * const key = { source: "stashes", realm: "pc" } as const;
 * for await (const { version } of iterate(log, { key, until: "caughtUp" })) {
 *   throw new Error(`an empty log has no page ${version}`);
 * }
 * ```
 */
export const iterate = <E>(
  log: Layer.Layer<PageLog, E>,
  options: SubscribeOptions,
): AsyncIterable<ChangeBatch> => ({
  async *[Symbol.asyncIterator]() {
    const runtime = ManagedRuntime.make(log);
    try {
      const stream = subscribe(options);
      yield* await runtime.runPromise(Stream.toAsyncIterableEffect(stream));
    } finally {
      await runtime.dispose();
    }
  },
});

/**
 * The shard of a stash: FNV-1a of its id, modulo the number of shards. The same number as
 * `{{partition(count, …)}}` of a NATS subject mapping.
 */
export const shardOf = (id: string, count: number): number => {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % count;
};

/** Reads a log from a position on. */
class Reader {
  private readonly log: PageLogService;
  private readonly options: SubscribeOptions;
  private position: bigint | undefined;
  /** Ids that the latest pages lead to. A fork of the log re-reads the same history and heals. */
  private readonly leadsTo: Array<string> = [];
  private isStarted = false;
  private batches: Array<LoggedPage> = [];
  constructor(log: PageLogService, options: SubscribeOptions) {
    this.log = log;
    this.options = options;
    const { after } = options;
    this.position = typeof after === "object" ? after.version : after;
    if (typeof after === "object") this.leadsTo.push(after.nextId);
  }

  /** The next batch; waits for it at the end of the log. */
  readonly pull: Effect.Effect<Arr.NonEmptyArray<ChangeBatch>, ChangesError | Cause.Done> =
    Effect.gen({ self: this }, function* () {
      while (true) {
        const page = this.batches.shift();
        if (page !== undefined) return Arr.of(yield* this.batchOf(page));
        // Asked before the log is read: a page may be the last thing that its writer did.
        const { until } = this.options;
        const isLast = typeof until === "function" ? until() : until === "caughtUp";
        yield* this.fill;
        if (this.batches.length > 0) continue;
        if (isLast) return yield* Cause.done();
        yield* Effect.sleep(this.options.pollInterval ?? "50 millis");
      }
    });

  private readonly fill: Effect.Effect<void, ChangesError> = Effect.gen(
    { self: this },
    function* () {
      if (!this.isStarted) yield* this.start;
      const { key, maxBytes, maxPages } = this.options;
      const limits = {
        ...(maxPages === undefined ? {} : { maxPages }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
      };
      const { position } = this;
      if (position === undefined) return;
      const pages = yield* patiently(key, () => this.log.read(key, position, limits));
      for (const page of pages) yield* this.check(page);
      this.batches.push(...pages);
      this.position = pages.at(-1)?.seq ?? this.position;
    },
  );

  /** Finds the beginning, and what the page at the stored version leads to. */
  private readonly start: Effect.Effect<void, ChangesError> = Effect.gen(
    { self: this },
    function* () {
      const { key } = this.options;
      const after = this.position;
      const found = ofStream(yield* patiently(key, () => this.log.positions), key);
      if (after === undefined) {
        if (found === undefined) return;
        this.position = found.oldestSeq === undefined ? found.seq : found.oldestSeq - 1n;
      } else if (found !== undefined && found.seq < after) {
        const text = `the log ends at ${found.seq}, the reader stands at ${after}: it was made anew`;
        return yield* damaged(new Error(text));
      } else if (after > 0n) {
        const before = yield* patiently(key, () =>
          Effect.catchTag(this.log.read(key, after - 1n, { maxPages: 1 }), "HistoryExpired", () =>
            Effect.succeed([]),
          ),
        );
        if (before[0]?.seq === after) yield* this.stands(before[0]);
      }
      this.isStarted = true;
    },
  );

  /** The page at the stored version leads where it led when it was applied. */
  private stands({ key, nextId, requestedId, seq }: LoggedPage): Effect.Effect<void, ChainBroken> {
    if (this.leadsTo.length > 0 && !this.leadsTo.includes(nextId)) {
      return Effect.fail(new ChainBroken({ stream: keyName(key), version: seq, requestedId }));
    }
    this.leadsTo.push(nextId);
    return Effect.void;
  }

  private check(page: LoggedPage): Effect.Effect<void, ChainBroken> {
    const { nextId, requestedId } = page;
    const continues =
      this.leadsTo.length === 0 ||
      page.followsGap ||
      (requestedId !== undefined && this.leadsTo.includes(requestedId));
    this.leadsTo.push(nextId);
    if (this.leadsTo.length > REMEMBERED) this.leadsTo.shift();
    if (continues) return Effect.void;
    const stream = keyName(page.key);
    return Effect.fail(new ChainBroken({ stream, version: page.seq, requestedId }));
  }

  private readonly batchOf = Effect.fnUntraced(
    { self: this },
    function* (this: Reader, page: LoggedPage): Effect.fn.Return<ChangeBatch, ChangesError> {
      const raw = yield* Effect.mapError(jsonOf(page), damaged);
      const { key, nextId, receivedAt } = page;
      const batch = { key, version: page.seq, nextId, receivedAt };
      if (key.source === "exchange") {
        return { ...batch, changes: [], ...marketsOf(page, raw) };
      }
      const changes: Array<StashChange> = [];
      const rejected: Array<RejectedChange> = [];
      for (const change of changesOf(page, raw)) {
        const found = readChange(change, this.isWanted);
        if (found === undefined) continue;
        if ("message" in found) rejected.push(found);
        else changes.push(found);
      }
      return { ...batch, changes, markets: [], rejected };
    },
  );

  private readonly isWanted = (id: string): boolean => {
    const { shards } = this.options;
    return shards === undefined || shards.mine.has(shardOf(id, shards.count));
  };
}

/** Pages whose successors are known, so that a log that forked and healed goes on. */
const REMEMBERED = 256;

const damaged = (cause: Error): SinkError =>
  new SinkError({ operation: "read", kind: "corrupt", cause });

/** Reads while the log is away, with growing pauses. */
const patiently = <A, E>(
  key: StreamKey,
  read: () => Effect.Effect<A, E>,
): Effect.Effect<A, E | SinkError> =>
  again(
    within({ operation: "read", deadlineMillis: DEADLINE_MILLIS }, Effect.suspend(read)).pipe(
      Effect.tapCause((cause) =>
        mayPass(cause)
          ? Effect.logWarning(`${keyName(key)}: ${messageOf(cause)}; trying again`)
          : Effect.void,
      ),
    ),
  );

const messageOf = (cause: Cause.Cause<unknown>): string => (Cause.squash(cause) as Error).message;

/** Pages of a large log on a slow line take a while. */
const DEADLINE_MILLIS = 55_000;

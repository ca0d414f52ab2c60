/**
 * Reads the changes of a page log, for programs that derive data from them: an index, prices,
 * notifications.
 *
 * Store the `version` of each batch in the transaction of its rows, and pass it as `after` at the
 * next start. The program then misses no change and applies none twice, even after a crash.
 */
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import { untilAvailable } from "./attempt.ts";
import { ChainBroken, type HistoryExpired, SinkError } from "./Errors.ts";
import * as Metrics from "./Metrics.ts";
import {
  keyName,
  type MarketHour,
  ofStream,
  type QuarantineRecord,
  sortRows,
  type StashChange,
  type StreamKey,
} from "./Model.ts";
import { type LoggedPage, PageLog, type PageLogService, pageRows } from "./PageLog.ts";

/** The changes of one page, and the version to store with them. */
export interface ChangeBatch {
  readonly key: StreamKey;
  /** Version to store with the rows. A stored row with a higher version is newer. */
  readonly version: bigint;
  /** The change id that follows the page. */
  readonly nextId: string;
  /** Arrival time of the page, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The stashes of the page in the requested shards, in order; empty for the exchange. */
  readonly changes: ReadonlyArray<StashChange>;
  /** The markets of the page's hour; empty for the stash stream. */
  readonly markets: ReadonlyArray<MarketHour>;
  /** Invalid rows of the page. The other rows of the page are applied. */
  readonly rejected: ReadonlyArray<QuarantineRecord>;
}

/** Position of a reader: the version and the next id of the last batch that it has applied. */
export interface Position {
  readonly version: bigint;
  readonly nextId?: string | undefined;
}

/** Selects the changes to read, and where to begin and end. */
export interface SubscribeOptions {
  readonly key: StreamKey;
  /**
   * The version that the consumer has stored. With `nextId`, a log that was replaced fails with
   * `ChainBroken`. A consumer that is ahead of the log waits until the log has caught up, and fails
   * with the reason `corrupt` if `until` ends it first. Default: before the oldest page of the log.
   */
  readonly after?: bigint | Position | undefined;
  /** Reads only the stashes of some shards; see `shardOf`. */
  readonly shards?: { readonly count: number; readonly mine: ReadonlySet<number> } | undefined;
  /**
   * `caughtUp` ends at the end of the log. A function returns whether the writer of the log has
   * finished, and the stream then ends at the end of the log. Default `forever`.
   */
  readonly until?: "caughtUp" | "forever" | (() => boolean) | undefined;
  /** Time between reads at the end of the log. Default 50 ms. */
  readonly pollInterval?: Duration.Input | undefined;
}

/** Errors of reading changes. Reading is retried while the log is unavailable. */
export type ChangesError = SinkError | HistoryExpired | ChainBroken;

/** Emits one batch for each page after a version. */
export const subscribe = (
  options: SubscribeOptions,
): Stream.Stream<ChangeBatch, ChangesError, PageLog> =>
  subscribePages(options).pipe(Stream.mapEffect((page) => readBatch(page, options.shards)));

/** Applies one batch for each page, in order, and records the lag of the consumer. */
export const run = Effect.fn("Changes.run")(function* <E, R>(
  options: SubscribeOptions & {
    /** Writes the rows and stores `version`, both in one transaction. */
    readonly apply: (batch: ChangeBatch) => Effect.Effect<void, E, R>;
  },
): Effect.fn.Return<void, E | ChangesError, R | PageLog> {
  yield* Stream.runForEach(subscribe(options), (batch) =>
    Effect.gen(function* () {
      yield* options.apply(batch);
      yield* Metrics.count("changes_applied", batch.key, 1);
      const millis = (yield* Clock.currentTimeMillis) - batch.receivedAt;
      yield* Metrics.recordChangesLag(batch.key, Math.max(0, millis / 1000));
    }),
  );
});

/**
 * Iterates over the changes of a log, such as `StoreUrl.logLayer`, without Effect. The log is
 * closed when the loop ends, also by `break`.
 */
export const iterate = <E>(
  log: Layer.Layer<PageLog, E>,
  options: SubscribeOptions,
): AsyncIterable<ChangeBatch> => Stream.toAsyncIterable(Stream.provide(subscribe(options), log));

/** Returns the shard of a stash: FNV-1a of its id, modulo the number of shards. */
export const shardOf = (id: string, count: number): number => {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % count;
};

/**
 * Emits the pages after a version, with their bodies unchanged. Fails with `ChainBroken` at a page
 * that does not continue the page before. Attempts are recorded in the status of `part`.
 */
export const subscribePages = (
  { after, key, pollInterval = "50 millis", until }: SubscribeOptions,
  part = "consumer",
): Stream.Stream<LoggedPage, ChangesError, PageLog> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const log = yield* PageLog;
      // The deadline is long, because a page may be large and the connection slow.
      const attempt = untilAvailable(key, part, { operation: "read", duration: "55 seconds" });
      const start = yield* attempt(findStart(log, { after, key, until }));
      return Stream.paginate(start, (at) =>
        Effect.gen(function* () {
          // Evaluated before the read, because a writer may write a page and finish in between.
          const isLast = isEnding(until);
          const page = yield* log.next(key, at.version).pipe(
            Effect.tap((next) => requireContinuation(next, at)),
            attempt,
          );
          if (page !== undefined) {
            return [[page], Option.some({ version: page.seq, nextId: page.nextId })] as const;
          }
          if (isLast) return [[], Option.none<Position>()] as const;
          yield* Effect.sleep(pollInterval);
          return [[], Option.some(at)] as const;
        }),
      );
    }),
  );

/**
 * Returns the position after which to begin. A power loss may drop the last pages of a log, which
 * the follower then fetches again, so a reader that is ahead of the log waits for them.
 */
const findStart = Effect.fnUntraced(function* (
  log: PageLogService,
  { after, key, until }: SubscribeOptions,
) {
  const { oldestSeq, seq: end = 0n } = ofStream(yield* log.positions, key) ?? {};
  if (after === undefined) return { version: (oldestSeq ?? end + 1n) - 1n };
  const at: Position = typeof after === "object" ? after : { version: after };
  if (at.version <= end) {
    yield* requireSamePage(log, key, at);
    return at;
  }
  const text = `the log ends at page ${end}, and its reader is at page ${at.version}; begin the reader again if the log was replaced`;
  const reason = isEnding(until) ? "corrupt" : "unavailable";
  return yield* new SinkError({ operation: "read", reason, cause: new Error(text) });
});

/** Whether the stream of changes ends at the end of the log. */
const isEnding = (until: SubscribeOptions["until"]): boolean =>
  typeof until === "function" ? until() : until === "caughtUp";

const requireContinuation = (
  page: LoggedPage | undefined,
  { nextId }: Position,
): Effect.Effect<void, ChainBroken> =>
  page === undefined || page.followsGap || nextId === undefined || page.requestedId === nextId
    ? Effect.void
    : chainBroken("discontinuous", page);

/** Fails with `ChainBroken` if the log has another page in place of the reader's last page. */
const requireSamePage = Effect.fnUntraced(function* (
  log: PageLogService,
  key: StreamKey,
  { nextId, version }: Position,
) {
  if (nextId === undefined) return;
  // A page that was pruned cannot be compared.
  const page = yield* log
    .next(key, version - 1n)
    .pipe(Effect.catchTag("HistoryExpired", () => Effect.succeed(undefined)));
  if (page?.seq === version && page.nextId !== nextId) yield* chainBroken("replaced", page);
});

const chainBroken = (
  reason: ChainBroken["reason"],
  { key, requestedId, seq: version }: LoggedPage,
) => Effect.fail(new ChainBroken({ reason, stream: keyName(key), version, requestedId }));

/** Reads the rows of a logged page. Keeps only the stashes of `shards`, if they are given. */
export const readBatch = Effect.fnUntraced(function* (
  page: LoggedPage,
  shards?: SubscribeOptions["shards"],
) {
  const { key, nextId, receivedAt, seq: version } = page;
  const { markets, quarantine: rejected, stashes } = sortRows(page, yield* pageRows(page));
  const changes =
    shards === undefined
      ? stashes
      : stashes.filter(({ id }) => shards.mine.has(shardOf(id, shards.count)));
  return { key, version, nextId, receivedAt, changes, markets, rejected };
});

/**
 * Follows the public stash stream and the exchange history (§4.2), as a stream of pages or straight
 * into a sink.
 *
 * `stashes` and `exchange` are streams for programs that keep their own position. `run` is the
 * transactional loop: lease, claim, pages, commit; it stands by while another process holds the
 * lease, and takes over from the last commit.
 */
import * as Arr from "effect/Array";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import * as Stream from "effect/Stream";
import * as Decode from "./Decode.ts";
import type { FollowError, RunError } from "./Errors.ts";
import { Lease } from "./Lease.ts";
import * as Metrics from "./Metrics.ts";
import { type Batch, keyName, type Page, type PageCommit, type StreamKey } from "./Model.ts";
import * as Parts from "./Parts.ts";
import {
  type ExchangeFollowOptions,
  type FollowOptions,
  resolve,
  type StashFollowOptions,
} from "./Options.ts";
import { PageSource } from "./PageSource.ts";
import { Sink } from "./Sink.ts";
import { type PageStream, makePageStream } from "./core/PageStream.ts";
import { commitWithRetry } from "./core/commitWithRetry.ts";
import { PageBuffer } from "./core/PageBuffer.ts";

/**
 * `from` of a bare stream: it has no sink to ask for a checkpoint, so the program says where it
 * stands.
 */
export type StreamFrom =
  | "start"
  | { readonly id: string; readonly seq?: bigint; readonly checksum?: string };

/** Options of a bare stream of stash pages. */
export interface StashStreamOptions extends Omit<StashFollowOptions, "from"> {
  /** Default `start`. */
  readonly from?: StreamFrom;
}

/** Options of a bare stream of exchange pages. */
export interface ExchangeStreamOptions extends Omit<ExchangeFollowOptions, "from"> {
  /** Default `start`. */
  readonly from?: StreamFrom;
}

/** The pages of the public stash stream of one realm, in order. */
export const stashes = (
  options: StashStreamOptions = {},
): Stream.Stream<Page, FollowError, PageSource> =>
  pagesOf({ source: "stashes", realm: options.realm ?? "pc" }, options);

/** The hours of the currency exchange of one realm, in order. */
export const exchange = (
  options: ExchangeStreamOptions = {},
): Stream.Stream<Page, FollowError, PageSource> =>
  pagesOf({ source: "exchange", realm: options.realm ?? "pc" }, options);

const pagesOf = (
  key: StreamKey,
  options: Omit<FollowOptions, "from"> & { readonly from?: StreamFrom },
): Stream.Stream<Page, FollowError, PageSource> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const from = options.from ?? "start";
      const start =
        from === "start"
          ? { id: undefined, seq: 0n, checksum: undefined, level: "items" as const }
          : { ...from, seq: from.seq ?? 0n, checksum: from.checksum, level: "items" as const };
      const { from: _, ...rest } = options;
      const stream = yield* makePageStream(yield* PageSource, key, resolve(rest), start);
      return Stream.fromPull(
        Effect.succeed(
          Effect.flatMap(stream.pull, (page) =>
            page === undefined ? Cause.done() : Effect.succeed(Arr.of(page)),
          ),
        ),
      );
    }),
  );

/** Options of a run besides those of its stream. */
export interface RunBehaviour {
  /**
   * Level at which rows are checked before they are committed. Rejected rows are quarantined.
   * Default: the sink's `level`, or `items` if the sink has none.
   */
  readonly decode?: Decode.DecodeLevel;
  /**
   * Pages per transaction at most; a batch takes what is there and waits for nothing. Default 4.
   */
  readonly batchPages?: number;
  /** Ends the run gracefully when it completes: `signals()` for SIGTERM and SIGINT. */
  readonly stopWhen?: Effect.Effect<unknown>;
  /**
   * Time that a commit may take before it is given up and looked for; each MiB of its pages adds a
   * second. A sink that needs longer is retried for ever. Default 10 seconds.
   */
  readonly commitTimeout?: Duration.Input;
  /** Time that a transaction gets to finish after `stopWhen`. Default 10 seconds. */
  readonly shutdownTimeout?: Duration.Input;
  /** Reaction to a lost lease, or to a newer owner that fences us. Default `standby`. */
  readonly onLeaseLost?: "standby" | "fail";
  /**
   * Called after every commit with the pages that are durable since. Their bytes are valid until it
   * returns. What it throws is a defect.
   */
  readonly onCommitted?: (pages: ReadonlyArray<PageCommit>) => void;
}

/** A run over the stash stream of one realm. */
export interface StashRun extends StashFollowOptions, RunBehaviour {
  /** Which stream. */
  readonly source: "stashes";
}

/** A run over the exchange history of one realm. */
export interface ExchangeRun extends ExchangeFollowOptions, RunBehaviour {
  /** Which stream. */
  readonly source: "exchange";
}

/** Result of a run. */
export interface RunSummary {
  /** Pages committed. */
  readonly pages: number;
  /** Stashes or markets committed. */
  readonly rows: number;
  /** Reason for the end of the run. */
  readonly ended: "caughtUp" | "stopped";
}

/** Follows a stream into the sink until it is caught up, stopped, or halted by a policy. */
export const run = Effect.fn("Follower.run")(function* (
  options: StashRun | ExchangeRun,
): Effect.fn.Return<RunSummary, RunError, PageSource | Sink | Lease> {
  const key: StreamKey = { source: options.source, realm: options.realm ?? "pc" };
  const totals = { pages: 0, rows: 0 };
  const stop = options.stopWhen ?? Effect.never;
  const leader: Effect.Effect<RunSummary["ended"], RunError, PageSource | Sink | Lease> =
    Effect.scoped(lead(key, options, totals)).pipe(
      Effect.as("caughtUp" as const),
      Effect.raceFirst(Effect.as(stop, "stopped" as const)),
    );
  const cell = yield* Parts.part(key, "follower");
  yield* Parts.ended(cell, undefined);
  const ended = yield* leadAgain(key, leader, options.onLeaseLost ?? "standby").pipe(
    Effect.onExit((exit) =>
      Effect.andThen(
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
          ? Parts.failed(cell, exit.cause)
          : Effect.void,
        Parts.ended(cell, Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)),
      ),
    ),
  );
  return { ...totals, ended };
});

/** Leads, and again whenever the lease was lost or a newer owner fenced a commit. */
const leadAgain = <R>(
  key: StreamKey,
  leader: Effect.Effect<RunSummary["ended"], RunError, R>,
  onLeaseLost: "standby" | "fail",
): Effect.Effect<RunSummary["ended"], RunError, R> =>
  Effect.gen(function* () {
    while (true) {
      const result = yield* Effect.result(leader);
      if (Result.isSuccess(result)) return result.success;
      const error = result.failure;
      const isLost = error._tag === "LeaseLost" || error._tag === "Fenced";
      if (!isLost || onLeaseLost === "fail") return yield* Effect.fail(error);
      yield* Effect.logWarning(`${keyName(key)}: ${error.message} Asking for the lease again.`);
      yield* Effect.sleep(STANDBY_MILLIS);
    }
  });

/** A follower that was just fenced lets the newer owner work before it asks again. */
const STANDBY_MILLIS = 1000;

/**
 * Follows with the lease in hand, until the stream ends, the lease is lost or a commit is fenced.
 */
const lead = Effect.fnUntraced(function* (
  key: StreamKey,
  options: StashRun | ExchangeRun,
  totals: { pages: number; rows: number },
) {
  const held = yield* holding(key);
  const sink = yield* Sink;
  const { epoch, standing } = yield* commitWithRetry.claim(sink, key, held);
  yield* begin(key, standing?.seq ?? 0n);
  yield* Metrics.record(Metrics.leaseEpoch, key, epoch);
  // `from` is where the run begins, not where it goes back to after a lease that was lost on the
  // way.
  const from = totals.pages > 0 ? "checkpoint" : (options.from ?? "checkpoint");
  const seq = standing?.seq ?? 0n;
  const level = options.decode ?? sink.level ?? "items";
  const start =
    from === "checkpoint"
      ? { id: standing?.nextId, seq, checksum: standing?.checksum, level }
      : { ...elsewhere(from, standing?.nextId), seq, checksum: undefined, level };
  const stream = yield* makePageStream(yield* PageSource, key, resolve(options), {
    ...start,
    ...(sink.polled === undefined ? {} : { polled: sink.polled }),
  });

  const buffer = new PageBuffer(options.batchPages ?? 4, MAX_BUFFERED_BYTES);
  // While the sink writes, small pages are read and checked; nothing of them is written before the
  // batch is durable.
  yield* fill(buffer, stream, level, key).pipe(
    Effect.exit,
    Effect.map((exit) => buffer.finish(exit)),
    Effect.forkScoped,
  );
  // A function of its own: a loop's frame would keep the batch alive while the next one is read.
  const commitNext = Effect.gen(function* () {
    const pages = yield* buffer.take;
    if (pages === undefined || !Arr.isReadonlyArrayNonEmpty(pages)) return false;
    yield* commitWithRetry.commit(sink, batchOf(key, pages), epoch, {
      timeoutMillis: Duration.toMillis(options.commitTimeout ?? COMMIT_TIMEOUT),
      shutdownMillis: Duration.toMillis(options.shutdownTimeout ?? SHUTDOWN_TIMEOUT),
      onCommitted: () => {
        totals.pages += pages.length;
        for (const page of pages) totals.rows += page.stashes.length + page.markets.length;
        options.onCommitted?.(pages);
      },
    });
    buffer.written();
    yield* addPending(key, -pages.length);
    return true;
  });
  const follow = Effect.gen(function* () {
    while (yield* commitNext);
  });
  return yield* Effect.raceFirst(follow, held.lost);
});

/** Holds the lease. One that does not tell who holds it is ours for as long as it is held. */
const holding = Effect.fnUntraced(function* (key: StreamKey) {
  const held = yield* (yield* Lease).hold(key);
  const { facts } = yield* Parts.stream(key);
  if (facts.holder?.who !== "us") {
    const heardAt = yield* Clock.currentTimeMillis;
    yield* Parts.note(key, { holder: { who: "us", heardAt, ttlMillis: Infinity } });
  }
  return held;
});

/** The facts of a stream whose claim has succeeded: nothing of ours is pending. */
const begin = Effect.fnUntraced(function* (key: StreamKey, headSeq: bigint) {
  const now = yield* Clock.currentTimeMillis;
  const { durableAt = now } = (yield* Parts.stream(key)).facts;
  yield* Parts.note(key, { pendingPages: 0, tailAt: undefined, durableAt, headSeq });
  yield* Parts.succeeded(yield* Parts.part(key, "follower"));
});

const COMMIT_TIMEOUT = "10 seconds";
const SHUTDOWN_TIMEOUT = "10 seconds";

/** Reads and checks pages into the buffer until the stream ends. */
const fill = Effect.fnUntraced(function* (
  buffer: PageBuffer,
  stream: PageStream,
  level: Decode.DecodeLevel,
  key: StreamKey,
): Effect.fn.Return<void, FollowError> {
  const one = Effect.gen(function* () {
    yield* buffer.room;
    const page = yield* stream.pull;
    if (page === undefined) return false;
    const prepared = yield* prepare(page, level, key);
    yield* addPending(key, 1);
    buffer.put(prepared);
    return true;
  });
  while (yield* one);
});

/** Another beginning than the checkpoint: what lies between is recorded as a gap. */
const elsewhere = (from: "start" | { readonly id: string }, standing: string | undefined) => {
  const id = from === "start" ? undefined : from.id;
  if (standing === undefined || standing === id) return { id };
  const kind = id === undefined ? ("restarted" as const) : ("jumped" as const);
  return { id, gap: { kind, from: standing, to: id ?? "" } };
};

/** Counts pages that were received and are not durable. */
const addPending = (key: StreamKey, pages: number): Effect.Effect<void> =>
  Effect.flatMap(Parts.stream(key), ({ facts }) =>
    Parts.note(key, { pendingPages: Math.max(0, facts.pendingPages + pages) }),
  );

/** One large page; small ones are bounded by `batchPages`. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

const batchOf = (key: StreamKey, pages: Arr.NonEmptyReadonlyArray<PageCommit>): Batch => {
  const { page } = Arr.lastNonEmpty(pages);
  const { nextId, seq, checksum, receivedAt } = page;
  return {
    key,
    previousSeq: Arr.headNonEmpty(pages).page.previousSeq,
    pages,
    checkpoint: { nextId, seq, epoch: 0, checksum, receivedAt },
  };
};

/** Checks a page's rows, and sets aside what fails. */
const prepare = Effect.fnUntraced(function* (
  page: Page,
  level: Decode.DecodeLevel,
  key: StreamKey,
): Effect.fn.Return<PageCommit> {
  const begun = yield* Clock.currentTimeMillis;
  const stashRows = key.source === "stashes" ? Decode.stashes(page, level) : { good: [], bad: [] };
  const marketRows =
    key.source === "exchange" ? Decode.markets(page, level) : { good: [], bad: [] };
  const spent = (yield* Clock.currentTimeMillis) - begun;
  yield* Metrics.record(Metrics.stageMillis, key, spent, { stage: "check" });
  return {
    page,
    stashes: stashRows.good,
    markets: marketRows.good,
    quarantine: [...page.quarantine, ...stashRows.bad, ...marketRows.bad],
  };
});

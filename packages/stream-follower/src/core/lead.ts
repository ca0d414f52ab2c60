/**
 * The loop of a follower that holds its lease: claim, pages, commits, until the stream ends, the
 * lease is lost or a newer owner fences it. `Follower.run` leads again where that may help.
 */
import * as Arr from "effect/Array";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Decode from "../Decode.ts";
import { type FollowError, SinkError } from "../Errors.ts";
import { Lease } from "../Lease.ts";
import * as Metrics from "../Metrics.ts";
import type { StreamKey } from "../Model.ts";
import { type ExchangeRun, resolve, type StashRun } from "../Options.ts";
import { PageSource, shared } from "../PageSource.ts";
import { left, note, part, stream as streamOf, succeeded, track } from "../Parts.ts";
import { Sink, type SinkService } from "../Sink.ts";
import { within } from "./attempt.ts";
import * as commitWithRetry from "./commitWithRetry.ts";
import { PageBuffer } from "./PageBuffer.ts";
import { makePageStream, type PageStream } from "./PageStream.ts";

/**
 * Follows with the lease in hand, until the stream ends, the lease is lost or a commit is fenced.
 */
export const lead = Effect.fnUntraced(function* (
  key: StreamKey,
  options: StashRun | ExchangeRun,
  totals: { pages: number; rows: number },
) {
  yield* Effect.addFinalizer(() => left(key));
  const held = yield* holding(key);
  const sink = yield* Sink;
  const { epoch, standing } = yield* commitWithRetry.claim(sink, key, held);
  yield* begin(key, standing?.seq ?? 0n);
  yield* Metrics.record(Metrics.leaseEpoch, key, epoch);
  // `from` is where the run begins, not where it goes back to after a lease that was lost on the
  // way.
  const from = totals.pages > 0 ? "checkpoint" : (options.from ?? "checkpoint");
  const seq = standing?.seq ?? 0n;
  const broken = yield* Deferred.make<never, SinkError>();
  const level = options.decode ?? sink.level ?? "items";
  const start =
    from === "checkpoint"
      ? { id: standing?.nextId, seq, checksum: standing?.checksum, level }
      : { ...elsewhere(from, standing?.nextId), seq, checksum: undefined, level };
  const stream = yield* makePageStream(shared(yield* PageSource), key, resolve(options), {
    ...start,
    polled: (at) => polled(sink, key, at, broken),
  });

  const buffer = new PageBuffer(options.batchPages ?? 4, MAX_BUFFERED_BYTES);
  // While the sink writes, small pages are read and checked; nothing of them is written before the
  // batch is durable.
  yield* fill(buffer, stream, key).pipe(
    Effect.exit,
    Effect.map((exit) => buffer.finish(exit)),
    Effect.forkScoped,
  );
  // A function of its own: a loop's frame would keep the batch alive while the next one is read.
  const commitNext = Effect.gen(function* () {
    const pages = yield* buffer.take;
    if (pages === undefined || !Arr.isReadonlyArrayNonEmpty(pages)) return false;
    yield* commitWithRetry.commit(sink, Decode.batchOf(...pages), epoch, {
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
  const lost = Effect.raceFirst(held.lost, Deferred.await(broken));
  return yield* Effect.raceFirst(follow, lost);
});

/**
 * Tells the store of a poll of the end, which is an attempt like a commit: a store that is away
 * shows while nothing is to be written, and one that is gone for good ends the run.
 */
const polled = Effect.fnUntraced(function* (
  sink: SinkService,
  key: StreamKey,
  at: number,
  broken: Deferred.Deferred<never, SinkError>,
) {
  if (sink.polled === undefined) return;
  const attempt = within({ operation: "polled" }, sink.polled(key, at));
  yield* track(yield* part(key, "commit"), attempt).pipe(
    Effect.tapCause((cause) => {
      const error = Cause.squash(cause);
      return error instanceof SinkError && !error.isRetryable
        ? Deferred.fail(broken, error)
        : Effect.void;
    }),
  );
});

/** Holds the lease. One that does not tell who holds it is ours for as long as it is held. */
const holding = Effect.fnUntraced(function* (key: StreamKey) {
  const held = yield* (yield* Lease).hold(key);
  const { facts } = yield* streamOf(key);
  if (facts.holder?.who !== "us") {
    const heardAt = yield* Clock.currentTimeMillis;
    yield* note(key, { holder: { who: "us", heardAt, ttlMillis: Infinity } });
  }
  return held;
});

/** The facts of a stream whose claim has succeeded: nothing of ours is pending. */
const begin = Effect.fnUntraced(function* (key: StreamKey, headSeq: bigint) {
  const now = yield* Clock.currentTimeMillis;
  const { durableAt = now } = (yield* streamOf(key)).facts;
  yield* note(key, { pendingPages: 0, tailAt: undefined, durableAt, headSeq });
  yield* succeeded(yield* part(key, "follower"));
});

const COMMIT_TIMEOUT = "10 seconds";
/** With the rollback and the lease given back, a stop takes 2.5 seconds at most. */
const SHUTDOWN_TIMEOUT = "1 second";

/** Reads and checks pages into the buffer until the stream ends. */
const fill = Effect.fnUntraced(function* (
  buffer: PageBuffer,
  stream: PageStream,
  key: StreamKey,
): Effect.fn.Return<void, FollowError> {
  const one = Effect.gen(function* () {
    yield* buffer.room;
    const page = yield* stream.pull;
    if (page === undefined) return false;
    const commit = Decode.commitOf(page);
    yield* addPending(key, 1);
    buffer.put(commit);
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
  Effect.flatMap(streamOf(key), ({ facts }) =>
    note(key, { pendingPages: Math.max(0, facts.pendingPages + pages) }),
  );

/** One large page; small ones are bounded by `batchPages`. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

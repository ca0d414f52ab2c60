/**
 * Commits that outlive a store that goes away: retried with backoff, never dropped, never applied
 * twice.
 *
 * A connection that breaks while COMMIT is on its way leaves the outcome open. Before a batch is
 * tried again the store is asked where it stands: at the batch's end, under our own epoch and with
 * the hash of its last page, it is done.
 */
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Random from "effect/Random";
import type { Fenced, SinkError } from "../Errors.ts";
import { updateHealth } from "../Health.ts";
import type { LeaseHandle } from "../Lease.ts";
import * as Metrics from "../Metrics.ts";
import type { Batch, Checkpoint, StreamKey } from "../Model.ts";
import type { SinkService } from "../Sink.ts";

const BACKOFF_BASE_MILLIS = 200;
const BACKOFF_CAP_MILLIS = 5000;
/** Somebody has to make room first. */
const DISK_FULL_MILLIS = 30_000;

/**
 * Claims the stream, waiting while the store is away. Without a lease there is no epoch of our own:
 * the epoch of the store is taken over, and its position is the fence.
 */
const claim = (
  sink: SinkService,
  key: StreamKey,
  held: LeaseHandle,
): Effect.Effect<
  { readonly epoch: number; readonly standing: Checkpoint | undefined },
  SinkError | Fenced
> => {
  const at = (epoch: number) =>
    Effect.map(
      retryWhileUnavailable(key, () => sink.claim(key, epoch)),
      (standing) => ({ epoch, standing }),
    );
  return Effect.catchTag(at(held.epoch), "Fenced", (fenced) =>
    held.exclusive === false && fenced.fence !== undefined ? at(fenced.fence) : Effect.fail(fenced),
  );
};

/** Commits a batch, waiting while the store is away. */
const commit = (
  sink: SinkService,
  batch: Batch,
  epoch: number,
  options: { readonly shutdownMillis: number; readonly onCommitted: () => void },
): Effect.Effect<void, SinkError | Fenced> =>
  Effect.gen(function* () {
    const committed = Effect.sync(options.onCommitted);
    const begun = yield* Clock.currentTimeMillis;
    let uncertain = false;
    yield* retryWhileUnavailable(batch.key, () =>
      Effect.gen(function* () {
        if (uncertain) {
          const standing = yield* sink.claim(batch.key, epoch);
          if (ownsBuffer(standing, batch.checkpoint)) return yield* committed;
        }
        uncertain = true;
        const work = Effect.andThen(sink.commit(batch, epoch), committed);
        return yield* finishing(work, options.shutdownMillis);
      }),
    );
    yield* recordBatch(batch, begun);
  });

const ownsBuffer = (standing: Checkpoint | undefined, wanted: Checkpoint): boolean =>
  standing !== undefined &&
  standing.seq === wanted.seq &&
  standing.nextId === wanted.nextId &&
  standing.checksum === wanted.checksum;

/**
 * Once begun, a transaction is let finish when the run is stopped, for `shutdownMillis`; then it is
 * told to roll back, and a store that does not even answer that is not waited for.
 */
const finishing = <A, E>(work: Effect.Effect<A, E>, shutdownMillis: number): Effect.Effect<A, E> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(Effect.interruptible(work));
      const ended = yield* Deferred.make<void>();
      const watch = Effect.gen(function* () {
        yield* Effect.sleep(shutdownMillis);
        yield* Effect.forkDetach(Fiber.interrupt(fiber));
        yield* Effect.sleep(ROLLBACK_MILLIS);
        yield* Deferred.succeed(ended, undefined);
      });
      return yield* restore(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() =>
          Effect.gen(function* () {
            const watching = yield* Effect.forkDetach(Effect.interruptible(watch));
            yield* Effect.raceFirst(Fiber.await(fiber), Deferred.await(ended));
            yield* Fiber.interrupt(watching);
          }),
        ),
      );
    }),
  );

const ROLLBACK_MILLIS = 500;

const retryWhileUnavailable = <A>(
  key: StreamKey,
  attempt: () => Effect.Effect<A, SinkError | Fenced>,
): Effect.Effect<A, SinkError | Fenced> =>
  Effect.gen(function* () {
    let tries = 0;
    while (true) {
      const result = yield* Effect.result(attempt());
      if (result._tag === "Success") {
        if (tries > 0) yield* updateHealth(key, { degraded: false });
        return result.success;
      }
      const error = result.failure;
      if (!error.isRetryable) return yield* Effect.fail(error);
      yield* updateHealth(key, { degraded: true, caughtUp: false });
      yield* Metrics.record(Metrics.caughtUp, key, 0);
      yield* Metrics.record(Metrics.retries, key, 1, { error: error._tag });
      yield* Effect.logWarning(`${key.source}/${key.realm}: ${error.message}; trying again`);
      const isFull = error._tag === "SinkError" && error.kind === "diskFull";
      const ceiling = isFull
        ? DISK_FULL_MILLIS
        : Math.min(BACKOFF_CAP_MILLIS, BACKOFF_BASE_MILLIS * 2 ** tries);
      tries += 1;
      yield* Effect.sleep(ceiling * (0.5 + (yield* Random.next) / 2));
    }
  });

const recordBatch = Effect.fnUntraced(function* (batch: Batch, begun: number) {
  const { key } = batch;
  const now = yield* Clock.currentTimeMillis;
  yield* updateHealth(key, { lastCommitAt: now, lastDurableAt: now });
  yield* Metrics.record(Metrics.stageMillis, key, (now - begun) / batch.pages.length, {
    stage: "commit",
  });
  yield* Metrics.record(Metrics.pages, key, batch.pages.length);
  for (const { page, stashes, markets, quarantine } of batch.pages) {
    yield* Metrics.record(Metrics.rows, key, stashes.length + markets.length);
    yield* Metrics.record(Metrics.bytes, key, page.raw.length);
    yield* Metrics.record(Metrics.wireBytes, key, page.wireBytes);
    if (page.gaps.length > 0) yield* Metrics.record(Metrics.gaps, key, page.gaps.length);
    for (const record of quarantine) {
      yield* Metrics.record(Metrics.quarantined, key, 1, { error: record.errorTag });
    }
  }
});

/** See the module. */
export const commitWithRetry = { claim, commit } as const;

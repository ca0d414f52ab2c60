/**
 * Commits that outlive a store that goes away: retried with backoff, never dropped, never applied
 * twice.
 *
 * A connection that breaks while COMMIT is on its way leaves the outcome open. Before a batch is
 * tried again the store is asked where it stands: at the batch's end, under our own epoch and with
 * the hash of its last page, it is done.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Fenced, SinkError } from "../Errors.ts";
import type { LeaseHandle } from "../Lease.ts";
import * as Metrics from "../Metrics.ts";
import type { Batch, Checkpoint, StreamKey } from "../Model.ts";
import { note, part, stream } from "../Parts.ts";
import type { SinkService } from "../Sink.ts";
import { release } from "./ownedBytes.ts";
import { untilAvailable } from "./attempt.ts";

/** Bytes of a batch for which its commit gets a second more. */
const BYTES_PER_SECOND = 1024 * 1024;

/**
 * Claims the stream, waiting while the store is away. Without a lease there is no epoch of our own:
 * the epoch of the store is taken over, and its position is the fence.
 */
export const claim = (
  sink: SinkService,
  key: StreamKey,
  held: LeaseHandle,
): Effect.Effect<
  { readonly epoch: number; readonly standing: Checkpoint | undefined },
  SinkError | Fenced
> =>
  Effect.flatMap(part(key, "commit"), (cell) => {
    const at = (epoch: number) =>
      Effect.map(
        untilAvailable(
          cell,
          { operation: "claim" },
          Effect.suspend(() => sink.claim(key, epoch)),
        ),
        (standing) => ({ epoch, standing }),
      );
    return Effect.catchTag(at(held.epoch), "Fenced", (fenced) =>
      held.exclusive === false && fenced.fence !== undefined
        ? at(fenced.fence)
        : Effect.fail(fenced),
    );
  });

interface CommitOptions {
  /** Time for a commit, besides what its size adds. */
  readonly timeoutMillis: number;
  readonly shutdownMillis: number;
  readonly onCommitted: () => void;
}

/** Commits a batch, waiting while the store is away. */
export const commit = (
  sink: SinkService,
  batch: Batch,
  epoch: number,
  options: CommitOptions,
): Effect.Effect<void, SinkError | Fenced> =>
  Effect.gen(function* () {
    const cell = yield* part(batch.key, "commit");
    const begun = yield* Clock.currentTimeMillis;
    let isCounted = false;
    // A commit that was given up may still succeed while it is looked for.
    const committed = Effect.sync(() => {
      if (!isCounted) options.onCommitted();
      isCounted = true;
    });
    let tries = 0;
    const attempt = Effect.suspend(() => {
      tries += 1;
      const write = Effect.suspend(() => Effect.andThen(sink.commit(batch, epoch), committed));
      if (tries === 1) return write;
      return Effect.flatMap(sink.claim(batch.key, epoch), (standing) =>
        isAt(standing, batch.checkpoint) ? committed : write,
      );
    });
    const bytes = batch.pages.reduce((sum, { page }) => sum + page.wire.length, 0);
    const bounds = {
      operation: "commit",
      deadlineMillis: options.timeoutMillis + (1000 * bytes) / BYTES_PER_SECOND,
      graceMillis: options.shutdownMillis,
    };
    yield* untilAvailable(cell, bounds, attempt);
    yield* recordBatch(batch, begun);
    // An attempt that was given up may still be reading them.
    if (tries > 1) return;
    for (const { page } of batch.pages) {
      release(page.raw);
      release(page.wire);
    }
  });

const isAt = (standing: Checkpoint | undefined, wanted: Checkpoint): boolean =>
  standing !== undefined &&
  standing.seq === wanted.seq &&
  standing.nextId === wanted.nextId &&
  standing.checksum === wanted.checksum;

const recordBatch = Effect.fnUntraced(function* (batch: Batch, begun: number) {
  const { key } = batch;
  const now = yield* Clock.currentTimeMillis;
  const { facts } = yield* stream(key);
  // A batch is all that was received when it was begun; pages that came since are not durable.
  const durableAt = facts.pendingPages > batch.pages.length ? begun : now;
  yield* note(key, { durableAt, headSeq: batch.checkpoint.seq });
  yield* Metrics.record(Metrics.stageMillis, key, (now - begun) / batch.pages.length, {
    stage: "commit",
  });
  yield* Metrics.record(Metrics.pages, key, batch.pages.length);
  for (const { page, stashes, markets, quarantine } of batch.pages) {
    yield* Metrics.record(Metrics.rows, key, stashes.length + markets.length);
    yield* Metrics.record(Metrics.bytes, key, page.raw.length);
    yield* Metrics.record(Metrics.wireBytes, key, page.wire.length);
    if (page.gaps.length > 0) yield* Metrics.record(Metrics.gaps, key, page.gaps.length);
    for (const record of quarantine) {
      yield* Metrics.record(Metrics.quarantined, key, 1, { error: record.errorTag });
    }
  }
});

/**
 * Moves the checkpoint of a stream to another change id without following it.
 *
 * Use it when the service rejects the saved id for good, or to skip history. The skipped history is
 * recorded as a gap in the transaction that moves the checkpoint. The stream must be free: stop its
 * follower first. The epoch rises, so a follower that still runs is fenced.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { jump } from "@game-data/stream-follower/Jump";
 * import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
 *
 * const store = StoreUrl.layer({ kind: "sqlite", path: ":memory:" });
 * const moved = jump({ source: "stashes", realm: "pc" }, "2-3-5").pipe(Effect.provide(store));
 * const { nextId } = await Effect.runPromise(moved);
 * if (nextId !== "2-3-5") throw new Error("the next follower begins there");
 * ```
 */
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { batchOf } from "./Decode.ts";
import { type Fenced, type SinkError, StreamInUse } from "./Errors.ts";
import { Lease } from "./Lease.ts";
import { type Checkpoint, keyName, type StreamKey } from "./Model.ts";
import { Sink } from "./Sink.ts";
import { blankPage } from "./core/blankPage.ts";
import * as commitWithRetry from "./core/commitWithRetry.ts";

/** Options of a jump. */
export interface JumpOptions {
  /** Maximum wait for a process that holds the stream. Default 1 second. */
  readonly wait?: Duration.Input;
}

/** Moves the checkpoint and returns it. A stream that already stands there is left alone. */
export const jump = (
  key: StreamKey,
  id: string,
  options: JumpOptions = {},
): Effect.Effect<Checkpoint, SinkError | Fenced | StreamInUse, Sink | Lease> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sink = yield* Sink;
      const held = yield* (yield* Lease).hold(key).pipe(
        Effect.timeoutOrElse({
          duration: options.wait ?? "1 second",
          orElse: () => Effect.fail(new StreamInUse({ stream: keyName(key) })),
        }),
      );
      const { epoch, standing } = yield* commitWithRetry.claim(sink, key, held);
      if (standing?.nextId === id) return standing;
      const previousSeq = standing?.seq ?? 0n;
      // Without body and rows: stores need no other way to write a gap and a checkpoint.
      const page = blankPage({
        key,
        requestedId: standing?.nextId,
        nextId: id,
        seq: previousSeq + 1n,
        previousSeq,
        // The service was not heard: the lag goes on.
        receivedAt: standing?.receivedAt ?? Math.floor(yield* Clock.currentTimeMillis),
        gaps: standing === undefined ? [] : [{ kind: "jumped", from: standing.nextId, to: id }],
      });
      const batch = batchOf({ page, stashes: [], markets: [], quarantine: [] });
      yield* sink.commit(batch, epoch);
      return { ...batch.checkpoint, epoch };
    }),
  );

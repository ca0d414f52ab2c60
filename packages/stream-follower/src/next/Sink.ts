/**
 * Port to a store that takes rows and checkpoint in one transaction.
 *
 * Two functions are the whole contract. `claim` raises the fence and returns the checkpoint. `commit`
 * writes a batch whole or not at all, and only if the store is at the page where the batch begins and
 * no newer epoch has claimed it. `./testing` has the laws to test a store of your own by
 * (`examples/own-sink.ts`, `examples/folder-sink.ts`).
 */
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { Fenced, SinkError } from "./Errors.ts";
import type { Batch, Checkpoint, StreamKey } from "./Model.ts";

/** The functions of a sink. */
export interface SinkService {
  /**
   * Set by a sink that keeps whole pages and leaves their rows to readers. The follower then does
   * not read rows, and `stashes` and `markets` of a commit are empty.
   */
  readonly isPageLog?: boolean;
  /**
   * Makes `epoch` the fence of the stream, unless the fence is newer, and returns the checkpoint
   * (`undefined` for an empty store). With the same epoch again it only reads.
   */
  readonly claim: (
    key: StreamKey,
    epoch: number,
  ) => Effect.Effect<Checkpoint | undefined, SinkError | Fenced>;
  /**
   * Writes rows, quarantine, gaps and checkpoint in one transaction. Fails with `Fenced`, and writes
   * nothing, if the fence is newer than `epoch` or the store is not at `batch.previousSeq`.
   */
  readonly commit: (batch: Batch, epoch: number) => Effect.Effect<void, SinkError | Fenced>;
  /** Records that the end of the stream was polled. It is no part of the guarantee. */
  readonly polled?: (key: StreamKey, at: number) => Effect.Effect<void, SinkError>;
}

/** The sink that a follower writes to. */
export class Sink extends Context.Service<Sink, SinkService>()("@game-data/stream-follower/Sink") {}

/**
 * Interface to a store that takes rows and checkpoint in one transaction.
 *
 * Two functions are the whole contract. `claim` raises the fence and returns the checkpoint.
 * `commit` writes a page whole or not at all, and only if the store is at the page before it and no
 * newer epoch has claimed the stream. `./testing` has laws that a store of your own must keep
 * (`examples/own-sink.ts`, `examples/folder-sink.ts`).
 */
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { Fenced, SinkError } from "./Errors.ts";
import type { Checkpoint, PageCommit, StreamKey } from "./Model.ts";

/** Service that stores pages. A sink of your own needs `claim` and `commit`. */
export interface SinkService {
  /**
   * Set by a sink that keeps whole pages and leaves their rows to readers. The follower then does
   * not read rows, and `stashes` and `markets` of a commit are empty.
   */
  readonly isPageLog?: boolean;
  /**
   * Makes `epoch` the fence of the stream, unless the fence is newer, and returns the checkpoint
   * (`undefined` for an empty store). With the same epoch again, only returns the checkpoint.
   */
  readonly claim: (
    key: StreamKey,
    epoch: number,
  ) => Effect.Effect<Checkpoint | undefined, SinkError | Fenced>;
  /**
   * Writes rows, quarantine, gaps and the checkpoint after the page in one transaction. Fails with
   * `Fenced`, and writes nothing, if the fence is newer than `epoch` or the store is not at
   * `page.previousSeq`.
   */
  readonly commit: (commit: PageCommit, epoch: number) => Effect.Effect<void, SinkError | Fenced>;
  /** Records the time of a poll at the end of the stream, for the status. */
  readonly polled?: (key: StreamKey, at: number) => Effect.Effect<void, SinkError>;
}

/** Store to which a follower commits pages: a store of this package, or your own. */
export class Sink extends Context.Service<Sink, SinkService>()("@game-data/stream-follower/Sink") {}

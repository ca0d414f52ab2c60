/**
 * Port to a store that takes rows and checkpoint in one transaction.
 *
 * Two functions are the whole contract. `claim` raises the fence and returns the checkpoint. `commit`
 * writes a page whole or not at all, and only if the store is at the page before it and no newer epoch
 * has claimed the stream. `./testing` has the laws to test a store of your own by
 * (`examples/own-sink.ts`, `examples/folder-sink.ts`).
 */
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { Fenced, SinkError } from "./Errors.ts";
import type { HolderState } from "./Status.ts";
import type { Checkpoint, PageCommit, QuarantineRecord, Row, StreamKey } from "./Model.ts";

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
   * Writes rows, quarantine, gaps and the checkpoint after the page in one transaction. Fails with
   * `Fenced`, and writes nothing, if the fence is newer than `epoch` or the store is not at
   * `page.previousSeq`.
   */
  readonly commit: (commit: PageCommit, epoch: number) => Effect.Effect<void, SinkError | Fenced>;
  /** Records the time of a poll at the end of the stream, for the status. */
  readonly polled?: (key: StreamKey, at: number) => Effect.Effect<void, SinkError>;
}

/** The sink that a follower writes to. */
export class Sink extends Context.Service<Sink, SinkService>()("@game-data/stream-follower/Sink") {}

/** The status of a stream in a store. */
export interface StoreStatus {
  readonly key: StreamKey;
  /** The change id to request next. */
  readonly nextId: string;
  /** Number of the last page. */
  readonly seq: bigint;
  /** The fence. */
  readonly epoch: number;
  /**
   * The process that holds the lease, the time until which it holds it, and the state of its follower
   * at the last renewal.
   */
  readonly holder?:
    | (Partial<HolderState> & { readonly owner: string; readonly until: number })
    | undefined;
  /** Pages applied in all. */
  readonly pages: number;
  /** Listed stashes, or markets, in the derived tables. */
  readonly rows: number;
  /** Items in the listed stashes. */
  readonly items: number;
  /** Pages and rows that could not be applied and were not replayed. */
  readonly quarantined: number;
  readonly gaps: number;
  /** Arrival time of the last page, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Time of the last poll at the end of the stream, in milliseconds since 1970. */
  readonly polledAt: number | undefined;
  /** Bytes of the pages in the log, and the number of the oldest page. */
  readonly logBytes: number;
  readonly oldestSeq: bigint | undefined;
  readonly indexers: ReadonlyArray<IndexerStatus>;
}

/** Progress of an indexer. */
export interface IndexerStatus {
  readonly name: string;
  /** The last page that it has applied. */
  readonly seq: bigint;
  /** Distance to the end of the log: pages, or seconds of history for the exchange. */
  readonly behind: number;
  /** Pages and rows that it could not apply. */
  readonly quarantined: number;
}

/** A quarantine record in a store. */
export interface StoredQuarantine extends QuarantineRecord {
  /** Its number, unique among the records of one indexer. */
  readonly id: number;
  /** Name of the indexer that could not apply it. Absent for a page that the follower gave up. */
  readonly indexer?: string | undefined;
  readonly key: StreamKey;
  /** Number of its page. */
  readonly seq: bigint;
  /** Time at which it was quarantined, in milliseconds since 1970. */
  readonly firstSeen: number;
}

/** Operations of a store besides following. */
export interface StoreService {
  /** Every stream of the store. */
  readonly status: Effect.Effect<ReadonlyArray<StoreStatus>, SinkError>;
  /** The records that were not replayed. */
  readonly quarantine: Effect.Effect<ReadonlyArray<StoredQuarantine>, SinkError>;
  /**
   * Applies the rows of a record under the number of its page, so that they do not replace newer ones,
   * and removes the record.
   */
  readonly resolve: (
    record: StoredQuarantine,
    rows: ReadonlyArray<Row>,
  ) => Effect.Effect<void, SinkError>;
}

/** Status and quarantine of a store. */
export class Store extends Context.Service<Store, StoreService>()(
  "@game-data/stream-follower/Store",
) {}

/**
 * Destination of pages: a store that takes rows and checkpoint in one transaction.
 *
 * Two functions are the whole contract. `claim` raises the fence and says where the store stands;
 * `commit` writes a batch whole or not at all, and only if the store still stands where the batch
 * begins and no newer epoch has claimed it. A store of your own needs no more
 * (`examples/own-sink.ts`, `examples/folder-sink.ts`); `./testing` has the laws to test it by. A
 * broker without transactions fits as well: publish with message ids, wait for every
 * acknowledgement, then move the checkpoint by compare-and-set on the epoch; delivery is then at
 * least once.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { Sink } from "@game-data/stream-follower/Sink";
 * import { SinkSqlite } from "@game-data/stream-follower/sqlite";
 *
 * const claim = Effect.flatMap(Sink, (sink) => sink.claim({ source: "stashes", realm: "pc" }, 1));
 * const standing = await Effect.runPromise(Effect.provide(claim, SinkSqlite.layer({ path: ":memory:" })));
 * if (standing !== undefined) throw new Error("an empty sink has no checkpoint");
 * ```
 */
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { Fenced, SinkError } from "./Errors.ts";
import type { DecodeLevel } from "./Decode.ts";
import type { Batch, Checkpoint, QuarantineRecord, StreamKey } from "./Model.ts";

/** The functions of a sink. */
export interface SinkService {
  /**
   * Level at which rows are checked before they are committed, unless the run sets another. A sink
   * that keeps pages and leaves rows to indexers asks for `envelope`. Default `items`.
   */
  readonly level?: DecodeLevel;
  /**
   * Makes `epoch` the fence of the stream, if it is not older than the present one, and returns
   * where the store stands (`undefined`: nothing yet). Called again with the same epoch it only
   * reads.
   */
  readonly claim: (
    key: StreamKey,
    epoch: number,
  ) => Effect.Effect<Checkpoint | undefined, SinkError | Fenced>;
  /**
   * Writes rows, quarantine, gaps and checkpoint in one transaction. Bytes and rows of the batch are
   * valid until it succeeds: a sink that keeps them longer reads `json` or copies the bytes before.
   * Fails with `Fenced`, and writes nothing, when the fence is newer than `epoch` or the store is not at
   * `batch.previousSeq`.
   */
  readonly commit: (batch: Batch, epoch: number) => Effect.Effect<void, SinkError | Fenced>;
  /** Notes that the end of the stream was polled. Optional, and never part of the guarantee. */
  readonly polled?: (key: StreamKey, at: number) => Effect.Effect<void, SinkError>;
}

/** The sink that a follower writes to. */
export class Sink extends Context.Service<Sink, SinkService>()("@game-data/stream-follower/Sink") {}

/** The status of a stream in a store. */
export interface StoreStatus {
  /** The stream. */
  readonly key: StreamKey;
  /** The id to continue with. */
  readonly nextId: string;
  /** Number of the last page. */
  readonly seq: bigint;
  /** The fence. */
  readonly epoch: number;
  /** Pages applied in all. */
  readonly pages: number;
  /** Listed stashes, or markets, that the store holds. */
  readonly rows: number;
  /** Items in the listed stashes. */
  readonly items: number;
  /** Quarantine records not yet replayed. */
  readonly quarantined: number;
  /** Gap records. */
  readonly gaps: number;
  /** Arrival time of the last page, in milliseconds since 1970. */
  readonly receivedAt: number;
  /**
   * Time of the last poll at the end of the stream, in milliseconds since 1970; `undefined` before
   * the first one.
   */
  readonly polledAt: number | undefined;
  /** Changes or markets in all pages. Stores with a log tell this and the rest. */
  readonly changes?: number;
  /** Bytes of the pages that the log keeps. */
  readonly logBytes?: number;
  /** The oldest page that the log keeps. */
  readonly oldestSeq?: bigint | undefined;
  /** Indexers that read the log. */
  readonly indexers?: ReadonlyArray<IndexerStatus>;
}

/** Progress of an indexer. */
export interface IndexerStatus {
  readonly name: string;
  /** The last page that it has applied. */
  readonly seq: bigint;
  /** Distance to the end of the log: pages, or seconds of history for the exchange. */
  readonly behind: number;
  /** Listed stashes, or markets, in its tables. */
  readonly listed: number;
  /** Items in the listed stashes. */
  readonly items: number;
  /** Changes that it could not apply. */
  readonly quarantined: number;
}

/** A quarantine record as a store keeps it. */
export interface StoredQuarantine extends QuarantineRecord {
  /** The store's number for it. */
  readonly id: number;
  /** The stream. */
  readonly key: StreamKey;
  /** Number of the page that it came with. */
  readonly seq: bigint;
  /** The indexer that could not apply it; absent where the follower quarantined it at ingest. */
  readonly indexer?: string | undefined;
  /** Time at which it was first quarantined, in milliseconds since 1970. */
  readonly firstSeen: number;
}

/** Functions that the stores of this package have besides those of a sink. */
export interface StoreService {
  /** Every stream of the store. */
  readonly status: Effect.Effect<ReadonlyArray<StoreStatus>, SinkError>;
  /** Quarantine records that are not replayed yet. */
  readonly quarantine: Effect.Effect<ReadonlyArray<StoredQuarantine>, SinkError>;
  /**
   * Applies the rows that a record now yields, under the number of the page that it came with: a
   * newer appearance of the same stash is left alone. Marks the record as replayed in the same
   * transaction.
   */
  readonly resolve: (
    record: StoredQuarantine,
    rows: ReplayedRows,
  ) => Effect.Effect<void, SinkError>;
  /** Counts a try of a record that is still unreadable. A broker changes no message. */
  readonly retried?: (record: StoredQuarantine) => Effect.Effect<void, SinkError>;
}

/** Rows won from a quarantine record. */
export type ReplayedRows = Pick<Batch["pages"][number], "stashes" | "markets">;

/** Status and quarantine of a store. */
export class Store extends Context.Service<Store, StoreService>()(
  "@game-data/stream-follower/Store",
) {}

/**
 * The page log: every page as it came over the wire, in stream order.
 *
 * The follower appends to it through `Sink` and writes nothing else. Current stashes, prices and
 * exports are derived by readers, each from a position of its own, so a slow reader never holds the
 * follower back.
 */
import { type Coding, inflate } from "@game-data/contract/inflate";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { type HistoryExpired, MalformedPage, SinkError } from "./Errors.ts";
import type { PageInfo, Row, StreamKey } from "./Model.ts";
import { readRows } from "./readPage.ts";

export interface LoggedPage extends PageInfo {
  /** Whether history before the page is missing, so the page need not continue the last page. */
  readonly followsGap: boolean;
  /** The body as it came over the wire. Empty for a page that was given up. */
  readonly body: Uint8Array;
}

/** Limits of the log. The oldest pages beyond either limit are deleted. */
export interface Retention {
  /** Largest total size of the bodies of a stream, in bytes. */
  readonly bytes?: number;
  /** Largest age of a page, in milliseconds. */
  readonly millis?: number;
}

/** The pages that a prune deleted, or would delete. */
export interface PruneReport {
  readonly pages: number;
  readonly bytes: number;
  /** Whether a reader had not yet read some of these pages. */
  readonly isAheadOfReaders: boolean;
}

/** Position of a stream in the log. */
export interface LogPosition {
  readonly key: StreamKey;
  /** The change id to request next. */
  readonly nextId: string;
  /** Number of the oldest page; `undefined` for an empty log. */
  readonly oldestSeq: bigint | undefined;
  /** Number of the newest page. */
  readonly seq: bigint;
  /** Bytes of the bodies in the log. */
  readonly bytes: number;
}

/** Service that reads and prunes the page log of a store. */
export interface PageLogService {
  readonly positions: Effect.Effect<ReadonlyArray<LogPosition>, SinkError>;
  /** Reads the page after page `after`, if it exists. Pruned pages fail with `HistoryExpired`. */
  readonly next: (
    key: StreamKey,
    after: bigint,
  ) => Effect.Effect<LoggedPage | undefined, SinkError | HistoryExpired>;
  /** Records a reader's position. Pruning waits for the slowest reader, up to twice the retention. */
  readonly acknowledge: (
    reader: string,
    key: StreamKey,
    seq: bigint,
  ) => Effect.Effect<void, SinkError>;
  /** Deletes the pages beyond the retention. `force` deletes unread pages too. */
  readonly prune: (
    key: StreamKey,
    keep: Retention,
    options?: { readonly dryRun?: boolean; readonly force?: boolean },
  ) => Effect.Effect<PruneReport, SinkError>;
  /**
   * Returns the faults of the database itself, one sentence each. `deep` compares indexes with their
   * tables too. Absent if the database checks itself.
   */
  readonly check?: (deep: boolean) => Effect.Effect<ReadonlyArray<string>, SinkError>;
}

/** Reads the pages that a follower has committed. */
export class PageLog extends Context.Service<PageLog, PageLogService>()(
  "@game-data/stream-follower/PageLog",
) {}

const ALL_CODINGS: ReadonlyArray<Coding> = ["gzip", "deflate", "br", "zstd"];

/** Inflates the body of a page. Fails if the log is damaged. */
export const inflatePage = ({
  body,
  encoding,
  rawBytes,
}: LoggedPage): Effect.Effect<Uint8Array, MalformedPage> =>
  body.length === 0
    ? Effect.succeed(body)
    : Effect.tryPromise({
        try: () => inflate(body, encoding, { limit: rawBytes + 1, codings: ALL_CODINGS }),
        catch: (cause) => {
          const detail = `the log is damaged: ${(cause as Error).message}`;
          return new MalformedPage({ detail, raw: body });
        },
      });

/** Reads the rows of a page. A page that was given up has no rows. */
export const pageRows = (page: LoggedPage): Effect.Effect<ReadonlyArray<Row>, SinkError> =>
  page.body.length === 0
    ? Effect.succeed([])
    : inflatePage(page).pipe(
        Effect.flatMap((raw) => readRows(raw, page.key.source)),
        Effect.mapError((cause) => new SinkError({ operation: "read", reason: "corrupt", cause })),
      );

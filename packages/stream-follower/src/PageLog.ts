/**
 * The page log: every page as it came over the wire, in stream order, with the checkpoint of the
 * follower that wrote it.
 *
 * A follower appends through `Sink`; nothing else is written at ingest. Everything derived (current
 * stashes, items, prices, exports) is made by indexers (`Indexer`) that read the log from a
 * position of their own, so a slow or absent indexer never holds the follower back.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { PageLog } from "@game-data/stream-follower";
 * import { SinkSqlite } from "@game-data/stream-follower/sqlite";
 * import { mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const path = join(mkdtempSync(join(tmpdir(), "log-")), "pages.db");
 * const pages = Effect.flatMap(PageLog.PageLog, (log) =>
 *   log.read({ source: "stashes", realm: "pc" }, 0n, { maxPages: 8 }),
 * );
 * const found = await Effect.runPromise(Effect.provide(pages, SinkSqlite.layer({ path })));
 * if (found.length > 0) throw new Error("nothing was followed yet");
 * ```
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { HistoryExpired, SinkError } from "./Errors.ts";
import { MalformedPage } from "./Errors.ts";
import type { MarketHour, StreamKey } from "./Model.ts";
import { hourOf } from "./Decode.ts";
import { ALL_CODINGS, inflate } from "./core/inflate.ts";
import { textOf } from "./core/PageRow.ts";
import { type LoggedChange, readMarket, type RejectedChange } from "./core/readRow.ts";

export type { LoggedChange, RejectedChange };

/** A page of the log. */
export interface LoggedPage {
  /** The stream. */
  readonly key: StreamKey;
  /**
   * Its position in the log, strictly growing per stream: the version of what the page tells. A
   * local log counts stash pages without holes; in a broker's log other messages are between them.
   */
  readonly seq: bigint;
  /** The requested id; `undefined` for the beginning of the history. */
  readonly requestedId: string | undefined;
  /** The id that follows. */
  readonly nextId: string;
  /** Arrival time, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether history before this page was not read: the page continues none of those before it. */
  readonly followsGap: boolean;
  /** `unread`: the page could not be read; its bytes are in the quarantine. */
  readonly state: "ok" | "unread";
  /** The `Content-Encoding` of `body`. */
  readonly encoding: string;
  /** The body as it came over the wire. */
  readonly body: Uint8Array;
  /** Length of the JSON text. */
  readonly rawBytes: number;
  /** CRC-32 and length of the JSON text. */
  readonly checksum: string;
  /** Changes or markets in the page. */
  readonly rows: number;
  /** Each row of the page. */
  readonly bounds: ReadonlyArray<ChangeBounds>;
}

/** Bounds of one change in the JSON text of its page, in bytes. */
export interface ChangeBounds {
  /** Start of its text. */
  readonly from: number;
  /** End of its text. */
  readonly to: number;
  /** Whether the stash is listed (`public: true`). */
  readonly isListed: boolean;
  /** Whether it was quarantined when the page was written. */
  readonly isRejected: boolean;
}

/** Limits of the log. Pages beyond either limit are deleted, the oldest first. */
export interface Retention {
  /** Bytes of bodies. */
  readonly bytes?: number;
  /** Age of a page in milliseconds. */
  readonly millis?: number;
}

/** Result of a prune: the pages that it deleted, or would delete. */
export interface PruneReport {
  readonly pages: number;
  readonly bytes: number;
  /** Whether a reader had not read all of it yet. */
  readonly isAheadOfReaders: boolean;
}

/** A stream of the log. */
export interface LogPosition {
  readonly key: StreamKey;
  /** The id to continue with. */
  readonly nextId: string;
  /** The oldest page that is kept; `undefined` for an empty log. */
  readonly oldestSeq: bigint | undefined;
  /** The newest page. */
  readonly seq: bigint;
  /** Bytes of the bodies that are kept. */
  readonly bytes: number;
}

/** The functions of a log. */
export interface PageLogService {
  /** Every stream of the log. */
  readonly positions: Effect.Effect<ReadonlyArray<LogPosition>, SinkError>;
  /**
   * The pages after `after`, oldest first: at most `maxPages`, and no more than `maxBytes` of
   * bodies besides the first. Empty at the end of the log. Fails with `HistoryExpired` where pages
   * after `after` were pruned.
   */
  readonly read: (
    key: StreamKey,
    after: bigint,
    options?: { readonly maxPages?: number; readonly maxBytes?: number },
  ) => Effect.Effect<ReadonlyArray<LoggedPage>, SinkError | HistoryExpired>;
  /** Notes how far a reader has read. Pruning waits for the slowest, up to twice the retention. */
  readonly acknowledge: (
    reader: string,
    key: StreamKey,
    seq: bigint,
  ) => Effect.Effect<void, SinkError>;
  /**
   * What is wrong with the database itself, one sentence each; with `deep`, its indexes are compared
   * with its tables too. Absent where a database checks itself.
   */
  readonly check?: (deep: boolean) => Effect.Effect<ReadonlyArray<string>, SinkError>;
  /** Deletes what the retention does not keep. */
  readonly prune: (
    key: StreamKey,
    keep: Retention,
    options?: { readonly dryRun?: boolean; readonly force?: boolean },
  ) => Effect.Effect<PruneReport, SinkError>;
}

/** The page log that indexers read. */
export class PageLog extends Context.Service<PageLog, PageLogService>()(
  "@game-data/stream-follower/PageLog",
) {}

/** Inflates the body of a page. */
export const jsonOf = (page: LoggedPage): Effect.Effect<Uint8Array, MalformedPage> =>
  page.state === "unread"
    ? Effect.succeed(new Uint8Array())
    : inflate(page.body, {
        encoding: page.encoding,
        limit: page.rawBytes + 1,
        codings: ALL_CODINGS,
      }).pipe(
        Effect.mapError(
          (error) =>
            new MalformedPage({ detail: `the log is damaged: ${error.message}`, raw: page.body }),
        ),
      );

/**
 * The changes of a page whose JSON text is `raw`, or the markets of an hour, without those that were
 * quarantined. Each is a text that still has to be parsed, and may turn out not to be JSON.
 */
export function* changes(page: LoggedPage, raw: Uint8Array): Generator<LoggedChange> {
  for (const [place, { from, isRejected, to }] of page.bounds.entries()) {
    if (!isRejected) yield { place, json: textOf(raw.subarray(from, to)) };
  }
}

/** The markets of a page of the exchange, and the rows that turn out to be none. */
export const markets = (page: LoggedPage, raw: Uint8Array): LoggedMarkets => {
  const hour = hourOf(page);
  const good: Array<MarketHour> = [];
  const rejected: Array<RejectedChange> = [];
  for (const change of changes(page, raw)) {
    const found = readMarket(change, hour);
    if ("message" in found) rejected.push(found);
    else good.push(found);
  }
  return { markets: good, rejected };
};

/** The rows of an hour. */
export interface LoggedMarkets {
  readonly markets: ReadonlyArray<MarketHour>;
  readonly rejected: ReadonlyArray<RejectedChange>;
}

/** A logged page as indexers and rebuilds get it: decompressed, its changes as texts. */
import * as Effect from "effect/Effect";
import { Fenced, SinkError } from "../Errors.ts";
import {
  changes,
  jsonOf,
  type LoggedChange,
  type LoggedMarkets,
  type LoggedPage,
  markets,
} from "../PageLog.ts";

/** A page for an indexer. */
export interface IndexedPage extends LoggedPage, LoggedMarkets {
  /** The changes that were not quarantined at ingest; none for the exchange. */
  readonly changes: Iterable<LoggedChange>;
}

/** Inflates a page on the thread pool. A body that the log cannot give back is a damaged store. */
export const indexedPage = (page: LoggedPage): Effect.Effect<IndexedPage, SinkError> =>
  jsonOf(page).pipe(
    Effect.map((raw) => ({
      ...page,
      ...(page.key.source === "stashes"
        ? { changes: changes(page, raw), markets: [], rejected: [] }
        : { changes: [], ...markets(page, raw) }),
    })),
    Effect.mapError((cause) => new SinkError({ operation: "read", kind: "corrupt", cause })),
  );

/** Name and tables of an indexer over a database. */
export interface IndexerTables {
  readonly name: string;
  /** Raised when the tables change: they are dropped and made anew, and the log is read again. */
  readonly version: number;
  /** The tables, indexes and virtual tables, by name, and the statement that makes each. */
  readonly tables: Readonly<Record<string, string>>;
}

/** What is kept of a change, or of a whole page, that cannot be applied. */
export interface KeptRecord {
  readonly kind: "row" | "page";
  /** Absent for a whole page. */
  readonly place?: number;
  readonly json: string | Uint8Array;
  readonly errorTag: string;
  readonly message: string;
}

/** The error of an indexer whose position another process has moved. */
export const positionMoved = (name: string, after: bigint): Fenced =>
  new Fenced({ epoch: 0, detail: `the indexer ${name} is no longer at page ${after}` });

/** Error tag of a page that an indexer could not apply. */
export const POISON_PAGE = "PoisonPage";

/** The text of a page for the quarantine, or its body as it came where that cannot be inflated. */
export const textOrBody = (page: LoggedPage): Effect.Effect<Uint8Array> =>
  jsonOf(page).pipe(Effect.catch(() => Effect.succeed(page.body)));

/**
 * The search index: an indexer of `stream-follower` over a SQLite file beside the web server. It is
 * derived from the page log, so a deleted index is built again.
 */
import { Indexer } from "@game-data/stream-follower";
import { Effect } from "effect";
import { type Realm, STREAMS } from "../openLog.ts";
import { applyStashes } from "./listings.ts";
import { applyMarkets } from "./markets.ts";
import { TABLES } from "./tables.ts";

const definition: Indexer.IndexerDefinition = {
  name: "search",
  version: 5,
  tables: () => TABLES,
  apply: (page, tools) =>
    page.key.source === "stashes" ? applyStashes(page, tools) : applyMarkets(page, tools),
};

export const indexFile = (path: string): string => `${path}.index`;

/** Opens the index at `path`. Makes its tables at once, so that readers find them. */
export const openIndex = Effect.fnUntraced(function* (path: string) {
  const indexer = yield* Indexer.open({ kind: "sqlite", path }, definition);
  // Most pages of an index are written at random places. The cache keeps them in memory, and a
  // checkpoint writes many changes of a page at once.
  yield* indexer.sql`PRAGMA cache_size = -262144`;
  yield* indexer.sql`PRAGMA wal_autocheckpoint = 4000`;
  // Query threads that were terminated leave connections open, so closing this connection would not
  // copy the write-ahead log into the file.
  yield* Effect.addFinalizer(() => Effect.ignore(indexer.sql`PRAGMA wal_checkpoint(TRUNCATE)`));
  return indexer;
});

/** Applies both streams of a realm, up to the end of the log or without an end. */
export const runIndexer = (
  indexer: Indexer.Indexer,
  realm: Realm,
  until: "caughtUp" | "forever" = "forever",
) =>
  Effect.forEach(
    STREAMS,
    (source) =>
      Indexer.run(indexer, {
        key: { source, realm },
        until,
        onHistoryExpired: "skip",
        onPoison: "skip",
      }),
    { concurrency: "unbounded", discard: true },
  );

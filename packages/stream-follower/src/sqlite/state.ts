/**
 * The state indexer: the stashes as they stand now, each with its document, and the markets of each
 * hour, derived from the page log into `FILE.index`.
 *
 * Tables: `stash` (unlisted ones stay as tombstones), `stash_doc` (zstd of the change as the
 * service sent it), `market`. `changes` is the change feed: stashes that changed after a page.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync } from "node:zlib";
import type { SinkError } from "../Errors.ts";
import type { StreamKey } from "../Model.ts";
import type { ReplayedRows, StoredQuarantine } from "../Sink.ts";
import type { LoggedChange, LoggedPage } from "../PageLog.ts";
import { replayedPage } from "../core/blankPage.ts";
import { storedText } from "../core/inflate.ts";
import { displayText, idOfKey, oddId, stashKey } from "../core/stashKey.ts";
import { readChange } from "../core/readRow.ts";
import {
  type IndexTools,
  type IndexWriter,
  make as makeIndexer,
  type SqliteIndexer,
} from "./indexer.ts";
import { attempt, indexPath, transact, prepareAll } from "./schema.ts";

/** Options of the indexer. */
export interface SqliteStateOptions {
  /** The file of the log; the derived tables are in `PATH.index`. */
  readonly path: string;
}

/** One entry of the change feed. */
export interface StashFeedEntry {
  readonly id: string;
  /** Number of the page that changed it last. */
  readonly seq: bigint;
  readonly isPublic: boolean;
  readonly account: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly league: string | null;
  readonly items: number;
  /** Times at which it was first and last seen, in milliseconds since 1970. */
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** The tables. */
export const TABLES: Readonly<Record<string, string>> = {
  stash: `CREATE TABLE stash (
    no INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, odd_id TEXT, realm TEXT NOT NULL, seq INTEGER NOT NULL,
    public INTEGER NOT NULL, account TEXT, name TEXT, type TEXT, league TEXT, items INTEGER NOT NULL,
    first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL) STRICT`,
  stash_changed: "CREATE INDEX stash_changed ON stash (realm, seq)",
  stash_account: "CREATE INDEX stash_account ON stash (account, league) WHERE public = 1",
  stash_doc: "CREATE TABLE stash_doc (no INTEGER PRIMARY KEY, doc BLOB NOT NULL) STRICT",
  market: `CREATE TABLE market (
    realm TEXT NOT NULL, hour INTEGER NOT NULL, league TEXT NOT NULL, market_id TEXT NOT NULL, seq INTEGER NOT NULL,
    doc TEXT NOT NULL, PRIMARY KEY (realm, hour, league, market_id)) STRICT, WITHOUT ROWID`,
};

/** Name of the indexer. */
export const NAME = "state";

/** The indexer, with its queries. */
export interface SqliteState extends SqliteIndexer {
  /** Stashes of a realm that changed after page `since`, in stream order; tombstones included. */
  readonly changes: (options: {
    readonly realm: StreamKey["realm"];
    readonly since: bigint;
    readonly limit?: number;
  }) => Effect.Effect<ReadonlyArray<StashFeedEntry>, SinkError>;
  /**
   * Applies rows won from a quarantine record, under the number of the page that they came with: a
   * newer appearance of the same stash is left alone. Marks the indexer's own record as resolved.
   */
  readonly replay: (record: StoredQuarantine, rows: ReplayedRows) => Effect.Effect<void, SinkError>;
  /** The document of a stash as JSON text; `undefined` for an unknown or unlisted stash. */
  readonly document: (id: string) => Effect.Effect<string | undefined, SinkError>;
}

/** Opens the indexer. */
export const make = (
  options: SqliteStateOptions,
): Effect.Effect<SqliteState, SinkError, Scope.Scope> =>
  Effect.map(
    makeIndexer({
      path: indexPath(options.path),
      name: NAME,
      version: 1,
      tables: TABLES,
      prepare: prepareState,
    }),
    (indexer) => ({ ...indexer, ...queriesOf(indexer.db), replay: replayOf(indexer) }),
  );

const replayOf =
  ({ tools, writer, db }: SqliteIndexer): SqliteState["replay"] =>
  (record, rows) =>
    attempt("replay", () =>
      transact(db, () => {
        tools.begin(record.key);
        writer.apply(replayedPage(record, rows));
        if (record.indexer === NAME) tools.resolve(record);
      }),
    );

const STATE = {
  find: "SELECT no, CAST(seq AS TEXT) AS seq, public, items FROM stash WHERE key = ?",
  insert: `INSERT INTO stash (key, odd_id, realm, seq, public, account, name, type, league, items, first_seen, last_seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  update: `UPDATE stash SET realm = ?, seq = ?, public = ?, account = ?, name = ?, type = ?, league = ?, items = ?,
       last_seen = ? WHERE no = ?`,
  setDoc:
    "INSERT INTO stash_doc (no, doc) VALUES (?, ?) ON CONFLICT DO UPDATE SET doc = excluded.doc",
  dropDoc: "DELETE FROM stash_doc WHERE no = ?",
  market: `INSERT INTO market (realm, hour, league, market_id, seq, doc) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET seq = excluded.seq, doc = excluded.doc WHERE excluded.seq >= market.seq`,
};

/** The writer of the state tables. */
export const prepareState = ({ count, db, reject }: IndexTools): IndexWriter => {
  const sql = prepareAll(db, STATE);

  const applyChange = (page: LoggedPage, change: LoggedChange): void => {
    const columns = readChange(change, () => true);
    if (columns === undefined) return;
    if ("message" in columns) return reject(page, change, "MalformedRow", columns.message);
    const { realm } = page.key;
    const listed = columns.isPublic ? 1 : 0;
    const show = (text: string | null) =>
      columns.isPublic && text !== null ? displayText(text) : null;
    const texts = [
      show(columns.account),
      show(columns.name),
      show(columns.type),
      show(columns.league),
    ] as const;
    const key = stashKey(columns.id);
    const known = sql.find.get(key) as
      | {
          readonly no: number;
          readonly seq: string;
          readonly public: number;
          readonly items: number;
        }
      | undefined;
    // A replay of an older page must not undo a newer one.
    if (known !== undefined && BigInt(known.seq) > page.seq) return;
    const seen = page.receivedAt;
    let no: number | bigint;
    if (known === undefined) {
      const odd = oddId(columns.id);
      const counts = [columns.itemCount, seen, seen] as const;
      const row = sql.insert.run(key, odd, realm, page.seq, listed, ...texts, ...counts);
      no = row.lastInsertRowid;
    } else {
      no = known.no;
      sql.update.run(realm, page.seq, listed, ...texts, columns.itemCount, seen, no);
    }
    if (columns.isPublic) sql.setDoc.run(no, zstdCompressSync(change.json, LEVEL));
    else if (known?.public === 1) sql.dropDoc.run(no);
    count(page.key, listed - (known?.public ?? 0), columns.itemCount - (known?.items ?? 0));
  };

  return {
    apply: (page) => {
      for (const change of page.changes) applyChange(page, change);
      for (const each of page.rejected) reject(page, each, "MalformedRow", each.message);
      for (const { hour, json, league, marketId } of page.markets) {
        const names = [displayText(league), displayText(marketId)] as const;
        const { changes } = sql.market.run(page.key.realm, hour, ...names, page.seq, json);
        count(page.key, Number(changes), 0);
      }
    },
  };
};

/** The fastest level: 3 % larger than the default, a third less time. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const queriesOf = (db: DatabaseSync): Pick<SqliteState, "changes" | "document"> => {
  const feed = db.prepare(
    `SELECT key, odd_id, CAST(seq AS TEXT) AS seq, public, account, name, type, league, items,
       first_seen AS firstSeen, last_seen AS lastSeen FROM stash WHERE realm = ? AND stash.seq > ? ORDER BY stash.seq, no LIMIT ?`,
  );
  const doc = db.prepare("SELECT doc FROM stash JOIN stash_doc USING (no) WHERE key = ?");
  return {
    changes: ({ realm, since, limit = 500 }) =>
      attempt("changes", () =>
        (feed.all(realm, since, limit) as unknown as Array<FeedRecord>).map(
          ({ key, odd_id: odd, public: listed, seq, ...row }) => ({
            ...row,
            id: idOfKey(key, odd),
            seq: BigInt(seq),
            isPublic: listed === 1,
          }),
        ),
      ),
    document: (id) =>
      attempt("document", () => {
        const row = doc.get(stashKey(id)) as { readonly doc: Uint8Array } | undefined;
        return row === undefined ? undefined : storedText(row.doc);
      }),
  };
};

interface FeedRecord extends Omit<StashFeedEntry, "id" | "seq" | "isPublic"> {
  readonly key: Uint8Array;
  readonly odd_id: string | null;
  readonly seq: string;
  readonly public: number;
}

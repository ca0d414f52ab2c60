/**
 * Derives tables from the page log: current stashes, items, prices.
 *
 * An indexer stores its position in the transaction of its rows. If it is killed, it continues
 * where its last transaction ended. Rows and pages that it cannot apply are kept in the table
 * `skipped`. It yields to other fibers every few milliseconds, so it may run in the follower's
 * process.
 */
import * as Cause from "effect/Cause";
import * as Data from "effect/Data";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import type { SqlClient } from "effect/sql/SqlClient";
import type { SqlError } from "effect/sql/SqlError";
import { untilAvailable, withDeadline } from "../attempt.ts";
import * as Changes from "../Changes.ts";
import { type DriverMissing, IndexerFailed, type SinkError } from "../Errors.ts";
import * as Metrics from "../Metrics.ts";
import {
  keyName,
  type PageInfo,
  type QuarantineRecord,
  type Row,
  type StreamKey,
} from "../Model.ts";
import { inflatePage, type LoggedPage, PageLog, pageRows } from "../PageLog.ts";
import * as Status from "../Status.ts";
import * as Database from "./Database.ts";
import type { StoreUrl, Words } from "./Database.ts";
import * as Schema from "./Schema.ts";
import { insertSkipped } from "./Store.ts";

type PagePlace = Pick<PageInfo, "key" | "seq" | "requestedId" | "nextId" | "receivedAt">;

/** A page with its rows, as `apply` receives it. */
export interface IndexedPage extends PagePlace {
  readonly rows: ReadonlyArray<Row>;
}

/** The client by which `apply` writes, and a function that rejects a row. */
export interface IndexTools {
  readonly sql: SqlClient;
  /** Keeps a row that cannot be applied in the table `skipped`. */
  readonly reject: (place: number, message: string) => Effect.Effect<void, SqlError>;
}

/** Describes the tables of an indexer, and writes pages to them. */
export interface IndexerDefinition {
  readonly name: string;
  /** Raise the version if the tables change. The indexer then rebuilds them from the whole log. */
  readonly version: number;
  /** Statements that create each table, by its name. `types` are the type names of the database. */
  readonly tables: (types: Words) => Readonly<Record<string, ReadonlyArray<string>>>;
  /**
   * Writes the valid rows of a page, within a transaction. It may run again with a page that was
   * applied before, so a row must not replace a newer one.
   */
  readonly apply: (page: IndexedPage, tools: IndexTools) => Effect.Effect<void, SqlError>;
}

export interface Indexer extends IndexerDefinition {
  readonly sql: SqlClient;
}

/** Connects to the derived part of a store, and creates the tables of an indexer. */
export const open = Effect.fnUntraced(function* (
  url: StoreUrl,
  definition: IndexerDefinition,
): Effect.fn.Return<Indexer, SinkError | DriverMissing, Scope.Scope> {
  const sql = yield* Schema.open(url, "index");
  yield* makeTables(sql, definition, false);
  return { ...definition, sql };
}, Database.closedOnFailure);

/** Empties the tables of an indexer, so that the next run reads the log from its beginning. */
export const reset = (indexer: Indexer): Effect.Effect<void, SinkError> =>
  makeTables(indexer.sql, indexer, true);

const makeTables = (sql: SqlClient, definition: IndexerDefinition, isReset: boolean) =>
  Effect.gen(function* () {
    const { name, version } = definition;
    // The lock keeps two processes that start together from creating the tables together.
    if (Database.isPostgres(sql)) yield* sql`SELECT pg_advisory_xact_lock(4127002)`;
    const [row] = yield* sql<{ version: bigint }>`
      SELECT version FROM indexer WHERE name = ${name} AND source = ''`;
    if (!isReset && row !== undefined && Number(row.version) === version) return;
    const tables = Object.entries(definition.tables(Database.words(sql)));
    for (const [table] of tables) yield* sql`DROP TABLE IF EXISTS ${sql(table)}`;
    for (const [, statements] of tables) {
      for (const statement of statements) yield* sql.unsafe(statement);
    }
    yield* sql`DELETE FROM indexer WHERE name = ${name}`;
    yield* sql`DELETE FROM skipped WHERE indexer = ${name}`;
    const first = { name, source: "", realm: "", seq: 0n, version: BigInt(version) };
    yield* sql`INSERT INTO indexer ${sql.insert(first)}`;
  }).pipe(sql.withTransaction, Database.translate("migrate"));

/** The stream to index, where to end, and reactions to pages that are missing or invalid. */
export interface IndexOptions {
  readonly key: StreamKey;
  /** `caughtUp` ends the run at the end of the log. Default `forever`. */
  readonly until?: "caughtUp" | "forever";
  /** Time between reads at the end of the log. Default 200 ms. */
  readonly pollInterval?: Duration.Input;
  /** Reaction to pruned unread pages. `skip` continues at the oldest page. Default `fail`. */
  readonly onHistoryExpired?: "fail" | "skip";
  /** Reaction to a page that cannot be applied. `skip` keeps it in `skipped`. Default `halt`. */
  readonly onPoison?: "halt" | "skip";
}

/** The number of pages that a run has applied, and the position of the indexer. */
export interface IndexSummary {
  readonly pages: number;
  readonly seq: bigint;
}

/** Applies the log of a stream, to its end or forever. */
export const run = Effect.fn("Indexer.run")(function* (
  indexer: Indexer,
  options: IndexOptions,
): Effect.fn.Return<IndexSummary, Changes.ChangesError | IndexerFailed, PageLog> {
  const { name } = indexer;
  const { key } = options;
  const part = `indexer ${name}`;
  const log = yield* PageLog;
  const attempt = untilAvailable(key, part, { operation: "index", duration: "55 seconds" });
  let pages = 0;
  let at = yield* attempt(readPosition(indexer, key));
  let acknowledged: bigint | undefined;
  const acknowledge = Effect.suspend(() => {
    const { version } = at;
    return version === acknowledged
      ? Effect.void
      : Effect.map(log.acknowledge(name, key, version), () => void (acknowledged = version));
  });
  const applyNext = Effect.fnUntraced(function* (page: LoggedPage) {
    yield* applyLogged(indexer, options, page, at.version);
    at = { version: page.seq, nextId: page.nextId };
    pages += 1;
    yield* Status.notePart(key, part, { seq: page.seq });
    yield* Metrics.count("indexed_pages", key, 1, { indexer: name });
  });
  const follow = Effect.gen(function* () {
    at = yield* attempt(readPosition(indexer, key));
    yield* Status.notePart(key, part, { seq: at.version });
    yield* Stream.runForEach(unread(indexer, options, at), applyNext);
  }).pipe(
    Effect.retry({ while: ({ _tag }) => _tag === "Overtaken" }),
    Effect.catchTag("Overtaken", Effect.die),
  );
  // Writes once a second only, because a commit of the follower waits for this write.
  const keepAcknowledged = acknowledge.pipe(
    withDeadline({ operation: "acknowledge", duration: "5 seconds" }),
    Effect.ignore,
    Effect.delay("1 second"),
    Effect.forever,
  );
  // Registers as a reader first, so that pruning keeps its unread pages.
  yield* attempt(acknowledge);
  yield* Effect.raceFirst(follow, keepAcknowledged);
  yield* attempt(acknowledge);
  return { pages, seq: at.version };
});

/** Another process has moved the position of the indexer. */
class Overtaken extends Data.TaggedError("Overtaken") {}

/**
 * Emits the pages after a position. Compares the position's `nextId`, because a log that was
 * restored may have other pages under the same numbers.
 */
const unread = ({ name }: Indexer, options: IndexOptions, start: Changes.Position) => {
  const { key, onHistoryExpired = "fail", pollInterval = "200 millis", until } = options;
  const pagesAfter = (after: Changes.SubscribeOptions["after"]) =>
    Changes.subscribePages({ after, key, pollInterval, until }, `indexer ${name}`);
  if (onHistoryExpired === "fail") return pagesAfter(start);
  return Stream.catchTag(pagesAfter(start), "HistoryExpired", ({ first, stream }) =>
    Effect.logWarning(`${stream}: indexer ${name} skips expired pages`).pipe(
      Effect.as(pagesAfter(first - 1n)),
      Stream.unwrap,
    ),
  );
};

/** Applies a page. `onPoison` decides if a failure ends the run or puts the page in `skipped`. */
const applyLogged = Effect.fnUntraced(function* (
  indexer: Indexer,
  { key, onPoison = "halt" }: IndexOptions,
  page: LoggedPage,
  after: bigint,
) {
  const { name, sql } = indexer;
  const applied = pageRows(page).pipe(
    Effect.flatMap((rows) =>
      move(indexer, page, after, applyPage(indexer, { ...page, rows })).pipe(
        untilAvailable(key, `indexer ${name}`, {
          operation: "index",
          // Adds 3 ms for each row, because a page may have 100,000 rows.
          duration: 55_000 + 3 * rows.length,
        }),
      ),
    ),
  );
  const giveUp = Effect.fnUntraced(function* (cause: Cause.Cause<SinkError>) {
    const error = Cause.squash(cause) as Error;
    if (Cause.hasInterrupts(cause) || Database.isRefusal(error)) {
      return yield* Effect.failCause(cause);
    }
    const { message } = error;
    const stream = keyName(key);
    if (onPoison === "halt") {
      return yield* new IndexerFailed({ indexer: name, stream, after, detail: message });
    }
    yield* Effect.logWarning(`${stream}: indexer ${name} skips page ${page.seq}: ${message}`);
    const bytes = yield* Effect.orElseSucceed(inflatePage(page), () => page.body);
    const record = { errorTag: "PoisonPage", message, bytes };
    return yield* move(indexer, page, after, keep(sql, name, page, record));
  });
  if (!(yield* Effect.catchCause(applied, giveUp))) return yield* new Overtaken();
});

const readPosition = ({ name, sql, version }: Indexer, key: StreamKey) =>
  sql<{ seq: bigint; next_id: string | null }>`
    INSERT INTO indexer ${sql.insert({ name, ...key, seq: 0n, version: BigInt(version) })}
    ON CONFLICT (name, source, realm) DO UPDATE SET version = excluded.version
    RETURNING seq, next_id`.pipe(
    Effect.map(([row]): Changes.Position => ({
      version: BigInt(row!.seq),
      nextId: row!.next_id === null ? undefined : Database.decodeId(row!.next_id),
    })),
    Database.translate("index"),
  );

/** Moves the position and writes, in one transaction, unless another process has moved it. */
const move = (
  { name, sql }: Indexer,
  { key, nextId, seq }: LoggedPage,
  after: bigint,
  write: Effect.Effect<void, SqlError>,
) =>
  Effect.gen(function* () {
    const moved = yield* sql`UPDATE indexer SET seq = ${seq}, next_id = ${Database.encodeId(nextId)}
      WHERE name = ${name} AND source = ${key.source} AND realm = ${key.realm} AND seq = ${after}
      RETURNING 1 AS moved`;
    if (moved.length > 0) yield* write;
    return moved.length > 0;
  }).pipe(sql.withTransaction, Database.translate("index"));

/**
 * Writes the valid rows of a page, and keeps the rejected rows in `skipped`, within the caller's
 * transaction.
 */
export const applyPage = ({ apply, name, sql }: Indexer, page: IndexedPage) =>
  Effect.gen(function* () {
    const reject = (place: number, message: string, errorTag = "Rejected") =>
      keep(sql, name, page, { place, errorTag, message, bytes: page.rows[place]!.bytes });
    for (const [place, { error }] of page.rows.entries()) {
      if (error !== undefined) yield* reject(place, error, "MalformedRow");
    }
    yield* apply(page, { sql, reject });
  });

/** Keeps a row, or a whole page, in the table `skipped`. */
const keep = (sql: SqlClient, indexer: string, page: PagePlace, record: QuarantineRecord) =>
  Effect.andThen(
    insertSkipped(sql, indexer, page, record),
    // A repeated transaction counts the row again. That is acceptable, because an alert on this
    // metric fires at the first row.
    Metrics.count("quarantined", page.key, 1, { error: record.errorTag }),
  );

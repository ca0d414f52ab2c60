/**
 * Indexers over PostgreSQL: they bring their tables and a function that applies a page; position,
 * versions, rebuild and quarantine are kept here, in the schema of the store or in one of their
 * own.
 *
 * The same contract as `SqliteIndexer`: each transaction writes the rows of some pages and the
 * indexer's position, so a process killed at any moment goes on without a loss or a repetition.
 */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { SqlError } from "effect/sql/SqlError";
import { zstdCompressSync } from "node:zlib";
import type { SinkError } from "../Errors.ts";
import type { Indexer } from "../Indexer.ts";
import type { StreamKey } from "../Model.ts";
import type { LoggedChange, LoggedPage } from "../PageLog.ts";
import {
  type IndexedPage,
  indexedPage,
  type IndexerTables,
  type KeptRecord,
  POISON_PAGE,
  positionMoved,
  textOrBody,
} from "../core/indexedPage.ts";
import { storableId } from "../core/sql.ts";
import { displayText } from "../core/stashKey.ts";
import { connect, type PostgresConnection, translate } from "./schema.ts";

export type { IndexedPage };

/** Connection and functions that an indexer may use in its transaction. */
export interface IndexTools {
  readonly sql: PgClient;
  /** Keeps a change that cannot be applied, and lets the others go on. */
  readonly reject: (
    page: LoggedPage,
    change: LoggedChange,
    errorTag: string,
    message: string,
  ) => Effect.Effect<void, SqlError>;
  /** Adds to the counters of the stream: listed stashes and their items. */
  readonly count: (key: StreamKey, listed: number, items: number) => Effect.Effect<void, SqlError>;
}

/** An indexer with tables of its own. */
export interface PostgresIndexerOptions extends PostgresConnection, IndexerDefinition {}

/** The tables of an indexer, and what fills them. */
export interface IndexerDefinition extends IndexerTables {
  /** Applies one page. */
  readonly apply: (page: IndexedPage, tools: IndexTools) => Effect.Effect<void, SqlError>;
}

/** An indexer over a database, with the connection for queries. */
export interface PostgresIndexer extends Indexer {
  readonly sql: PgClient;
  /** Empties the indexer's tables; the next run reads the log from its beginning. */
  readonly reset: Effect.Effect<void, SinkError>;
}

/** Connects, makes or replaces the indexer's tables, and gives the indexer. */
export const make = (
  options: PostgresIndexerOptions,
): Effect.Effect<PostgresIndexer, SinkError, Scope.Scope> =>
  Effect.gen(function* () {
    return yield* over(yield* connect(options), options);
  });

/** The same over a connection. `replayed` applies a page besides those of the log. */
export const over = (
  sql: PgClient,
  options: IndexerDefinition,
): Effect.Effect<
  PostgresIndexer & { readonly replayed: (page: IndexedPage) => Effect.Effect<void, SqlError> },
  SinkError
> =>
  Effect.gen(function* () {
    const remake = (isReset: boolean) =>
      sql.withTransaction(makeTables(sql, options, isReset)).pipe(translate("migrate"));
    yield* remake(false);
    return indexerOf(sql, options, remake(true));
  });

const makeTables = Effect.fnUntraced(function* (
  sql: PgClient,
  { name, tables, version }: IndexerDefinition,
  isReset: boolean,
): Effect.fn.Return<void, SqlError> {
  yield* sql`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})`;
  const [known] = yield* sql<{ version: number }>`
    SELECT version FROM indexer_version WHERE name = ${name}`;
  if (known?.version === version && !isReset) return;
  for (const table of Object.keys(tables).toReversed()) {
    const [found] = yield* sql<{ relkind: string }>`
      SELECT relkind FROM pg_class WHERE oid = to_regclass(${table})`;
    if (found?.relkind === "i") yield* sql`DROP INDEX ${sql(table)}`;
    else if (found !== undefined) yield* sql`DROP TABLE ${sql(table)} CASCADE`;
  }
  for (const statement of Object.values(tables)) yield* sql.unsafe(statement);
  yield* sql`DELETE FROM indexer WHERE name = ${name}`;
  yield* sql`DELETE FROM quarantine WHERE indexer = ${name}`;
  yield* sql`INSERT INTO indexer_version (name, version) VALUES (${name}, ${version})
    ON CONFLICT (name) DO UPDATE SET version = excluded.version`;
});

const LOCK_NUMBER = 4_127_002;

/** Position, counters and quarantine of an indexer. */
const booksOf = (sql: PgClient, name: string) => {
  const of = ({ realm, source }: StreamKey) =>
    sql`name = ${name} AND source = ${source} AND realm = ${realm}`;
  const keep = Effect.fnUntraced(function* (page: LoggedPage, kept: KeptRecord) {
    const { key, nextId, receivedAt, requestedId, seq } = page;
    const { errorTag, json, kind, message, place = null } = kept;
    yield* sql`INSERT INTO quarantine
      (source, realm, seq, kind, requested_id, next_id, error_tag, message, bytes_zstd, first_seen, tries, indexer, place)
      VALUES (${key.source}, ${key.realm}, ${seq}, ${kind},
        ${requestedId === undefined ? null : storableId(requestedId)}, ${storableId(nextId)}, ${errorTag},
        ${displayText(message)}, ${zstdCompressSync(json)}, ${BigInt(Math.floor(receivedAt))}, ${1},
        ${name}, ${place})`;
    yield* sql`UPDATE indexer SET quarantined = quarantined + 1 WHERE ${of(key)}`;
  });
  const begin = ({ realm, source }: StreamKey) =>
    sql`INSERT INTO indexer (name, source, realm, seq) VALUES (${name}, ${source}, ${realm}, 0)
      ON CONFLICT DO NOTHING`;
  /** Moves the position and writes, in one transaction. */
  const move = (key: StreamKey, after: bigint, to: bigint, write: Effect.Effect<void, SqlError>) =>
    Effect.gen(function* () {
      yield* begin(key);
      // The first statement that writes is the fence: a second process waits here, and fails.
      const moved = yield* sql`UPDATE indexer SET seq = ${to}
        WHERE ${of(key)} AND seq = ${after} RETURNING 1 AS moved`;
      if (moved.length === 0) return yield* positionMoved(name, after);
      yield* write;
    }).pipe(sql.withTransaction, translate("index"));
  return { begin, keep, move, of };
};

const indexerOf = (
  sql: PgClient,
  { apply, name, version }: IndexerDefinition,
  reset: Effect.Effect<void, SinkError>,
) => {
  const { begin, keep, move, of } = booksOf(sql, name);
  const tools: IndexTools = {
    sql,
    count: (key, listed, items) =>
      Effect.asVoid(
        sql`UPDATE indexer SET listed = listed + ${listed}, items = items + ${items} WHERE ${of(key)}`,
      ),
    reject: (page, change, errorTag, message) =>
      keep(page, { kind: "row", ...change, errorTag, message }),
  };
  const indexer: PostgresIndexer = {
    name,
    version,
    sql,
    reset,
    position: (key) =>
      Effect.map(sql<{ seq: bigint }>`SELECT seq FROM indexer WHERE ${of(key)}`, ([row]) =>
        BigInt(row?.seq ?? 0),
      ).pipe(translate("position")),
    apply: (key, pages, after) =>
      Effect.flatMap(Effect.forEach(pages, indexedPage), (whole) =>
        move(
          key,
          after,
          whole.at(-1)!.seq,
          Effect.forEach(whole, (page) => apply(page, tools), { discard: true }),
        ),
      ),
    skip: (key, page, after, message) =>
      Effect.flatMap(textOrBody(page), (json) =>
        move(
          key,
          after,
          page.seq,
          keep(page, { kind: "page", json, errorTag: POISON_PAGE, message }),
        ),
      ),
  };
  const replayed = (page: IndexedPage) => Effect.andThen(begin(page.key), apply(page, tools));
  return { ...indexer, replayed };
};

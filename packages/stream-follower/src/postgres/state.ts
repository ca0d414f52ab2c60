/**
 * The state indexer: the stashes as they stand now, each with its document, and the markets of each
 * hour, derived from the page log into the tables `stash` (unlisted ones stay as tombstones) and
 * `market`. `stash.doc` is the change as the service sent it, compressed with zstd
 * (`SinkPostgres.decodeDocument` reads it back).
 *
 * A row that the database can never take is found and quarantined; the rest is written.
 */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { SqlError } from "effect/sql/SqlError";
import { zstdCompressSync } from "node:zlib";
import type { SinkError } from "../Errors.ts";
import type { MarketHour, StashChange } from "../Model.ts";
import type { LoggedChange } from "../PageLog.ts";
import type { ReplayedRows, StoredQuarantine } from "../Sink.ts";
import { replayedPage } from "../core/blankPage.ts";
import { readChange } from "../core/readRow.ts";
import { displayText, stashKey } from "../core/stashKey.ts";
import { blobs, flags, numbers, texts } from "./arrays.ts";
import {
  type IndexedPage,
  type IndexTools,
  make as makeIndexer,
  over,
  type PostgresIndexer,
} from "./indexer.ts";
import { isSqlError, kindOf, type PostgresConnection, sqlState, translate } from "./schema.ts";

/** Name of the indexer. */
const NAME = "state";

/** The tables. `STORAGE EXTERNAL`: the server does not compress what is compressed. */
const TABLES: Readonly<Record<string, string>> = {
  stash: `CREATE TABLE stash (
    key bytea PRIMARY KEY, id text NOT NULL, realm text NOT NULL, seq bigint NOT NULL, public boolean NOT NULL,
    account text, name text, type text, league text, items integer NOT NULL, doc bytea,
    first_seen bigint NOT NULL, last_seen bigint NOT NULL)`,
  stash_storage: "ALTER TABLE stash ALTER COLUMN doc SET STORAGE EXTERNAL",
  stash_by_account: "CREATE INDEX stash_by_account ON stash (account, league) WHERE public",
  stash_changed: "CREATE INDEX stash_changed ON stash (realm, seq)",
  market: `CREATE TABLE market (
    realm text NOT NULL, hour bigint NOT NULL, league text NOT NULL, market_id text NOT NULL, seq bigint NOT NULL,
    doc text NOT NULL, PRIMARY KEY (realm, hour, league, market_id))`,
};

const DEFINITION = {
  name: NAME,
  version: 1,
  tables: TABLES,
  apply: (page: IndexedPage, tools: IndexTools) => applyPage(page, tools),
};

/** Connects, and makes or replaces the tables. */
export const make = (
  options: PostgresConnection,
): Effect.Effect<PostgresIndexer, SinkError, Scope.Scope> =>
  makeIndexer({ ...DEFINITION, ...options });

/**
 * Applies rows won from a quarantine record, under the number of the page that they came with: a
 * newer appearance of the same stash is left alone. Marks the record in the same transaction.
 */
export const replay = (
  sql: PgClient,
  record: StoredQuarantine,
  rows: ReplayedRows,
): Effect.Effect<void, SinkError> =>
  Effect.flatMap(over(sql, DEFINITION), ({ replayed }) => {
    const mark = sql`UPDATE quarantine SET replayed = true WHERE id = ${BigInt(record.id)}`;
    const written = Effect.andThen(replayed(replayedPage(record, rows)), mark);
    return Effect.asVoid(sql.withTransaction(written)).pipe(translate("resolve"));
  });

/** Rows of one statement: bounds what is parsed and compressed at a time. */
const ROWS = 500;

const applyPage = Effect.fnUntraced(function* (
  page: IndexedPage,
  tools: IndexTools,
): Effect.fn.Return<void, SqlError> {
  let some = new Map<string, Row>();
  const flush = Effect.suspend(() => {
    const rows = [...some.values()];
    some = new Map();
    return write(page, tools, rows, (part) => upsertStashes(tools.sql, page, part));
  });
  for (const change of page.changes) {
    const found = readChange(change, () => true);
    if (found === undefined) continue;
    // A stash that comes twice stands as the later one says.
    if ("message" in found) yield* tools.reject(page, change, "MalformedRow", found.message);
    else some.set(found.id, stashRow(change, found));
    if (some.size === ROWS) yield* flush;
  }
  yield* flush;
  for (const each of page.rejected) yield* tools.reject(page, each, "MalformedRow", each.message);
  const markets = new Map(
    marketRows(page).map((row) => [`${row.texts[0]} ${row.texts[1]}`, row] as const),
  );
  yield* write(page, tools, [...markets.values()], (part) => upsertMarkets(tools.sql, page, part));
});

/** A row for a statement. */
interface Row extends LoggedChange {
  readonly id: string;
  readonly isPublic: boolean;
  readonly items: number;
  /** Account, name, type and league of a stash; league and market of an hour. */
  readonly texts: ReadonlyArray<string | null>;
}

const stashRow = (change: LoggedChange, found: StashChange): Row => ({
  ...change,
  id: found.id,
  isPublic: found.isPublic,
  items: found.itemCount,
  texts: found.isPublic
    ? [found.account, found.name, found.type, found.league].map(columnText)
    : [null, null, null, null],
});

/** The markets of a page, each with its index in it. */
const marketRows = (page: IndexedPage): ReadonlyArray<Row & { readonly market: MarketHour }> => {
  const rejected = new Set(page.rejected.map(({ place }) => place));
  const places = page.bounds.flatMap(({ isRejected }, place) =>
    isRejected || rejected.has(place) ? [] : [place],
  );
  return page.markets.map((market, index) => ({
    market,
    json: market.json,
    place: places[index] ?? index,
    id: market.marketId,
    isPublic: true,
    items: 0,
    texts: [displayText(market.league), displayText(market.marketId)],
  }));
};

/**
 * Text of a column that is indexed: without U+0000 and lone surrogates, and short enough for an
 * index row. The document keeps it as it came.
 */
const columnText = (text: string | null): string | null =>
  text === null ? null : displayText(text).slice(0, 256);

/** What a statement changed: listed stashes, or markets, and items. */
interface Difference {
  readonly listed: number;
  readonly items: number;
}

const write = Effect.fnUntraced(function* <A extends Row>(
  page: IndexedPage,
  { count, reject, sql }: IndexTools,
  rows: ReadonlyArray<A>,
  upsert: (rows: ReadonlyArray<A>) => Effect.Effect<Difference, SqlError>,
): Effect.fn.Return<void, SqlError> {
  if (rows.length === 0) return;
  const { items, listed, rejected } = yield* bisect(sql, rows, upsert);
  if (listed !== 0 || items !== 0) yield* count(page.key, listed, items);
  for (const { error, row } of rejected) {
    const message = `SQLSTATE ${sqlState(error)}: ${error.reason.message}`;
    yield* reject(page, row, "RowRejected", message);
  }
});

interface Written<A> extends Difference {
  readonly rejected: ReadonlyArray<{ readonly row: A; readonly error: SqlError }>;
}

/**
 * Writes rows in one statement. Where the database rejects one of them for good, halves them under
 * savepoints until the rows to blame are found; the others are written.
 */
const bisect = <A extends Row>(
  sql: PgClient,
  rows: ReadonlyArray<A>,
  upsert: (rows: ReadonlyArray<A>) => Effect.Effect<Difference, SqlError>,
): Effect.Effect<Written<A>, SqlError> =>
  sql.withTransaction(upsert(rows)).pipe(
    Effect.map((changed): Written<A> => ({ ...changed, rejected: [] })),
    Effect.catch((error): Effect.Effect<Written<A>, SqlError> => {
      if (!isSqlError(error) || kindOf(error) !== "rowRejected") return Effect.fail(error);
      const [row] = rows;
      if (rows.length === 1 && row !== undefined) {
        return Effect.succeed({ listed: 0, items: 0, rejected: [{ row, error }] });
      }
      const half = Math.ceil(rows.length / 2);
      return Effect.zipWith(
        bisect(sql, rows.slice(0, half), upsert),
        bisect(sql, rows.slice(half), upsert),
        (first, second) => ({
          listed: first.listed + second.listed,
          items: first.items + second.items,
          rejected: [...first.rejected, ...second.rejected],
        }),
      );
    }),
  );

const upsertStashes = (
  sql: PgClient,
  { key, receivedAt, seq }: IndexedPage,
  rows: ReadonlyArray<Row>,
): Effect.Effect<Difference, SqlError> => {
  const column = (index: number) => texts(rows.map((row) => row.texts[index] ?? null));
  const found = sql.unsafe<DifferenceRow>(
    `WITH t AS (
       SELECT * FROM unnest($4::bytea[], $5::text[], $6::boolean[], $7::text[], $8::text[], $9::text[], $10::text[],
         $11::bigint[], $12::bytea[]) AS t (key, id, public, account, name, type, league, items, doc)
     ), before AS (SELECT key, public, items FROM stash WHERE key = ANY ($4::bytea[])),
     after AS (
       INSERT INTO stash AS s
         (key, id, realm, seq, public, account, name, type, league, items, doc, first_seen, last_seen)
       SELECT key, id, $1, $2::bigint, public, account, name, type, league, items, doc, $3::bigint, $3::bigint FROM t
       ON CONFLICT (key) DO UPDATE SET realm = excluded.realm, seq = excluded.seq, public = excluded.public,
         account = excluded.account, name = excluded.name, type = excluded.type, league = excluded.league,
         items = excluded.items, doc = excluded.doc, last_seen = excluded.last_seen
       WHERE excluded.seq >= s.seq RETURNING key, public, items)
     SELECT coalesce(sum(after.public::int - coalesce(before.public::int, 0)), 0)::bigint AS listed,
       coalesce(sum(after.items - coalesce(before.items, 0)), 0)::bigint AS items
     FROM after LEFT JOIN before USING (key)`,
    [
      key.realm,
      seq,
      BigInt(Math.floor(receivedAt)),
      blobs(rows.map(({ id }) => stashKey(id))),
      texts(rows.map(({ id }) => displayText(id))),
      flags(rows.map(({ isPublic }) => isPublic)),
      ...[0, 1, 2, 3].map(column),
      numbers(rows.map(({ items }) => BigInt(items))),
      blobs(rows.map(({ isPublic, json }) => (isPublic ? zstdCompressSync(json) : null))),
    ],
  );
  return Effect.map(found, differenceOf);
};

const upsertMarkets = (
  sql: PgClient,
  { key, seq }: IndexedPage,
  rows: ReadonlyArray<Row & { readonly market: MarketHour }>,
): Effect.Effect<Difference, SqlError> => {
  const column = (index: number) => texts(rows.map((row) => row.texts[index] ?? null));
  const found = sql.unsafe<DifferenceRow>(
    `WITH t AS (SELECT * FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[]) AS t (hour, league, market_id, doc)),
     before AS (SELECT hour, league, market_id FROM market JOIN t USING (hour, league, market_id) WHERE realm = $1),
     after AS (
       INSERT INTO market AS m (realm, hour, league, market_id, seq, doc)
       SELECT $1, hour, league, market_id, $2::bigint, doc FROM t
       ON CONFLICT (realm, hour, league, market_id) DO UPDATE SET seq = excluded.seq, doc = excluded.doc
       WHERE excluded.seq >= m.seq RETURNING hour, league, market_id)
     SELECT (SELECT count(*) FROM after) -
       (SELECT count(*) FROM after JOIN before USING (hour, league, market_id)) AS listed, 0::bigint AS items`,
    [
      key.realm,
      seq,
      numbers(rows.map(({ market }) => BigInt(market.hour))),
      ...[0, 1].map(column),
      texts(rows.map(({ json }) => json)),
    ],
  );
  return Effect.map(found, differenceOf);
};

interface DifferenceRow {
  readonly listed: bigint;
  readonly items: bigint;
}

const differenceOf = ([row]: ReadonlyArray<DifferenceRow>): Difference => ({
  listed: Number(row?.listed ?? 0),
  items: Number(row?.items ?? 0),
});

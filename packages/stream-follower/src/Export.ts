/**
 * Exports the current stashes, their items, or the markets of a store as rows, and writes them as
 * NDJSON, CSV or Parquet.
 *
 * `rows` reads one snapshot of a store, row by row. `write` writes a file that replaces an older one
 * when it is complete. DuckDB writes Parquet; it is an optional peer dependency (`@duckdb/node-api`,
 * about 70 MB installed). `followFile` appends every change of a log to a file of JSON lines, and
 * continues where the file ends.
 */
import { replaceFile } from "@game-data/contract/node/replaceFile";
import type * as DuckDB from "@duckdb/node-api";
import * as Arr from "effect/Array";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CsvCell, csvLine } from "./csv.ts";
import type { DriverMissing, SinkError } from "./Errors.ts";
import { exportError, tryFile } from "./followFile.ts";
import type { StreamKey } from "./Model.ts";
import { decodeId, decompress, loadOptional, translate } from "./sql/Database.ts";
import * as Schema from "./sql/Schema.ts";
import type { StoreUrl } from "./StoreUrl.ts";

export { type FollowedFile, followFile } from "./followFile.ts";

/** The tables that can be exported. `items` are the items of the current stashes. */
export type ExportKind = "stashes" | "items" | "markets";

/** Restricts an export to a realm, to a league, and to rows that changed. */
export interface ExportFilter {
  readonly realm: StreamKey["realm"];
  readonly league?: string | undefined;
  /** Exports only rows that changed after the page with this number. */
  readonly since?: bigint | undefined;
}

/** A number in the digits of the service, because `Number` would change them: `1e400`, `1.0`. */
export class Digits {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
  toString(): string {
    return this.source;
  }
  /** Returns the number as raw JSON, which keeps its digits. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(this.source);
  }
}

/** One row of an export; every value fits a CSV cell. */
export type ExportRow = Readonly<Record<string, string | number | boolean | Digits | null>>;

/** The columns of each kind of export, in order. */
export const COLUMNS: Readonly<Record<ExportKind, ReadonlyArray<string>>> = {
  stashes: "id realm seq account name type league items firstSeen lastSeen".split(" "),
  items: "id stash account league name typeLine baseType rarity ilvl frameType note seq".split(" "),
  markets: ["realm", "hour", "league", "market", "json"],
};

/**
 * Reads the rows of a store in one snapshot, taken when the stream begins. Fails with `SinkError` and
 * the reason `incompatible` for a store without derived tables.
 */
export const rows = (
  url: StoreUrl,
  kind: ExportKind,
  { league, realm, since = 0n }: ExportFilter,
): Stream.Stream<ExportRow, SinkError | DriverMissing> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const sql = yield* Schema.openExisting(url, "index");
      const inLeague = league === undefined ? sql`` : sql`AND league = ${league}`;
      const changed = sql`realm = ${realm} AND seq > ${since} ${inLeague}`;
      const doc = kind === "items" ? sql`, doc` : sql``;
      // One statement reads one snapshot, in SQLite as in PostgreSQL.
      const found =
        kind === "markets"
          ? sql<ExportRow>`
              SELECT realm, hour, league, market_id AS market, doc AS json FROM market
              WHERE ${changed} ORDER BY hour, league, market_id`
          : sql<ExportRow>`
              SELECT id, realm, seq, account, name, type, league, items,
                first_seen AS "firstSeen", last_seen AS "lastSeen" ${doc} FROM stash
              WHERE ${changed} AND public = 1 ORDER BY key`;
      const makeRows = (row: StoredRow): ReadonlyArray<ExportRow> =>
        kind === "items" ? itemRows(row) : [plainRow(row)];
      return found.stream.pipe(
        Stream.map((row) => makeRows(row)),
        Stream.filter(Arr.isReadonlyArrayNonEmpty),
        Stream.flattenArray,
        Stream.catchTag("SqlError", (error) => Stream.fromEffect(translate("export")(error))),
      );
    }),
  );

/** A row of `stash` or `market`. Integers are bigints, and `doc` is selected for items only. */
type StoredRow = ExportRow & { readonly id?: string };

const plainRow = ({ id, ...row }: StoredRow): ExportRow => ({
  ...(id !== undefined && { id: decodeId(id) }),
  ...Object.fromEntries(
    Object.entries<ExportRow[string] | bigint>(row).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value,
    ]),
  ),
});

/** The members of an item that become columns of the export. */
const ITEM_COLUMNS = "id name typeLine baseType rarity ilvl frameType note".split(" ");

const itemRows = ({ account = null, doc, id = "", league = null, seq }: StoredRow) => {
  const text = Buffer.from(decompress(doc as unknown as Uint8Array)).toString();
  const { items } = JSON.parse(text, keepDigits) as { readonly items?: unknown };
  if (!Array.isArray(items)) return [];
  return items.map((item: Readonly<Record<string, unknown>> | null): ExportRow => {
    const own = Object.fromEntries(ITEM_COLUMNS.map((name) => [name, cell(item?.[name])]));
    return { ...own, stash: decodeId(id), account, league, seq: Number(seq) };
  });
};

/** Makes `JSON.parse` keep the digits of a number that JavaScript would change. */
const keepDigits = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && String(value) !== context.source
    ? new Digits(context.source)
    : value;

const cell = (value: unknown): ExportRow[string] =>
  ["string", "number", "boolean"].includes(typeof value) || value instanceof Digits
    ? (value as ExportRow[string])
    : null;

/**
 * The formats of a file. In `csv` a text that a spreadsheet would evaluate has an apostrophe in
 * front; `csv-raw` keeps every text as it is, for programs.
 */
export type ExportFormat = "ndjson" | "csv" | "csv-raw" | "parquet";

/** Encodes rows as text. The first line of CSV has the names of the columns. */
export const text = <E, R>(
  kind: ExportKind,
  format: Exclude<ExportFormat, "parquet">,
  from: Stream.Stream<ExportRow, E, R>,
): Stream.Stream<string, E, R> => {
  const columns = COLUMNS[kind];
  if (format === "ndjson")
    return Stream.mapArray(from, (some) => [
      some.map((row) => `${JSON.stringify(row)}\n`).join(""),
    ]);
  // `csvLine` writes `Digits` as `String` does, so their digits remain.
  const line = (cells: ReadonlyArray<ExportRow[string] | undefined>) =>
    csvLine(cells as ReadonlyArray<CsvCell>, format === "csv-raw");
  const lines = Stream.mapArray(from, (some) => [
    some.map((row) => line(columns.map((name) => row[name]))).join(""),
  ]);
  return Stream.prepend(lines, [line(columns)]);
};

/**
 * Writes rows to `file`, and returns their number. A temporary file in the same folder takes the
 * rows, is flushed to the disk and then renamed. A run that fails leaves `file` as it was.
 */
export const write = <E, R>(
  file: string,
  kind: ExportKind,
  format: ExportFormat,
  from: Stream.Stream<ExportRow, E, R>,
): Effect.Effect<number, E | SinkError | DriverMissing, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    if (format === "parquet") return yield* writeParquet(file, kind, from);
    let count = 0;
    const counted = Stream.mapArray(from, (some) => {
      count += some.length;
      return some;
    });
    const opened = yield* openFile(file);
    yield* Stream.runForEach(text(kind, format, counted), (piece) =>
      tryFile(() => opened.write(piece)),
    );
    yield* tryFile(opened.commit);
    return count;
  }).pipe(Effect.scoped);

const openFile = (file: string) =>
  Effect.acquireRelease(
    tryFile(() => replaceFile(file)),
    ({ discard }) => Effect.sync(discard),
  );

/** Writes a temporary file of JSON lines first, so that DuckDB need not hold the rows in memory. */
const writeParquet = <E, R>(
  file: string,
  kind: ExportKind,
  from: Stream.Stream<ExportRow, E, R>,
): Effect.Effect<number, E | SinkError | DriverMissing, Scope.Scope | Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const duckdb = yield* loadOptional("@duckdb/node-api", () => import("@duckdb/node-api"));
    const folder = yield* Effect.acquireRelease(
      tryFile(() => mkdtempSync(join(dirname(file), ".parquet-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
    );
    const lines = join(folder, "rows.ndjson");
    const count = yield* write(lines, kind, "ndjson", from);
    const opened = yield* openFile(file);
    yield* convert(duckdb, kind, lines, opened.path);
    yield* tryFile(opened.commit);
    return count;
  });

/** Columns of integers; all others are text. A value that does not fit its column is null. */
const INTEGERS = new Set("seq items firstSeen lastSeen ilvl frameType hour".split(" "));

/**
 * Converts a file of JSON lines to Parquet with DuckDB, which reads the lines piece by piece. Only
 * the owner can read the file.
 */
const convert = Effect.fnUntraced(function* (
  duckdb: typeof DuckDB,
  kind: ExportKind,
  lines: string,
  file: string,
) {
  const columns = COLUMNS[kind];
  const selected = columns.map((name) =>
    INTEGERS.has(name) ? `TRY_CAST("${name}" AS BIGINT) AS "${name}"` : `"${name}"`,
  );
  // Reads all columns as text, so that numbers keep their digits.
  const types = columns.map((name) => `"${name}": 'VARCHAR'`);
  const connection = yield* Effect.acquireRelease(
    promise(async () => (await duckdb.DuckDBInstance.create()).connect()),
    (opened) => Effect.sync(() => opened.closeSync()),
  );
  yield* promise(() =>
    connection.run(`
      COPY (SELECT ${selected.join(", ")} FROM read_json(${quoted(lines)},
        format = 'newline_delimited', maximum_object_size = 268435456,
        columns = {${types.join(", ")}}))
      TO ${quoted(file)} (FORMAT parquet, COMPRESSION zstd)`),
  );
  yield* tryFile(() => chmodSync(file, 0o600));
}, Effect.scoped);

const quoted = (path: string): string => `'${path.replaceAll("'", "''")}'`;

const promise = <A>(body: () => Promise<A>): Effect.Effect<A, SinkError> =>
  Effect.tryPromise({ try: body, catch: exportError });

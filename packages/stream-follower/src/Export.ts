/**
 * Exports the current stashes, their items, or the markets of a store as rows, and writes them as
 * NDJSON, CSV or Parquet.
 *
 * `rows` reads one snapshot of a SQLite or PostgreSQL store, row by row. `write` writes a file that
 * appears under its name when it is complete. Parquet is written by DuckDB, an optional peer
 * dependency (`@duckdb/node-api`, some 100 MB installed).
 *
 * ```ts
 * import { Effect } from "effect";
 * import * as Export from "@game-data/stream-follower/Export";
 * import { mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "export-"));
 * const store = { kind: "sqlite", path: join(folder, "pages.db") } as const;
 * const stashes = Export.rows(store, "stashes", { realm: "pc" });
 * const file = join(folder, "stashes.csv");
 * const rows = await Effect.runPromise(Export.write(file, "stashes", "csv", stashes));
 * if (rows !== 0) throw new Error("nothing was followed yet");
 * ```
 */
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type * as Scope from "effect/Scope";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { type DriverMissing, InvalidStoreUrl, SinkError } from "./Errors.ts";
import { loadOptional, schemaOf, type StoreOptions, type StoreUrl } from "./StoreUrl.ts";
import { COLUMNS, type ExportFilter, type ExportKind, type ExportRow } from "./core/exportRows.ts";

export { COLUMNS };
export type { ExportFilter, ExportKind, ExportRow };

/** The formats of a file. */
export type ExportFormat = "ndjson" | "csv" | "parquet";

/** The rows of a store, read from one snapshot. Stores without rows fail with `InvalidStoreUrl`. */
export const rows = (
  url: StoreUrl,
  kind: ExportKind,
  filter: ExportFilter,
  options: Pick<StoreOptions, "schema"> = {},
): Stream.Stream<ExportRow, SinkError | DriverMissing | InvalidStoreUrl> =>
  Stream.unwrap(
    Effect.gen(function* (): Effect.fn.Return<
      Stream.Stream<ExportRow, SinkError>,
      DriverMissing | InvalidStoreUrl
    > {
      if (url.kind === "sqlite") {
        const sqlite = yield* Effect.promise(() => import("./sqlite/export.ts"));
        return sqlite.rows(url.path, kind, filter);
      }
      if (url.kind !== "postgres") return yield* new InvalidStoreUrl();
      const postgres = yield* loadPostgres;
      return postgres.rows(schemaOf(url.url, options), kind, filter);
    }),
  );

const loadPostgres = loadOptional("@effect/sql-pg", () => import("./postgres/export.ts"));

/** Rows as text, in pieces of some 256 KiB. */
export const text = <E, R>(
  kind: ExportKind,
  format: Exclude<ExportFormat, "parquet">,
  from: Stream.Stream<ExportRow, E, R>,
): Stream.Stream<string, E, R> => {
  const columns = COLUMNS[kind];
  const line =
    format === "csv"
      ? (row: ExportRow) => csvLine(columns.map((name) => row[name]))
      : (row: ExportRow) => `${JSON.stringify(row)}\n`;
  const lines = Stream.mapArray(from, (some) => [some.map(line).join("")] as const);
  return format === "csv" ? Stream.prepend(lines, [csvLine(columns)]) : lines;
};

/**
 * Writes rows to a file, which has its name only when it is complete and durable. Returns the
 * number of rows.
 */
export const write = <E, R>(
  file: string,
  kind: ExportKind,
  format: ExportFormat,
  from: Stream.Stream<ExportRow, E, R>,
): Effect.Effect<number, E | SinkError | DriverMissing, R> =>
  Effect.gen(function* () {
    const part = `${file}.part`;
    let count = 0;
    const counted = Stream.mapArray(from, (some) => {
      count += some.length;
      return some;
    });
    yield* (
      format === "parquet"
        ? writeParquet(part, kind, counted)
        : writeText(part, text(kind, format, counted))
    ).pipe(Effect.onError(() => Effect.sync(() => rmSync(part, { force: true }))));
    yield* attempt(() => renameSync(part, file));
    return count;
  });

const writeText = <E, R>(
  file: string,
  from: Stream.Stream<string, E, R>,
): Effect.Effect<void, E | SinkError, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* openFile(file);
      yield* Stream.runForEach(from, (piece) =>
        attempt(() => {
          const bytes = Buffer.from(piece);
          for (let at = 0; at < bytes.length;) at += writeSync(opened, bytes, at);
        }),
      );
      yield* attempt(() => fsyncSync(opened));
    }),
  );

const openFile = (file: string): Effect.Effect<number, SinkError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(() => openSync(file, "w", 0o600)),
    (opened) => Effect.sync(() => closeSync(opened)),
  );

const writeParquet = <E, R>(
  file: string,
  kind: ExportKind,
  from: Stream.Stream<ExportRow, E, R>,
): Effect.Effect<void, E | SinkError | DriverMissing, R> =>
  Effect.gen(function* () {
    const duckdb = yield* loadDuckdb;
    const parquet = yield* Effect.promise(() => import("./parquet/write.ts"));
    yield* parquet.write(duckdb, file, kind, from);
  });

const loadDuckdb = loadOptional("@duckdb/node-api", () => import("@duckdb/node-api"));

const attempt = <A>(body: () => A): Effect.Effect<A, SinkError> =>
  Effect.try({
    try: body,
    catch: (cause) => {
      const isFull = (cause as { code?: unknown }).code === "ENOSPC";
      return new SinkError({ operation: "export", kind: isFull ? "diskFull" : "internal", cause });
    },
  });

/** A line of CSV (RFC 4180). */
const csvLine = (values: ReadonlyArray<ExportRow[string] | undefined>): string =>
  `${values.map((value) => csvCell(value)).join(",")}\r\n`;

const csvCell = (value: ExportRow[string] | undefined): string => {
  const cell = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
};

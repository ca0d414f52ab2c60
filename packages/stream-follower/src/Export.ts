/**
 * Exports the current stashes, their items, or the markets of a store as rows, and writes them as
 * NDJSON, CSV or Parquet.
 *
 * `rows` reads one snapshot of a SQLite or PostgreSQL store, row by row. `write` writes a file that
 * appears under its name when it is complete. Parquet is written by DuckDB, an optional peer
 * dependency (`@duckdb/node-api`, some 100 MB installed). `followFile` appends every change of a
 * log, of any store, to a file of JSON lines, and goes on where the file ends.
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
import { type CsvCell, csvLine } from "./csv.ts";
import { replaceFile } from "@game-data/contract/node/replaceFile";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { type DriverMissing, InvalidStoreUrl, type SinkError } from "./Errors.ts";
import { loadOptional, type StoreUrl } from "./StoreUrl.ts";
import { attempt } from "./core/exportAttempt.ts";
import {
  COLUMNS,
  Digits,
  type ExportFilter,
  type ExportKind,
  type ExportRow,
} from "./core/exportRows.ts";

export { COLUMNS, Digits };
export { type FollowedFile, followFile } from "./core/followFile.ts";
export type { ExportFilter, ExportKind, ExportRow };

/**
 * The formats of a file. In `csv` a text that a spreadsheet would run has an apostrophe in front;
 * `csv-raw` leaves every text as it is, for programs.
 */
export type ExportFormat = "ndjson" | "csv" | "csv-raw" | "parquet";

/** The rows of a store, read from one snapshot. Stores without rows fail with `InvalidStoreUrl`. */
export const rows = (
  url: StoreUrl,
  kind: ExportKind,
  filter: ExportFilter,
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
      return postgres.rows({ url: url.url }, kind, filter);
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
  if (format === "ndjson")
    return Stream.mapArray(from, (some) => [
      some.map((row) => `${JSON.stringify(row)}\n`).join(""),
    ]);
  // What is no text is written as `String` gives it, digits included.
  const line = (cells: ReadonlyArray<ExportRow[string] | undefined>) =>
    csvLine(cells as ReadonlyArray<CsvCell>, format === "csv-raw");
  const lines = Stream.mapArray(from, (some) => [
    some.map((row) => line(columns.map((name) => row[name]))).join(""),
  ]);
  return Stream.prepend(lines, [line(columns)]);
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
): Effect.Effect<number, E | SinkError | DriverMissing, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    let count = 0;
    const counted = Stream.mapArray(from, (some) => {
      count += some.length;
      return some;
    });
    const opened = yield* Effect.acquireRelease(
      attempt(() => replaceFile(file)),
      ({ discard }) => Effect.sync(discard),
    );
    yield* format === "parquet"
      ? writeParquet(opened.path, kind, counted)
      : Stream.runForEach(text(kind, format, counted), (piece) =>
          attempt(() => opened.write(piece)),
        );
    yield* attempt(opened.commit);
    return count;
  }).pipe(Effect.scoped);

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

/**
 * Exports the current stashes, their items, or the markets of a store as rows, and writes them as
 * NDJSON, CSV or Parquet.
 *
 * `rows` reads one snapshot of a store, row by row. `write` writes a file that appears under its name
 * when it is complete. DuckDB writes Parquet; it is an optional peer dependency (`@duckdb/node-api`,
 * about 100 MB installed). `followFile` appends every change of a log to a file of JSON lines, and
 * continues where the file ends.
 */
import { replaceFile } from "@game-data/contract/node/replaceFile";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CsvCell, csvLine } from "./csv.ts";
import type { DriverMissing, SinkError } from "./Errors.ts";
import { tryFile } from "./exportFile.ts";
import { COLUMNS, type ExportKind, type ExportRow } from "./exportRows.ts";
import { loadOptional } from "./sql/Database.ts";

export { type FollowedFile, followFile } from "./exportFile.ts";
export {
  COLUMNS,
  Digits,
  type ExportFilter,
  type ExportKind,
  type ExportRow,
  rows,
} from "./exportRows.ts";

/**
 * The formats of a file. In `csv` a text that a spreadsheet would evaluate has an apostrophe in
 * front; `csv-raw` keeps every text as it is, for programs.
 */
export type ExportFormat = "ndjson" | "csv" | "csv-raw" | "parquet";

/** Rows as text. */
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
  // `csvLine` writes other values as `String` does, digits included.
  const line = (cells: ReadonlyArray<ExportRow[string] | undefined>) =>
    csvLine(cells as ReadonlyArray<CsvCell>, format === "csv-raw");
  const lines = Stream.mapArray(from, (some) => [
    some.map((row) => line(columns.map((name) => row[name]))).join(""),
  ]);
  return Stream.prepend(lines, [line(columns)]);
};

/**
 * Writes rows to a file, which has its name only when it is complete and durable. Returns the number
 * of rows.
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

/** Writes the rows as JSON lines first, so that DuckDB needs no memory for them. */
const writeParquet = <E, R>(
  file: string,
  kind: ExportKind,
  from: Stream.Stream<ExportRow, E, R>,
): Effect.Effect<number, E | SinkError | DriverMissing, Scope.Scope | Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const duckdb = yield* loadOptional("@duckdb/node-api", () => import("@duckdb/node-api"));
    const { convert } = yield* Effect.promise(() => import("./Parquet.ts"));
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

/**
 * Writes rows as a Parquet file with DuckDB: appended to a table of a temporary database beside the
 * file, so that memory stays bounded, then copied to the file. The caller passes the library, because
 * a bundle would import it at its start.
 */
import type * as DuckDB from "@duckdb/node-api";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SinkError } from "./Errors.ts";
import { tryFile } from "./exportFile.ts";
import { COLUMNS, Digits, type ExportKind, type ExportRow } from "./exportRows.ts";

/** Columns of integers; the others are text. A value that does not fit its column is null. */
const INTEGERS = new Set("seq items firstSeen lastSeen ilvl frameType hour".split(" "));

/** Writes the file, readable for its owner alone. */
export const write = <E, R>(
  duckdb: typeof DuckDB,
  file: string,
  kind: ExportKind,
  from: Stream.Stream<ExportRow, E, R>,
): Effect.Effect<void, E | SinkError, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const columns = COLUMNS[kind];
    const connection = yield* temporaryDatabase(duckdb, dirname(file));
    const types = columns.map((name) => `"${name}" ${INTEGERS.has(name) ? "BIGINT" : "VARCHAR"}`);
    yield* promise(() => connection.run(`CREATE TABLE exported (${types.join(", ")})`));
    const appender = yield* promise(() => connection.createAppender("exported"));
    yield* Stream.runForEachArray(from, (rows) =>
      tryFile(() => {
        for (const row of rows) appendRow(appender, columns, row);
      }),
    );
    yield* tryFile(() => appender.closeSync());
    const quoted = `'${file.replaceAll("'", "''")}'`;
    yield* promise(() =>
      connection.run(`COPY exported TO ${quoted} (FORMAT parquet, COMPRESSION zstd)`),
    );
    yield* tryFile(() => chmodSync(file, 0o600));
  }).pipe(Effect.scoped);

const appendRow = (
  appender: DuckDB.DuckDBAppender,
  columns: ReadonlyArray<string>,
  row: ExportRow,
): void => {
  for (const name of columns) {
    const cell = row[name] ?? null;
    const value = cell instanceof Digits && INTEGERS.has(name) ? Number(cell) : cell;
    if (!INTEGERS.has(name)) {
      if (value === null) appender.appendNull();
      else appender.appendVarchar(String(value));
    } else if (Number.isSafeInteger(value)) appender.appendBigInt(BigInt(value as number));
    else appender.appendNull();
  }
  appender.endRow();
};

/** Opens a database in a folder of its own, which is removed with the scope. */
const temporaryDatabase = Effect.fnUntraced(function* (duckdb: typeof DuckDB, beside: string) {
  const folder = yield* Effect.acquireRelease(
    tryFile(() => mkdtempSync(join(beside, ".parquet-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  );
  const instance = yield* Effect.acquireRelease(
    promise(() => duckdb.DuckDBInstance.create(join(folder, "rows.duckdb"))),
    (opened) => Effect.sync(() => opened.closeSync()),
  );
  return yield* Effect.acquireRelease(
    promise(() => instance.connect()),
    (opened) => Effect.sync(() => opened.closeSync()),
  );
});

const promise = <A>(body: () => Promise<A>): Effect.Effect<A, SinkError> =>
  Effect.tryPromise({
    try: body,
    catch: (cause) => new SinkError({ operation: "export", reason: "internal", cause }),
  });

/**
 * Writes rows as a Parquet file through DuckDB: appended to a table of a temporary database beside
 * the file, so that memory stays bounded, then copied out at once. The library is handed in: a
 * bundle of one file would import it at its start.
 */
import type * as DuckDB from "@duckdb/node-api";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type * as Scope from "effect/Scope";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SinkError } from "../Errors.ts";
import { attempt } from "../core/exportAttempt.ts";
import { COLUMNS, Digits, type ExportKind, type ExportRow } from "../core/exportRows.ts";

/** Columns of whole numbers; every other column is text. What does not fit its column is null. */
const NUMBERS = new Set("seq items firstSeen lastSeen ilvl frameType hour".split(" "));

/** Writes the file; it is private to its owner. */
export const write = <E, R>(
  duckdb: typeof DuckDB,
  file: string,
  kind: ExportKind,
  from: Stream.Stream<ExportRow, E, R>,
): Effect.Effect<void, E | SinkError, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const columns = COLUMNS[kind];
      const connection = yield* temporaryDatabase(duckdb, dirname(file));
      const types = columns.map((name) => `"${name}" ${NUMBERS.has(name) ? "BIGINT" : "VARCHAR"}`);
      yield* promise(() => connection.run(`CREATE TABLE exported (${types.join(", ")})`));
      const appender = yield* promise(() => connection.createAppender("exported"));
      yield* Stream.runForEachArray(from, (rows) =>
        attempt(() => {
          for (const row of rows) appendRow(appender, columns, row);
        }),
      );
      yield* attempt(() => appender.closeSync());
      const quoted = `'${file.replaceAll("'", "''")}'`;
      yield* promise(() =>
        connection.run(`COPY exported TO ${quoted} (FORMAT parquet, COMPRESSION zstd)`),
      );
      yield* attempt(() => chmodSync(file, 0o600));
    }),
  );

const appendRow = (
  appender: DuckDB.DuckDBAppender,
  columns: ReadonlyArray<string>,
  row: ExportRow,
): void => {
  for (const name of columns) {
    const cell = row[name] ?? null;
    const value = cell instanceof Digits && NUMBERS.has(name) ? Number(cell) : cell;
    if (!NUMBERS.has(name)) {
      if (value === null) appender.appendNull();
      else appender.appendVarchar(String(value));
    } else if (Number.isSafeInteger(value)) appender.appendBigInt(BigInt(value as number));
    else appender.appendNull();
  }
  appender.endRow();
};

/** A database in a folder of its own, which is removed with the scope. */
const temporaryDatabase = (duckdb: typeof DuckDB, beside: string) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      attempt(() => mkdtempSync(join(beside, ".parquet-"))),
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
  }) satisfies Effect.Effect<unknown, SinkError, Scope.Scope>;

const promise = <A>(body: () => Promise<A>): Effect.Effect<A, SinkError> =>
  Effect.tryPromise({
    try: body,
    catch: (cause) => new SinkError({ operation: "export", kind: "internal", cause }),
  });

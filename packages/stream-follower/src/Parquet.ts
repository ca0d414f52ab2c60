/**
 * Converts a file of JSON lines to Parquet with DuckDB, which reads it piece by piece. The caller passes
 * the library, because a bundle would import it at its start.
 */
import type * as DuckDB from "@duckdb/node-api";
import * as Effect from "effect/Effect";
import { chmodSync } from "node:fs";
import { SinkError } from "./Errors.ts";
import { tryFile } from "./exportFile.ts";
import { COLUMNS, type ExportKind } from "./exportRows.ts";

/** Columns of integers; the others are text. A value that does not fit its column is null. */
const INTEGERS = new Set("seq items firstSeen lastSeen ilvl frameType hour".split(" "));

/** Writes the rows of `lines` to `file`, readable for its owner alone. */
export const convert = Effect.fnUntraced(function* (
  duckdb: typeof DuckDB,
  kind: ExportKind,
  lines: string,
  file: string,
) {
  const columns = COLUMNS[kind];
  const selected = columns.map((name) =>
    INTEGERS.has(name) ? `TRY_CAST("${name}" AS BIGINT) AS "${name}"` : `"${name}"`,
  );
  // Read as text, numbers keep their digits.
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

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const promise = <A>(body: () => Promise<A>): Effect.Effect<A, SinkError> =>
  Effect.tryPromise({
    try: body,
    catch: (cause) => new SinkError({ operation: "export", reason: "internal", cause }),
  });

/** Assigns numbers to texts that many rows repeat: leagues, names, mods. */
import { Effect } from "effect";
import type { SqlClient } from "effect/sql";

/** Inserts missing rows, and returns a function from a row's texts to the row's number. */
export const numberRows = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
) {
  const distinct = new Map(rows.map((row) => [row.join("\n"), row]));
  const keys = [...distinct.keys()];
  // Passes all rows in one parameter, because a page may have more mods than SQLite has parameters.
  const json = [JSON.stringify([...distinct.values()])];
  const values = columns.map((_, at) => `value ->> ${at}`).join(", ");
  yield* sql.unsafe(
    `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values} FROM json_each(?) WHERE TRUE
     ON CONFLICT DO NOTHING`,
    json,
  );
  const found = yield* sql.unsafe<{ readonly at: bigint; readonly no: bigint }>(
    `SELECT key AS at, no FROM json_each(?) CROSS JOIN ${table}
     ON (${columns.join(", ")}) = (${values})`,
    json,
  );
  const numbers = new Map(found.map(({ at, no }) => [keys[Number(at)], Number(no)]));
  return (...row: ReadonlyArray<string>): number => numbers.get(row.join("\n"))!;
});

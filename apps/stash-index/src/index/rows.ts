/** Writes and finds many rows with one statement each: the rows travel as one JSON text. */
import { Effect } from "effect";
import type { SqlClient } from "effect/sql";

type Value = string | number | null;

/** Returns the statement and its parameters that insert rows. All rows have the same columns. */
export const insertRows = (
  sql: SqlClient.SqlClient,
  into: string,
  rows: ReadonlyArray<Readonly<Record<string, Value>>>,
  onConflict = "",
) => {
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((_, at) => `value ->> ${at}`).join(", ");
  return rows.length === 0
    ? Effect.succeed([])
    : sql.unsafe<Readonly<Record<string, unknown>>>(
        `INSERT INTO ${into} (${columns.join(", ")}) SELECT ${values} FROM json_each(?) WHERE TRUE
         ${onConflict}`,
        // Places in a list are found faster than names.
        [JSON.stringify(rows.map((row) => columns.map((column) => row[column])))],
      );
};

/** Finds the number of each row, and makes the row if it is new. Finds it by the texts of the row. */
export const numberRows = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: string,
  rows: ReadonlyArray<Readonly<Record<string, string>>>,
) {
  const distinct = new Map(rows.map((row) => [Object.values(row).join("\n"), row]));
  const wanted = [...distinct.values()];
  const columns = Object.keys(wanted[0] ?? {});
  yield* insertRows(sql, table, wanted, "ON CONFLICT DO NOTHING");
  const isWanted = columns.map((column) => `${table}.${column} = value ->> '${column}'`);
  const numbered = yield* sql.unsafe<Readonly<Record<string, unknown>>>(
    `SELECT ${table}.* FROM json_each(?) CROSS JOIN ${table} ON ${isWanted.join(" AND ") || "FALSE"}`,
    [JSON.stringify(wanted)],
  );
  const numbers = new Map(
    numbered.map((row) => [columns.map((column) => row[column]).join("\n"), Number(row["no"])]),
  );
  return (...row: ReadonlyArray<string>): number => numbers.get(row.join("\n"))!;
});

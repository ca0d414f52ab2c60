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
  const values = columns.map((column) => `value ->> '${column}'`).join(", ");
  return rows.length === 0
    ? Effect.succeed([])
    : sql.unsafe<Readonly<Record<string, unknown>>>(
        `INSERT INTO ${into} (${columns.join(", ")}) SELECT ${values} FROM json_each(?) WHERE TRUE
         ${onConflict}`,
        [JSON.stringify(rows)],
      );
};

/** Finds the number of each row, and makes the row if it is new. */
export const numberRows = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
) {
  const distinct = new Map(rows.map((row) => [row.join("\n"), row]));
  const wanted = Array.from(distinct.values(), (row) =>
    Object.fromEntries(columns.map((column, at) => [column, row[at]!])),
  );
  yield* insertRows(sql, table, wanted, "ON CONFLICT DO NOTHING");
  const isWanted = columns.map((column) => `${table}.${column} = value ->> '${column}'`);
  const numbered = yield* sql.unsafe<Readonly<Record<string, unknown>>>(
    `SELECT ${table}.* FROM json_each(?) CROSS JOIN ${table} ON ${isWanted.join(" AND ")}`,
    [JSON.stringify(wanted)],
  );
  const numbers = new Map(
    numbered.map((row) => [columns.map((column) => row[column]).join("\n"), Number(row["no"])]),
  );
  return (...row: ReadonlyArray<string>): number => numbers.get(row.join("\n"))!;
});

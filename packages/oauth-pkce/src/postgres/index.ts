/**
 * A token store in PostgreSQL, for several servers.
 *
 * It takes a `Pool` of `pg`, or any client with the same `query`. Call `migrate` at the start. Read
 * from the primary only, leave `synchronous_commit` on, and call `removeExpired` from time to time.
 *
 * @packageDocumentation
 */
import * as Sql from "../internal/sqlStore.ts";
import type { Backend } from "../TokenStore.ts";

/** PostgreSQL client, such as a `Pool` of `pg`. */
export interface PostgresClient {
  /** Runs a statement with the parameters `$1`, `$2`, … */
  readonly query: (
    text: string,
    params: Array<string | number | null>,
  ) => Promise<{ readonly rows: Sql.Rows }>;
}

/** The statements of the schema, for programs that run migrations with a tool of their own. */
export const migrations: ReadonlyArray<string> = [Sql.SCHEMA];

/** The number of the advisory lock. It stays the same in every release. */
const LOCK = 739_211;

/**
 * Makes the tables. Servers may call it at the same time, at every start. Rejects with
 * `TokenStoreFailed` if the tables are of another version of this package.
 */
export const migrate = async (client: PostgresClient): Promise<void> => {
  // A `do` block is one statement and one transaction, so it works behind a pooler.
  await client.query(
    `do $migrate$ begin
       perform pg_advisory_xact_lock(${LOCK});
       create table if not exists oauth_grants_schema (version integer primary key);
       if not exists (select from oauth_grants_schema) then
         ${Sql.SCHEMA}
         insert into oauth_grants_schema values (${Sql.SCHEMA_VERSION});
       end if;
     end $migrate$`,
    [],
  );
  const select = "select max(version) as version from oauth_grants_schema";
  const [row] = (await client.query(select, [])).rows;
  const version = Number(row?.["version"]);
  if (version !== Sql.SCHEMA_VERSION) throw Sql.wrongSchema(version);
};

const toDatabase = (client: PostgresClient): Sql.Database => ({
  rows: async (sql, params) => (await client.query(sql, [...params])).rows,
  now: "(extract(epoch from clock_timestamp()) * 1000)::bigint",
});

/**
 * Makes a store from a PostgreSQL client. `TokenStore.fromBackend` lifts it for Effect.
 *
 * @example
 * ```ts no-run
 * import { migrate, postgresStore } from "@game-data/oauth-pkce/postgres";
 * import pg from "pg";
 *
 * const pool = new pg.Pool();
 * await migrate(pool);
 * const store = postgresStore(pool);
 * ```
 */
export const postgresStore = (client: PostgresClient): Backend => Sql.sqlStore(toDatabase(client));

/** Removes expired entries. Reads ignore them anyway. */
export const removeExpired = (client: PostgresClient): Promise<void> =>
  Sql.removeExpired(toDatabase(client));

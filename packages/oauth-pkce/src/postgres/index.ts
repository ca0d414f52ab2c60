/**
 * A token store in PostgreSQL, for several servers.
 *
 * It takes any client through one function, so no driver comes along. Call `migrate` at the start.
 * Every operation is one statement: no transaction and no lock, so it works behind a pooler in
 * transaction mode. Read from the primary only, and leave `synchronous_commit` on. Call
 * `removeExpired` now and then.
 *
 * @example
 * ```ts
 * import { migrate, postgresStore } from "@game-data/oauth-pkce/postgres";
 *
 * const sent: Array<string> = [];
 * const pool = {
 *   query: async (text: string) => {
 *     sent.push(text);
 *     return { rows: text.startsWith("insert") ? [{ written: 1 }] : [] };
 *   },
 * };
 * await migrate(pool);
 * await postgresStore(pool).write("user", undefined, { version: "1", text: "secret" });
 * if (!sent[0]?.includes("create table") || !sent.at(-1)?.startsWith("insert"))
 *   throw new Error("another statement was sent");
 * ```
 *
 * @packageDocumentation
 */
import type { Backend } from "../Model.ts";
import { applyMigrations, type PostgresClient } from "./internal/applyMigrations.ts";

export type { PostgresClient };

/**
 * The schema, version by version, as SQL: for programs that run their migrations by a tool of their
 * own. `migrate` runs them otherwise.
 */
export const migrations: ReadonlyArray<string> = [
  `create table if not exists oauth_grants (
    key text primary key,
    version text not null,
    text text not null,
    expires_at timestamptz
  ) with (fillfactor = 70);
  create index if not exists oauth_grants_expires_at
    on oauth_grants (expires_at) where expires_at is not null;`,
];

/**
 * Brings the schema to the version of this package. Servers may call it at the same time, at every
 * start; a schema that is newer than this package is a `TokenStoreFailed`. It sends one statement
 * that takes an advisory lock to its end, so it works behind a pooler, too.
 */
export const migrate = (client: PostgresClient): Promise<void> =>
  applyMigrations(client, migrations);

const LIVE = "(expires_at is null or expires_at > clock_timestamp())";
const END = "clock_timestamp() + $4::float8 * interval '1 millisecond'";

/** Makes a store of a PostgreSQL client. `TokenStore.fromBackend` lifts it for Effect. */
export const postgresStore = (client: PostgresClient): Backend => {
  const hasRow = async (text: string, params: Array<string | number | boolean | null>) =>
    (await client.query(text, params)).rows.length > 0;
  return {
    read: async (key) => {
      const { rows } = await client.query(
        `select version, text, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
         from oauth_grants where key = $1 and ${LIVE}`,
        [key],
      );
      const [row] = rows;
      return (
        row && {
          version: String(row["version"]),
          text: String(row["text"]),
          now: Number(row["now"]),
        }
      );
    },
    write: async (key, expected, next) => {
      if (next === undefined)
        return expected === undefined
          ? !(await hasRow(`select 1 as found from oauth_grants where key = $1 and ${LIVE}`, [key]))
          : hasRow(
              "delete from oauth_grants where key = $1 and version = $2 returning 1 as written",
              [key, expected],
            );
      const isKept = next.ttlMillis === "keep";
      const ttl = typeof next.ttlMillis === "number" ? next.ttlMillis : null;
      return expected === undefined
        ? hasRow(
            `insert into oauth_grants (key, version, text, expires_at) values ($1, $2, $3, ${END})
             on conflict (key) do update set version = excluded.version, text = excluded.text,
               expires_at = excluded.expires_at
             where oauth_grants.expires_at <= clock_timestamp() returning 1 as written`,
            [key, next.version, next.text, ttl],
          )
        : hasRow(
            `update oauth_grants set version = $2, text = $3,
               expires_at = case when $6 then expires_at else ${END} end
             where key = $1 and version = $5 and ${LIVE} returning 1 as written`,
            [key, next.version, next.text, ttl, expected, isKept],
          );
    },
  };
};

/** Removes entries whose time is over. Call it now and then; reads ignore such entries anyway. */
export const removeExpired = async (client: PostgresClient): Promise<void> => {
  await client.query("delete from oauth_grants where expires_at <= clock_timestamp()", []);
};

/** Lists the keys of all entries, for `resealAll`. */
export const listKeys = async (client: PostgresClient): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query(`select key from oauth_grants where ${LIVE}`, []);
  return rows.map(({ key }) => String(key));
};

/**
 * A token store in an SQL database, with the same statements for PostgreSQL and SQLite.
 *
 * Each operation is one statement without a transaction or a lock, so it works behind a pooler. The
 * database's clock decides which entries have expired.
 */
import { TokenStoreFailed } from "../Errors.ts";
import type { Backend } from "../TokenStore.ts";

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>;

/** A database that runs statements with the parameters `$1`, `$2`, … */
export interface Database {
  readonly rows: (sql: string, params: ReadonlyArray<string | number | null>) => Promise<Rows>;
  /** SQL expression of the current time in milliseconds since 1970. */
  readonly now: string;
}

/** The version of `SCHEMA`. Version 1 had another form of entries. */
export const SCHEMA_VERSION = 2;

export const SCHEMA = `create table if not exists oauth_grants (
  key text primary key, version text not null, text text not null, expires_at bigint
);
create index if not exists oauth_grants_expires_at
  on oauth_grants (expires_at) where expires_at is not null;`;

export const wrongSchema = (version: number) =>
  new TokenStoreFailed({
    operation: "open",
    reason:
      version > SCHEMA_VERSION
        ? "the schema is newer than this package"
        : "the store is of an earlier version of this package; remove it, and its users sign in again",
  });

export const sqlStore = ({ now, rows }: Database): Backend => {
  const live = `(expires_at is null or expires_at > ${now})`;
  const read = `select version, text, ${now} as now from oauth_grants where key = $1 and ${live}`;
  const insert = `insert into oauth_grants (key, version, text, expires_at)
    values ($1, $2, $3, ${now} + $4) on conflict (key) do update set version = excluded.version,
      text = excluded.text, expires_at = excluded.expires_at
    where oauth_grants.expires_at <= ${now} returning 1 as done`;
  const update = `update oauth_grants set version = $2, text = $3, expires_at = ${now} + $4
    where key = $1 and version = $5 and ${live} returning 1 as done`;
  return {
    read: async (key) => {
      const [row] = await rows(read, [key]);
      const { now: readAt, text, version } = row ?? {};
      return row && { version: String(version), text: String(text), now: Number(readAt) };
    },
    write: async (key, expected, { text, ttlMillis = null, version }) => {
      const entry = [key, version, text, ttlMillis];
      const written =
        expected === undefined ? rows(insert, entry) : rows(update, [...entry, expected]);
      return (await written).length > 0;
    },
  };
};

/** Removes expired entries. Reads ignore them anyway. */
export const removeExpired = async ({ now, rows }: Database): Promise<void> =>
  void (await rows(`delete from oauth_grants where expires_at <= ${now}`, []));

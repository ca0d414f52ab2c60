/** Applies the versions of the schema that a database lacks. */
import { TokenStoreFailed } from "../../Errors.ts";

/** All that is needed of a PostgreSQL client; a `Pool` of `pg` is one. */
export interface PostgresClient {
  /** Runs a statement with parameters `$1`, `$2`, … */
  readonly query: (
    text: string,
    params: Array<string | number | boolean | null>,
  ) => Promise<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }>;
}

/** The number of the advisory lock, the same in every release. */
const LOCK = 739_211;

/**
 * Runs the versions above the one in `oauth_grants_schema`, in order, all or none. Fails with
 * `TokenStoreFailed` if the database has a later version.
 */
export const applyMigrations = async (
  client: PostgresClient,
  versions: ReadonlyArray<string>,
): Promise<void> => {
  // A `do` block is one statement and one transaction, over whichever connection it is sent.
  await client.query(
    `do $migrate$
declare applied integer;
begin
  perform pg_advisory_xact_lock(${LOCK});
  create table if not exists oauth_grants_schema (version integer primary key);
  select coalesce(max(version), 0) into applied from oauth_grants_schema;
${versions
  .map(
    (sql, at) => `  if applied < ${at + 1} then
    ${sql}
    insert into oauth_grants_schema values (${at + 1});
  end if;`,
  )
  .join("\n")}
end
$migrate$`,
    [],
  );
  const { rows } = await client.query(
    `select version from oauth_grants_schema where version > ${versions.length}`,
    [],
  );
  if (rows.length > 0)
    throw new TokenStoreFailed({
      operation: "open",
      reason: "the schema is newer than this package",
    });
};

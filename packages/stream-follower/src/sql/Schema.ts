/**
 * Defines the tables of a store as steps of `effect/sql/Migrator`, for both databases.
 *
 * `stream` has one row for each stream: its checkpoint, its fence and its lease.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Migrator from "effect/sql/Migrator";
import { SqlClient } from "effect/sql/SqlClient";
import { isSqlError, type SqlError } from "effect/sql/SqlError";
import { existsSync } from "node:fs";
import { type DriverMissing, SinkError } from "../Errors.ts";
import * as Database from "./Database.ts";
import type { ConnectOptions, Part, StoreUrl, Words } from "./Database.ts";

type Step = readonly [name: string, tables: (words: Words) => Readonly<Record<string, string>>];

/**
 * The steps of each part, in order. A change of the tables is a new step, because stores have
 * applied the steps of earlier releases. In each table the column with a body is the last, because
 * SQLite reads the columns before it without the body.
 */
const STEPS: Readonly<Record<Part, ReadonlyArray<Step>>> = {
  log: [
    [
      "log",
      ({ blob, identity, integer }) => ({
        stream: `source text NOT NULL, realm text NOT NULL, next_id text, seq ${integer} NOT NULL DEFAULT 0,
          checksum text NOT NULL DEFAULT '', received_at ${integer} NOT NULL DEFAULT 0, polled_at ${integer},
          pages ${integer} NOT NULL DEFAULT 0, log_bytes ${integer} NOT NULL DEFAULT 0,
          pruned_to ${integer} NOT NULL DEFAULT 0, epoch ${integer} NOT NULL DEFAULT 0, owner text,
          holder_state text, expires_at ${integer} NOT NULL DEFAULT 0, PRIMARY KEY (source, realm)`,
        page: `source text NOT NULL, realm text NOT NULL, seq ${integer} NOT NULL, requested_id text,
          next_id text NOT NULL, received_at ${integer} NOT NULL, encoding text NOT NULL,
          wire_bytes ${integer} NOT NULL, raw_bytes ${integer} NOT NULL, checksum text NOT NULL,
          row_count ${integer} NOT NULL, follows_gap ${integer} NOT NULL, body ${blob} NOT NULL,
          PRIMARY KEY (source, realm, seq)`,
        gap: `id ${identity}, source text NOT NULL, realm text NOT NULL, seq ${integer} NOT NULL,
          kind text NOT NULL, from_id text NOT NULL, to_id text NOT NULL`,
        quarantine: `id ${identity}, source text NOT NULL, realm text NOT NULL, seq ${integer} NOT NULL,
          requested_id text, next_id text NOT NULL, error_tag text NOT NULL, message text NOT NULL,
          first_seen ${integer} NOT NULL, tries ${integer} NOT NULL, bytes_zstd ${blob} NOT NULL`,
        reader: `name text NOT NULL, source text NOT NULL, realm text NOT NULL, seq ${integer} NOT NULL,
          seen_at ${integer} NOT NULL, PRIMARY KEY (name, source, realm)`,
      }),
    ],
  ],
  index: [
    [
      "index",
      ({ blob, identity, integer }) => ({
        indexer: `name text NOT NULL, source text NOT NULL, realm text NOT NULL, seq ${integer} NOT NULL,
          next_id text, version ${integer} NOT NULL, PRIMARY KEY (name, source, realm)`,
        skipped: `id ${identity}, indexer text NOT NULL, source text NOT NULL, realm text NOT NULL,
          seq ${integer} NOT NULL, place ${integer}, requested_id text, next_id text NOT NULL,
          error_tag text NOT NULL, message text NOT NULL, first_seen ${integer} NOT NULL,
          tries ${integer} NOT NULL, bytes_zstd ${blob} NOT NULL`,
      }),
    ],
  ],
};

/** Opens a part of a store, and creates or migrates its tables. */
export const open = Effect.fnUntraced(function* (
  url: StoreUrl,
  part: Part,
  options: ConnectOptions = {},
) {
  const sql = yield* Database.connect(url, part, options);
  const version = yield* readVersion(sql, part);
  if (url.kind === "sqlite") yield* sql`PRAGMA journal_mode = WAL`.pipe(Database.translate("open"));
  if (version < STEPS[part].length) yield* migrate(sql, part);
  return sql;
}, Database.closedOnFailure);

/** Opens a part of a store for reading, if it exists. Creates nothing. */
export const openToRead = Effect.fnUntraced(function* (
  url: StoreUrl,
  part: Part,
): Effect.fn.Return<SqlClient | undefined, SinkError | DriverMissing, Scope.Scope> {
  if (url.kind === "sqlite" && !existsSync(Database.filePath(url.path, part))) return undefined;
  const sql = yield* Database.connect(url, part, { isReadOnly: true });
  return (yield* readVersion(sql, part)) === 0 ? undefined : sql;
}, Database.closedOnFailure);

/** Opens a part of a store for reading. Fails if the part does not exist. */
export const openExisting = (
  url: StoreUrl,
  part: Part,
): Effect.Effect<SqlClient, SinkError | DriverMissing, Scope.Scope> =>
  Effect.flatMap(openToRead(url, part), (sql) =>
    sql === undefined
      ? incompatible(part === "log" ? "there are no pages" : "there are no derived tables")
      : Effect.succeed(sql),
  );

const stepsTable = (part: Part) => `follower_${part}_steps`;

/** Returns the last step that was applied. Fails if another or a newer program made the tables. */
const readVersion = (sql: SqlClient, part: Part): Effect.Effect<number, SinkError> =>
  Effect.gen(function* () {
    const tables = yield* sql.unsafe<{ readonly name: string }>(
      Database.isPostgres(sql)
        ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
        : "SELECT name FROM sqlite_schema WHERE type = 'table'",
    );
    const names = new Set(tables.map(({ name }) => name));
    if (!names.has(stepsTable(part))) {
      // A PostgreSQL schema may also hold tables of other programs, and of the other part of this
      // store.
      const own = STEPS[part].flatMap(([, step]) => Object.keys(step(Database.words(sql))));
      const isForeign = Database.isPostgres(sql)
        ? own.some((name) => names.has(name))
        : names.size > 0;
      return isForeign ? yield* incompatible("another program made the tables") : 0;
    }
    const [last] = yield* sql<{ id: bigint | number | null }>`
      SELECT max(migration_id) AS id FROM ${sql(stepsTable(part))}`;
    const version = Number(last?.id ?? 0);
    if (version <= STEPS[part].length) return version;
    return yield* incompatible(
      `the store has version ${version}, and this program knows ${STEPS[part].length}`,
    );
  }).pipe(Database.translate("open"));

const migrate = (sql: SqlClient, part: Part): Effect.Effect<void, SinkError> => {
  const steps = STEPS[part].map(([name, tables], index): Migrator.ResolvedMigration => {
    const statements = Object.entries(tables(Database.words(sql))).map(([table, columns]) =>
      sql.unsafe(`CREATE TABLE ${table} (${columns})`),
    );
    return [index + 1, name, Effect.succeed(Effect.all(statements, { discard: true }))];
  });
  return Migrator.make({})({ loader: Effect.succeed(steps), table: stepsTable(part) }).pipe(
    Effect.provideService(SqlClient, sql),
    // A lost connection is an outage, not a store that is incompatible.
    Effect.catchTag("MigrationError", (error): Effect.Effect<never, SqlError | SinkError> =>
      isSqlError(error.cause) ? Effect.fail(error.cause) : incompatible(error.message, error),
    ),
    Effect.asVoid,
    Database.translate("migrate"),
  );
};

const incompatible = (text: string, cause?: unknown) =>
  Effect.fail(
    new SinkError({ operation: "open", reason: "incompatible", cause: new Error(text, { cause }) }),
  );

/**
 * The PostgreSQL schema of this package, and its errors translated.
 *
 * Documents are zstd in `bytea STORAGE EXTERNAL`: the server neither compresses nor parses them,
 * which makes writing them four times as fast as `jsonb`.
 */
import { PgClient } from "@effect/sql-pg";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import * as Reactivity from "effect/reactivity/Reactivity";
import type { SqlError } from "effect/sql/SqlError";
import { SinkError, type SinkErrorKind } from "../Errors.ts";
import { closeSoon, untilReachable } from "../core/attempt.ts";
import { appliedSteps, type AppliedStep, stepChecksum, unknownState } from "../core/migrations.ts";

/** The steps that make the tables, each a list of statements that a semicolon ends. */
const STEPS: ReadonlyArray<string> = [
  `CREATE TABLE checkpoint (
     source text NOT NULL, realm text NOT NULL, next_id text, seq bigint NOT NULL DEFAULT 0, epoch bigint NOT NULL DEFAULT 0,
     last_checksum text NOT NULL DEFAULT '', last_event_at bigint NOT NULL DEFAULT 0, last_polled_at bigint,
     pages bigint NOT NULL DEFAULT 0, pruned_to bigint NOT NULL DEFAULT 0, PRIMARY KEY (source, realm));
   CREATE TABLE page (
     source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL, requested_id text, next_id text NOT NULL,
     checksum text NOT NULL, rows integer NOT NULL, bytes bigint NOT NULL, received_at bigint NOT NULL,
     encoding text NOT NULL, state text NOT NULL, wire_bytes bigint NOT NULL, bounds bytea NOT NULL, body bytea NOT NULL,
     PRIMARY KEY (source, realm, seq));
   ALTER TABLE page ALTER COLUMN body SET STORAGE EXTERNAL;
   CREATE TABLE gap (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL,
     kind text NOT NULL, from_id text NOT NULL, to_id text NOT NULL);
   CREATE INDEX gap_by_page ON gap (source, realm, seq);
   CREATE TABLE quarantine (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL,
     kind text NOT NULL, requested_id text, next_id text NOT NULL, error_tag text NOT NULL, message text NOT NULL,
     bytes_zstd bytea NOT NULL, first_seen bigint NOT NULL, tries integer NOT NULL, replayed boolean NOT NULL DEFAULT false,
     indexer text, place integer);
   CREATE TABLE lease (
     source text NOT NULL, realm text NOT NULL, owner text, epoch bigint NOT NULL, expires_at timestamptz NOT NULL,
     PRIMARY KEY (source, realm));
   CREATE TABLE reader (
     name text NOT NULL, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL,
     seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (name, source, realm));
   CREATE TABLE indexer (
     name text NOT NULL, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL, listed bigint NOT NULL DEFAULT 0,
     items bigint NOT NULL DEFAULT 0, quarantined bigint NOT NULL DEFAULT 0, PRIMARY KEY (name, source, realm));
   CREATE TABLE indexer_version (name text PRIMARY KEY, version integer NOT NULL)`,
];

/** Connection options of a database. */
export interface PostgresConnection {
  /**
   * `postgres://user:password@host:port/database`; with `?schema=NAME` the tables are in that schema,
   * which is made if it is not there. Default `public`.
   */
  readonly url: string | Redacted.Redacted;
  /** Connections at most. Default 4. */
  readonly maxConnections?: number;
}

/** A pool over the database, its tables made and up to date. */
export const connect = (
  options: PostgresConnection,
): Effect.Effect<PgClient.PgClient, SinkError, Scope.Scope> => pool(options, migrate);

/**
 * A pool to look at the database with: nothing is made. `undefined` where there is no store yet.
 */
export const connectToRead = (
  options: PostgresConnection,
): Effect.Effect<PgClient.PgClient | undefined, SinkError, Scope.Scope> =>
  Effect.gen(function* () {
    let found = false;
    const sql = yield* pool({ maxConnections: 1, ...options }, (client) =>
      Effect.gen(function* () {
        found = (yield* versionOf(client)) > 0;
      }),
    );
    return found ? sql : undefined;
  });

/** A pool that has answered `begin`. */
const pool = (
  options: PostgresConnection,
  begin: (sql: PgClient.PgClient, schema: string) => Effect.Effect<void, SinkError | SqlError>,
): Effect.Effect<PgClient.PgClient, SinkError, Scope.Scope> =>
  Effect.gen(function* () {
    const { schema, url } = addressOf(options.url);
    const own = yield* Scope.make();
    yield* Effect.addFinalizer(() => closeSoon(own));
    const sql = yield* PgClient.make({
      url,
      maxConnections: options.maxConnections ?? 4,
      applicationName: "game-data stream-follower",
      connectTimeout: "5 seconds",
      keepAlive: "5 seconds",
      // A server that hangs must not hold a transaction, and with it a stop of the follower, for
      // ever.
      startupParameters: {
        search_path: quoted(schema),
        statement_timeout: "60000",
        lock_timeout: "30000",
        // A process that was stopped in the middle of a transaction frees its rows soon.
        idle_in_transaction_session_timeout: "5000",
      },
    }).pipe(Effect.provideService(Scope.Scope, own));
    yield* begin(sql, schema);
    return sql;
  }).pipe(Effect.provide(Reactivity.layer), translate("connect"), untilReachable);

/** The address without the schema, which is no parameter of the server. */
const addressOf = (url: PostgresConnection["url"]) => {
  const text = typeof url === "string" ? url : Redacted.value(url);
  const parsed = URL.parse(text);
  const schema = parsed?.searchParams.get("schema") ?? "public";
  parsed?.searchParams.delete("schema");
  return { schema, url: Redacted.make(parsed?.href ?? text) };
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const migrate = (sql: PgClient.PgClient, schema: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      // Two followers that start together must not migrate together.
      yield* sql`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})`;
      const version = yield* versionOf(sql);
      if (version === STEPS.length) return;
      yield* sql.unsafe(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
      yield* sql`CREATE TABLE IF NOT EXISTS follower_migration (version integer PRIMARY KEY, checksum text NOT NULL)`;
      for (const [index, step] of STEPS.entries()) {
        if (index < version) continue;
        for (const statement of step.split(";\n")) yield* sql.unsafe(statement);
        yield* sql`INSERT INTO follower_migration (version, checksum) VALUES (${index + 1}, ${stepChecksum(step)})`;
      }
    }),
  );

/** The number of steps that made the tables, if this program knows them; 0 where there are none. */
const versionOf = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
): Effect.fn.Return<number, SinkError | SqlError> {
  const found = yield* sql<{ relname: string }>`
    SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(current_setting('search_path'))
      AND relname IN ('follower_migration', 'checkpoint', 'page', 'gap', 'quarantine', 'lease')`;
  if (found.length === 0) return 0;
  if (!found.some(({ relname }) => relname === "follower_migration")) {
    return yield* unknownState("the schema has tables of another program");
  }
  // As JSON, whatever columns the table has.
  const rows = yield* sql<{ step: AppliedStep }>`
    SELECT to_jsonb(m) AS step FROM follower_migration m ORDER BY version`;
  return yield* Effect.try({
    try: () =>
      appliedSteps(
        rows.map(({ step }) => step),
        STEPS,
      ),
    catch: (cause) => cause as SinkError,
  });
});

const LOCK_NUMBER = 4_127_001;

/** Turns SQL errors into `SinkError`; errors of this package pass. */
export const translate =
  (operation: string) =>
  <A, E, R>(self: Effect.Effect<A, E | SqlError, R>) =>
    Effect.mapError(self, (error) =>
      isSqlError(error) ? toSinkError(operation, error) : (error as Exclude<E, SqlError>),
    );

/** An SQL error as the package's own. */
export const toSinkError = (operation: string, error: SqlError): SinkError =>
  new SinkError({ operation, kind: kindOf(error), cause: error });

/** Whether an error is the database's. */
export const isSqlError = (error: unknown): error is SqlError =>
  (error as { _tag?: unknown } | null)?._tag === "SqlError";

/**
 * The kind of an SQL error, by its SQLSTATE: a value that the database can never take, an outage
 * that passes, a full disk, a damaged database. Anything else is a defect or a missing permission.
 * An error without a state is a connection that broke.
 */
export const kindOf = (error: SqlError): SinkErrorKind => {
  const state = sqlState(error);
  if (state === undefined) return PERMANENT.has(error.reason._tag) ? "internal" : "unavailable";
  return KINDS.find(([pattern]) => pattern.test(state))?.[1] ?? "internal";
};

/** The SQLSTATE of an error. */
export const sqlState = (error: SqlError): string | undefined => {
  const code = (error.reason.cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/u.test(code) ? code : undefined;
};

const KINDS: ReadonlyArray<readonly [RegExp, SinkErrorKind]> = [
  [/^(22...|23502|23514|54000)$/u, "rowRejected"],
  [/^53100$/u, "diskFull"],
  [/^(08...|40001|40P01|53...|55P03|57014|57P0[1-5]|25006)$/u, "unavailable"],
  [/^XX00[12]$/u, "corrupt"],
];

const PERMANENT = new Set<string>([
  "SqlSyntaxError",
  "ConstraintError",
  "UniqueViolation",
  "AuthorizationError",
  "AuthenticationError",
]);

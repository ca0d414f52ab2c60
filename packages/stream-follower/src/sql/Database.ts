/**
 * Connects to SQLite or PostgreSQL by one `SqlClient`, and hides their differences: types, clock,
 * error codes, and texts that they cannot store.
 */
import { inflateSync } from "@game-data/contract/inflate";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import * as Reactivity from "effect/reactivity/Reactivity";
import type { SqlClient } from "effect/sql/SqlClient";
import { isSqlError, type SqlError } from "effect/sql/SqlError";
import { readFileSync } from "node:fs";
import { DriverMissing, SinkError, type SinkErrorReason } from "../Errors.ts";

/** Address of a store, as `StoreUrl.parse` returns it. */
export type StoreUrl =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted };

/** `log` has the follower's tables, `index` derived tables. SQLite permits one writer per file. */
export type Part = "log" | "index";

export interface ConnectOptions {
  /** Opens the store for reading only. A SQLite file must exist. Default `false`. */
  readonly isReadOnly?: boolean;
  /** When a commit of SQLite reaches the disk; see `StoreOptions`. */
  readonly synchronous?: "normal" | "full" | undefined;
}

/** Opens the log or the index of a store. Closing the scope closes the connection. */
export const connect = Effect.fnUntraced(function* (
  url: StoreUrl,
  part: Part,
  options: ConnectOptions = {},
) {
  if (url.kind === "postgres") return yield* connectPostgres(url.url, options);
  const SqliteClient = yield* Effect.promise(() => import("./SqliteClient.ts"));
  return yield* SqliteClient.make({ ...options, path: filePath(url.path, part) }).pipe(
    translate("open"),
  );
});

/**
 * Runs `open` in a scope of its own, which a failure closes. Otherwise each failed attempt would
 * keep its connection until the caller's scope ends.
 */
export const closedOnFailure = <A, E, R>(
  open: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, Exclude<R, Scope.Scope> | Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const own = yield* Scope.fork(yield* Effect.scope);
      return yield* restore(Scope.provide(open, own)).pipe(
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
      );
    }),
  );

export const filePath = (path: string, part: Part): string =>
  part === "log" || path === ":memory:" ? path : `${path}.index`;

const connectPostgres = Effect.fnUntraced(function* (
  address: Redacted.Redacted,
  { isReadOnly }: ConnectOptions,
) {
  const { PgClient } = yield* loadOptional("@effect/sql-pg", () => import("@effect/sql-pg"));
  const { password, schema, url } = yield* readAddress(address);
  const pool = yield* Scope.make();
  yield* Effect.addFinalizer((exit) => closeSoon(pool, exit));
  const sql = yield* PgClient.make({
    url: Redacted.make(url),
    password,
    maxConnections: isReadOnly === true ? 1 : 4,
    applicationName: "game-data stream-follower",
    connectTimeout: "5 seconds",
    keepAlive: "5 seconds",
    startupParameters: {
      search_path: quoted(schema),
      statement_timeout: "60000",
      lock_timeout: "30000",
      // Frees the rows of a process that was stopped in the middle of a transaction.
      idle_in_transaction_session_timeout: "5000",
    },
  }).pipe(
    Effect.provideService(Scope.Scope, pool),
    Effect.provide(Reactivity.layer),
    translate("connect"),
  );
  if (isReadOnly !== true) yield* createSchema(sql, schema).pipe(translate("connect"));
  return sql;
});

/** Loads an optional peer dependency. Fails with `DriverMissing` if it is not installed. */
export const loadOptional = <A>(
  peer: string,
  load: () => Promise<A>,
): Effect.Effect<A, DriverMissing> =>
  Effect.tryPromise({ try: load, catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      isMissing(cause, peer)
        ? Effect.fail(new DriverMissing({ package: peer, install: `npm install ${peer}`, cause }))
        : Effect.die(cause),
    ),
  );

const isMissing = (cause: unknown, peer: string): boolean =>
  cause instanceof Error &&
  (cause as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND" &&
  cause.message.includes(peer);

/**
 * Separates the settings of this package from an address. The password comes from the address, a
 * file (`passwordFile`) or `PGPASSWORD`, because the process list shows an address.
 */
const readAddress = (address: Redacted.Redacted) =>
  Effect.try({
    try: () => {
      const url = new URL(Redacted.value(address));
      const schema = url.searchParams.get("schema") ?? "public";
      const file = url.searchParams.get("passwordFile");
      url.searchParams.delete("schema");
      url.searchParams.delete("passwordFile");
      const text = file === null ? process.env["PGPASSWORD"] : readFileSync(file, "utf8").trim();
      if (file !== null && text === "") throw new Error(`${file} is empty`);
      const hasPassword = url.password !== "" && file === null;
      const password = hasPassword || text === undefined ? undefined : Redacted.make(text);
      return { password, schema, url: url.href };
    },
    catch: (cause) => new SinkError({ operation: "read passwordFile", reason: "internal", cause }),
  });

/** Creates a missing schema. Looks first, because `IF NOT EXISTS` still needs the permission. */
const createSchema = Effect.fnUntraced(function* (sql: SqlClient, schema: string) {
  const [row] = yield* sql<{ name: string | null }>`SELECT current_schema() AS name`;
  if (row?.name != null) return;
  // `IF NOT EXISTS` fails if two sessions create the schema at once.
  yield* sql`SELECT pg_advisory_xact_lock(4127001)`.pipe(
    Effect.andThen(sql.unsafe(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`)),
    sql.withTransaction,
  );
});

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Closes a pool, but waits only 250 ms, because it drains for seconds if its server hangs. */
const closeSoon = Effect.fnUntraced(function* (
  pool: Scope.Closeable,
  exit: Parameters<typeof Scope.close>[1],
) {
  const closing = yield* Effect.forkDetach(Scope.close(pool, exit));
  yield* Effect.raceFirst(Fiber.await(closing), Effect.sleep("250 millis"));
});

/** Types and functions whose names differ between the databases. */
export type Words = ReturnType<typeof words>;

export const words = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      blob: "bytea",
      integer: "bigint",
      identity: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
      /** Milliseconds since 1970 by the database's own clock. */
      now: sql.literal("floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"),
    }),
    orElse: () => ({
      blob: "BLOB",
      integer: "INTEGER",
      identity: "INTEGER PRIMARY KEY",
      now: sql.literal("CAST(unixepoch('subsec') * 1000 AS INTEGER)"),
    }),
  });

export const isPostgres = (sql: SqlClient): boolean =>
  sql.onDialectOrElse({ pg: () => true, orElse: () => false });

/**
 * Turns SQL errors into `SinkError`, and passes the errors of this package on. A connection that ends
 * within a transaction may surface as a defect.
 */
export const translate =
  (operation: string) =>
  <A, E, R>(self: Effect.Effect<A, E | SqlError, R>) =>
    self.pipe(
      Effect.catchDefect((defect) =>
        isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect),
      ),
      Effect.mapError((error): Exclude<E, SqlError> | SinkError =>
        isSqlError(error)
          ? new SinkError({ operation, reason: sinkErrorReason(error), cause: error })
          : (error as Exclude<E, SqlError>),
      ),
    );

/** Classifies an SQL error by its SQLSTATE, or by the primary result code of SQLite. */
export const sinkErrorReason = ({ reason }: SqlError): SinkErrorReason => {
  const { code, errcode } = (reason.cause ?? {}) as { code?: unknown; errcode?: number };
  if (code === "REPLACED") return "replaced";
  const state = typeof code === "string" && /^[0-9A-Z]{5}$/u.test(code) ? code : undefined;
  const name = errcode === undefined ? state : `sqlite ${errcode & 0xff}`;
  if (name !== undefined) return REASONS.find(([pattern]) => pattern.test(name))?.[1] ?? "internal";
  // The connection broke or was refused if there is no error code of the database.
  return PERMANENT.has(reason._tag) ? "internal" : "unavailable";
};

const PERMANENT = new Set(["AuthenticationError", "AuthorizationError", "SqlSyntaxError"]);

/** Errors of the login or its rights. A missing table is damage of the index, not a refusal. */
const REFUSALS = new Set(["AuthenticationError", "AuthorizationError"]);

/** Whether a database refuses this program, whatever rows it writes. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof SinkError && isSqlError(error.cause) && REFUSALS.has(error.cause.reason._tag);

const REASONS: ReadonlyArray<readonly [RegExp, SinkErrorReason]> = [
  [/^(sqlite (18|20)|22...|23502|23514|54000)$/u, "rowRejected"],
  [/^(sqlite 13|53100)$/u, "diskFull"],
  // SQLite: BUSY, LOCKED, IOERR, CANTOPEN. PostgreSQL: lost connections, deadlocks, timeouts.
  [
    /^(sqlite (5|6|10|14)|08...|40001|40P01|53...|55P03|57014|57P0[1-5]|25006|25P03)$/u,
    "unavailable",
  ],
  [/^(sqlite (11|26)|XX00[12])$/u, "corrupt"],
];

/**
 * Returns the stored form of a change id or stash id. PostgreSQL refuses U+0000, and lone surrogates
 * do not survive UTF-8, so such an id is stored as its JSON text.
 */
export const encodeId = (id: string): string =>
  id.isWellFormed() && !id.includes("\u0000") && !id.startsWith(PREFIX)
    ? id
    : `${PREFIX}${JSON.stringify(id)}`;

/** Returns the id whose stored form is `text`. */
export const decodeId = (text: string): string =>
  text.startsWith(PREFIX) ? (JSON.parse(text.slice(PREFIX.length)) as string) : text;

const PREFIX = "json:";

/** Returns text for display. U+0000 and lone surrogates become U+FFFD. */
export const displayText = (text: string): string =>
  text.toWellFormed().replaceAll("\u0000", "\uFFFD");

/** Decompresses bytes that this package has compressed. */
export const decompress = (bytes: Uint8Array): Uint8Array =>
  inflateSync(bytes, "zstd", { limit: MAX_DOCUMENT_BYTES, codings: ["zstd"] });

const MAX_DOCUMENT_BYTES = 2 ** 30;

/**
 * Who runs which task, since when: a table beside the cluster's own, written by whoever runs a task.
 *
 * A record is a fact with its time, as the parts of a follower are: its owner renews it, and one
 * that is not renewed is `silent`, whatever became of its owner.
 */
import { PgClient } from "@effect/sql-pg";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Reactivity from "effect/reactivity/Reactivity";
import type { SqlError } from "effect/sql/SqlError";
import { SinkError } from "../Errors.ts";
import { unheeded } from "../core/attempt.ts";

/** A task and its owner. */
export interface Assignment {
  readonly task: string;
  /** `host:port` of the process. */
  readonly owner: string;
  /** When it began the task there, in milliseconds since 1970 by the database's clock. */
  readonly since: number;
  /** `silent`: its owner has not been heard for six seconds. */
  readonly state: "running" | "silent";
}

const SILENT_SECONDS = 6;
const RENEW_INTERVAL = "2 seconds";
const RELEASE_TIMEOUT = "500 millis";

/** Makes the table. Processes start at once, and PostgreSQL lets two makers of a table collide. */
export const makeTable = (sql: PgClient.PgClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})`;
    yield* sql`
      CREATE TABLE IF NOT EXISTS placement (
        task text PRIMARY KEY, owner text NOT NULL, since timestamptz NOT NULL,
        heard_at timestamptz NOT NULL)`;
  }).pipe(sql.withTransaction);

const LOCK_NUMBER = 4_127_003;

/** Runs a task, and keeps its record meanwhile. A database that is away stops no task. */
export const recorded = <A, E, R>(
  sql: PgClient.PgClient,
  { owner, task }: Pick<Assignment, "task" | "owner">,
  run: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let begun: string | undefined;
    // An owner that was frozen and wakes up began earlier: it overwrites nothing.
    const renew = Effect.gen(function* () {
      begun ??= (yield* sql<{ now: string }>`SELECT clock_timestamp()::text AS now`)[0]?.now;
      yield* sql`
        INSERT INTO placement (task, owner, since, heard_at)
        VALUES (${task}, ${owner}, ${begun}::timestamptz, clock_timestamp())
        ON CONFLICT (task) DO UPDATE
          SET owner = excluded.owner, since = excluded.since, heard_at = excluded.heard_at
        WHERE placement.since <= excluded.since`;
    });
    const renewing = Effect.forever(Effect.andThen(unheeded(renew), Effect.sleep(RENEW_INTERVAL)));
    const remove = Effect.suspend(
      () => sql`
        DELETE FROM placement
        WHERE task = ${task} AND owner = ${owner} AND since = ${begun ?? "-infinity"}::timestamptz`,
    );
    return Effect.raceFirst(run, renewing).pipe(
      Effect.ensuring(unheeded(Effect.timeout(remove, RELEASE_TIMEOUT))),
    );
  });

/** Every task that somebody began, by name. Read-only; none where no process took part yet. */
export const assignments = (
  url: string | Redacted.Redacted,
): Effect.Effect<ReadonlyArray<Assignment>, SinkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.make({
        url: typeof url === "string" ? Redacted.make(url) : url,
        maxConnections: 1,
      });
      const [known] = yield* sql<{
        is: boolean;
      }>`SELECT to_regclass('placement') IS NOT NULL AS is`;
      if (known?.is !== true) return [];
      return yield* sql<Assignment>`
        SELECT task, owner, floor(extract(epoch FROM since) * 1000)::float8 AS since,
          CASE WHEN heard_at < clock_timestamp() - ${SILENT_SECONDS} * interval '1 second'
            THEN 'silent' ELSE 'running' END AS state
        FROM placement ORDER BY task`;
    }),
  ).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError(
      (cause) => new SinkError({ operation: "placement", kind: "unavailable", cause }),
    ),
  );

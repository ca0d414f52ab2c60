/**
 * A lease in PostgreSQL, for followers on several machines. Time is the database's own, so their
 * clocks need not agree.
 */
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { SinkError } from "../Errors.ts";
import { fromStore, Lease, type LeaseOptions, type LeaseService } from "../Lease.ts";
import { connect, type PostgresConnection, translate } from "./schema.ts";

/** Options of the lease. */
export interface PostgresLeaseOptions extends LeaseOptions, PostgresConnection {}

/** The lease over a database. */
export const make = (
  options: PostgresLeaseOptions,
): Effect.Effect<LeaseService, SinkError, Scope.Scope> =>
  Effect.map(connect({ maxConnections: 2, ...options }), (sql) =>
    fromStore(
      {
        take: (key, owner, ttl) =>
          sql<{ epoch: bigint }>`
            INSERT INTO lease AS l (source, realm, owner, epoch, expires_at)
            VALUES (${key.source}, ${key.realm}, ${owner}, 1, clock_timestamp() + ${ttl}::double precision * interval '1 millisecond')
            ON CONFLICT (source, realm) DO UPDATE
              SET owner = excluded.owner, epoch = l.epoch + 1, expires_at = excluded.expires_at
            WHERE l.owner IS NULL OR l.owner = excluded.owner OR l.expires_at <= clock_timestamp() RETURNING epoch`.pipe(
            Effect.map(([row]) => (row === undefined ? undefined : Number(row.epoch))),
            translate("lease"),
          ),
        renew: (key, owner, epoch, ttl) =>
          sql`UPDATE lease SET expires_at = clock_timestamp() + ${ttl}::double precision * interval '1 millisecond'
              WHERE source = ${key.source} AND realm = ${key.realm} AND owner = ${owner} AND epoch = ${BigInt(epoch)}
              RETURNING 1 AS ours`.pipe(
            Effect.map((rows) => rows.length === 1),
            translate("lease"),
          ),
        release: (key, owner, epoch) =>
          sql`UPDATE lease SET owner = NULL
              WHERE source = ${key.source} AND realm = ${key.realm} AND owner = ${owner} AND epoch = ${BigInt(epoch)}`.pipe(
            Effect.asVoid,
            translate("lease"),
          ),
      },
      options,
    ),
  );

/** The lease over a database, as a layer. */
export const layer = (options: PostgresLeaseOptions): Layer.Layer<Lease, SinkError> =>
  Layer.effect(Lease, make(options));

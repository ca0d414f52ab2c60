/**
 * A lease in a SQLite file, for followers of one machine. Time is the machine's clock, which all of
 * them share.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { SinkError } from "../Errors.ts";
import { fromStore, Lease, type LeaseOptions, type LeaseService } from "../Lease.ts";
import { attempt, LOG, openFile } from "./schema.ts";

/** Options of the lease. */
export interface SqliteLeaseOptions extends LeaseOptions {
  /** The file; the sink's own will do. */
  readonly path: string;
}

/** The lease over a file. */
export const make = (
  options: SqliteLeaseOptions,
): Effect.Effect<LeaseService, SinkError, Scope.Scope> =>
  Effect.map(openFile(options.path, LOG), (db) => {
    const take = db.prepare(
      `INSERT INTO lease (source, realm, owner, epoch, expires_at) VALUES (?, ?, ?, 1, ?)
       ON CONFLICT DO UPDATE SET owner = excluded.owner, epoch = lease.epoch + 1, expires_at = excluded.expires_at
       WHERE lease.owner IS NULL OR lease.expires_at <= ? RETURNING epoch`,
    );
    const renew = db.prepare(
      "UPDATE lease SET expires_at = ? WHERE source = ? AND realm = ? AND owner = ? AND epoch = ?",
    );
    const release = db.prepare(
      "UPDATE lease SET owner = NULL WHERE source = ? AND realm = ? AND owner = ? AND epoch = ?",
    );
    return fromStore(
      {
        take: (key, owner, ttl) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            attempt("lease", () => {
              const row = take.get(key.source, key.realm, owner, now + ttl, now);
              return (row as { epoch: number } | undefined)?.epoch;
            }),
          ),
        renew: (key, owner, epoch, ttl) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            attempt(
              "lease",
              () => renew.run(now + ttl, key.source, key.realm, owner, epoch).changes === 1,
            ),
          ),
        release: (key, owner, epoch) =>
          attempt("lease", () => void release.run(key.source, key.realm, owner, epoch)),
      },
      options,
    );
  });

/** The lease over a file, as a layer. */
export const layer = (options: SqliteLeaseOptions): Layer.Layer<Lease, SinkError> =>
  Layer.effect(Lease, make(options));

/**
 * A lease in a SQLite file, for followers of one machine. Time is the machine's clock, which all of
 * them share. The lease of a process that was killed is taken over at once.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
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
      `INSERT INTO lease (source, realm, owner, epoch, expires_at, host, pid) VALUES (?, ?, ?, 1, ?, ?, ?)
       ON CONFLICT DO UPDATE SET owner = excluded.owner, epoch = lease.epoch + 1, expires_at = excluded.expires_at,
         host = excluded.host, pid = excluded.pid
       WHERE lease.owner IS NULL OR lease.expires_at <= ? OR (lease.host = ? AND lease.pid = ?) RETURNING epoch`,
    );
    const holder = db.prepare("SELECT host, pid FROM lease WHERE source = ? AND realm = ?");
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
              const dead = deadHolder(holder.get(key.source, key.realm));
              const ours = [now + ttl, HOST, process.pid] as const;
              const row = take.get(key.source, key.realm, owner, ...ours, now, HOST, dead);
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

/**
 * The process that holds the lease, if it was one of this host and is gone: then nobody has to wait
 * for the lease to expire. -1 for any other holder.
 */
const deadHolder = (row: unknown): number => {
  const { host, pid } = (row ?? {}) as { readonly host?: string | null; readonly pid?: number };
  if (host !== HOST || pid === undefined || pid === null || pid === process.pid) return -1;
  try {
    process.kill(pid, 0);
    return -1;
  } catch (cause) {
    return (cause as { code?: unknown }).code === "ESRCH" ? pid : -1;
  }
};

/** Scope in which a process id is unique: the host, its boot, and its namespace of process ids. */
const HOST = ((): string => {
  const parts = [hostname()];
  try {
    parts.push(readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
    parts.push(readlinkSync("/proc/self/ns/pid"));
  } catch {
    // Not Linux: the name of the host has to do.
  }
  return parts.join(" ");
})();

/**
 * Who may follow a stream: one process at a time per (source, realm).
 *
 * The lease is for liveness: it keeps two followers from doing the same work. Safety comes from its
 * epoch, which the sink checks in the transaction that writes. `none` is for one process;
 * `LeaseSqlite` for processes of one machine, `LeasePostgres` for many.
 */
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { LeaseLost, SinkError } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import { type LeaseStore, makeLease } from "./core/lease.ts";

/** A lease that is held until its scope closes. */
export interface LeaseHandle {
  /** Grows with every change of hands: the fence of this holder's writes. */
  readonly epoch: number;
  /** `false` for no lease at all: the epoch that the store has is taken over. Default `true`. */
  readonly exclusive?: boolean;
  /** Never succeeds; fails when the lease is lost. */
  readonly lost: Effect.Effect<never, LeaseLost>;
}

/** The functions of a lease. */
export interface LeaseService {
  /** Waits until the stream is free and takes it. The scope's end gives it back. */
  readonly hold: (key: StreamKey) => Effect.Effect<LeaseHandle, SinkError, Scope.Scope>;
}

/** The lease that a follower asks for its streams. */
export class Lease extends Context.Service<Lease, LeaseService>()(
  "@game-data/stream-follower/Lease",
) {}

/** How long a lease lives and how it is kept. Failover takes at most `ttl` plus one `retry`. */
export interface LeaseOptions {
  /** Life without renewal. Default 10 seconds. */
  readonly ttl?: Duration.Input;
  /** Time between renewals. Default 3 seconds. */
  readonly renewInterval?: Duration.Input;
  /** Time between tries of who stands by. Default 2 seconds. */
  readonly acquireInterval?: Duration.Input;
  /** Name of this holder. Default: a random one. */
  readonly owner?: string;
}

/**
 * No lease: every stream is free, at the epoch that its sink has. The sink's own position still
 * stops a second writer.
 */
export const none: Layer.Layer<Lease> = Layer.succeed(Lease, {
  hold: () => Effect.succeed({ epoch: 0, exclusive: false, lost: Effect.never }),
});

/**
 * A lease over a store that can take, renew and give back; what the two durable leases are made of.
 */
export const fromStore = (store: LeaseStore, options: LeaseOptions = {}): LeaseService =>
  makeLease(store, {
    ttlMillis: Duration.toMillis(options.ttl ?? "10 seconds"),
    renewMillis: Duration.toMillis(options.renewInterval ?? "3 seconds"),
    acquireMillis: Duration.toMillis(options.acquireInterval ?? "2 seconds"),
    owner: options.owner ?? crypto.randomUUID(),
  });

export type { LeaseStore } from "./core/lease.ts";

/**
 * Ensures that one process at a time follows a stream.
 *
 * The lease is for liveness: it keeps two followers from doing the same work. Safety comes from its
 * epoch, which the sink checks in the transaction that writes.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import { isTransient, untilAvailable, withDeadline } from "./attempt.ts";
import { LeaseLost, type SinkError } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import { Sink } from "./Sink.ts";
import * as Status from "./Status.ts";

/** A lease that is held until its scope closes. */
export interface HeldLease {
  /** Grows with every holder. The sink refuses writes of a lower epoch. */
  readonly epoch: number;
  /** Renews the lease, fails when it is lost, and never succeeds. Run it beside the work. */
  readonly keep: Effect.Effect<never, LeaseLost>;
}

/** Service that takes the lease of a stream. */
export interface LeaseService {
  /** Waits until the stream is free and takes it. Closing the scope releases it. */
  readonly hold: (key: StreamKey) => Effect.Effect<HeldLease, SinkError, Sink | Scope.Scope>;
}

/** Lets one process at a time follow a stream. */
export class Lease extends Context.Service<Lease, LeaseService>()(
  "@game-data/stream-follower/Lease",
) {}

/** Lifetime and renewal of a lease. A takeover takes at most `ttl` plus one `acquireInterval`. */
export interface LeaseOptions {
  /** Lifetime without renewal. Default 10 seconds. */
  readonly ttl?: Duration.Input;
  /** Time between renewals. Default 3 seconds. */
  readonly renewInterval?: Duration.Input;
  /** Retry interval of a standby process. Default 2 seconds. */
  readonly acquireInterval?: Duration.Input;
}

/** Lease operations of a store, which times leases by its own clock. */
export interface LeaseStore {
  /**
   * Takes a lease that is free, expired or already the owner's, because an attempt that timed out may
   * have taken it. Returns its new epoch, or `undefined` if another process holds it.
   */
  readonly take: (
    key: StreamKey,
    owner: string,
    ttlMillis: number,
  ) => Effect.Effect<number | undefined, SinkError>;
  /** Prolongs the lease. Returns `false` if another process has taken it. */
  readonly renew: (
    key: StreamKey,
    owner: string,
    renewal: LeaseRenewal,
  ) => Effect.Effect<boolean, SinkError>;
  /** Releases the lease if the owner holds it. */
  readonly release: (key: StreamKey, owner: string) => Effect.Effect<void, SinkError>;
}

/** Data that a follower stores each time it renews its lease. */
export interface LeaseRenewal {
  readonly epoch: number;
  readonly ttlMillis: number;
  /** State of the follower, which other processes read by `StoreUrl.statusOf`. */
  readonly state: Status.HolderState;
}

/** Takes no lease, for a single process. The sink's position still stops a second writer. */
export const none: Layer.Layer<Lease> = Layer.succeed(Lease, {
  hold: (key) => Effect.map(currentEpoch(key), (epoch) => ({ epoch, keep: Effect.never })),
});

/**
 * Takes the next epoch of the sink at once, for followers that a cluster places (`./cluster`). The
 * process that held the stream before is fenced.
 */
export const next: Layer.Layer<Lease> = Layer.succeed(Lease, {
  hold: (key) =>
    Effect.map(currentEpoch(key), (epoch) => ({ epoch: epoch + 1, keep: Effect.never })),
});

const currentEpoch = Effect.fnUntraced(function* (key: StreamKey) {
  const sink = yield* Sink;
  return yield* sink.claim(key, 0).pipe(
    Effect.map((checkpoint) => checkpoint?.epoch ?? 0),
    Effect.catchTag("Fenced", ({ fence }) => Effect.succeed(fence ?? 0)),
    untilAvailable(key, "lease", { operation: "claim", duration: "10 seconds" }),
    Effect.tap(() => Status.note(key, { holder: { who: "us", until: Infinity } })),
  );
});

/** Makes a lease over a store that can take, renew and release. */
export const fromStore = (
  store: LeaseStore,
  {
    acquireInterval = "2 seconds",
    renewInterval = "3 seconds",
    ttl = "10 seconds",
  }: LeaseOptions = {},
): LeaseService => ({
  hold: Effect.fnUntraced(function* (key) {
    // Two followers of one process need different owners.
    const name = crypto.randomUUID();
    const owner: LeaseOwner = { key, name, store, ttlMillis: Duration.toMillis(ttl) };
    // Releases also after an interrupted attempt, which may have taken the lease.
    yield* Effect.addFinalizer(() => release(owner));
    const { epoch, sentAt } = yield* take(owner, acquireInterval);
    return { epoch, keep: keep(owner, { epoch, sentAt, renewInterval }) };
  }),
});

interface LeaseOwner {
  readonly key: StreamKey;
  readonly name: string;
  readonly store: LeaseStore;
  readonly ttlMillis: number;
}

/** Waits for the lease. Returns its epoch, and its request time by the monotonic clock. */
const take = Effect.fnUntraced(function* (owner: LeaseOwner, acquireInterval: Duration.Input) {
  const { key, name, store, ttlMillis } = owner;
  while (true) {
    const sentAt = yield* monotonicMillis;
    const epoch = yield* store.take(key, name, ttlMillis).pipe(
      withDeadline({ operation: "lease", duration: "5 seconds" }),
      Status.track(key, "lease"),
      Effect.tap((found) => recordHolder(owner, found === undefined ? "another" : "us")),
      Effect.catchCause((cause) =>
        isTransient(cause) ? Effect.succeed(undefined) : Effect.failCause(cause),
      ),
    );
    if (epoch !== undefined) return { epoch, sentAt };
    yield* Effect.sleep(acquireInterval);
  }
});

/**
 * Renews the lease until a whole `ttl` has passed since the last successful renewal was sent, by
 * the monotonic clock, so that a frozen process notices the loss when it wakes up.
 */
const keep = Effect.fnUntraced(function* (
  owner: LeaseOwner,
  {
    epoch,
    renewInterval,
    sentAt: takenAt,
  }: { readonly epoch: number; readonly sentAt: number; readonly renewInterval: Duration.Input },
) {
  const { key, name, store, ttlMillis } = owner;
  let renewedAt = takenAt;
  while (true) {
    yield* Effect.sleep(renewInterval);
    const sentAt = yield* monotonicMillis;
    const leftMillis = ttlMillis - (sentAt - renewedAt);
    if (leftMillis <= 0) return yield* new LeaseLost({ epoch });
    const state = yield* Status.holderState(key);
    const isOurs = yield* store.renew(key, name, { epoch, ttlMillis, state }).pipe(
      withDeadline({ operation: "lease", duration: leftMillis }),
      Status.track(key, "lease"),
      // The store is unavailable to every process, so keep the lease until its `ttl` ends.
      Effect.catchCause(() => Effect.succeed(undefined)),
    );
    if (isOurs === false) return yield* new LeaseLost({ epoch });
    if (isOurs === undefined) continue;
    renewedAt = sentAt;
    yield* recordHolder(owner, "us");
  }
});

const release = ({ key, name, store }: LeaseOwner) =>
  store
    .release(key, name)
    .pipe(
      withDeadline({ operation: "lease", duration: "500 millis" }),
      Effect.ignoreCause,
      Effect.andThen(Status.note(key, { holder: undefined })),
    );

const recordHolder = ({ key, ttlMillis }: LeaseOwner, who: "us" | "another") =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Status.note(key, { holder: { who, until: now + ttlMillis } }),
  );

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6);

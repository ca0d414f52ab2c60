/**
 * Ensures that one process at a time follows a stream (source and realm).
 *
 * The lease is for liveness: it keeps two followers from doing the same work. Safety comes from its
 * epoch, which the sink checks in the transaction that writes. `none` is for one process;
 * `LeaseSqlite` for processes of one machine, `LeasePostgres` for many.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import { LeaseLost, type SinkError } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import { Sink } from "./Sink.ts";

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

/** Lifetime and renewal of a lease. Failover takes at most `ttl` plus one `acquireInterval`. */
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

/** Lease operations of a store. They use the store's own clock. */
export interface LeaseStore {
  /**
   * Takes a free or expired lease and returns its new epoch; `undefined` while another holds it.
   */
  readonly take: (
    key: StreamKey,
    owner: string,
    ttlMillis: number,
  ) => Effect.Effect<number | undefined, SinkError>;
  /** Prolongs it; `false` when it is no longer ours. */
  readonly renew: (
    key: StreamKey,
    owner: string,
    epoch: number,
    ttlMillis: number,
  ) => Effect.Effect<boolean, SinkError>;
  /** Gives it back, if it is still ours. */
  readonly release: (
    key: StreamKey,
    owner: string,
    epoch: number,
  ) => Effect.Effect<void, SinkError>;
}

/**
 * No lease: every stream is free, at the epoch that its sink has. The sink's own position still
 * stops a second writer.
 */
export const none: Layer.Layer<Lease> = Layer.succeed(Lease, {
  hold: () => Effect.succeed({ epoch: 0, exclusive: false, lost: Effect.never }),
});

/**
 * Takes the next epoch of the sink at once, without waiting for a holder: for followers that a
 * cluster places (`./cluster`). The process that held the stream before is fenced.
 */
export const next: Layer.Layer<Lease, never, Sink> = Layer.effect(
  Lease,
  Effect.map(Sink, (sink) => ({
    hold: (key) =>
      sink.claim(key, 0).pipe(
        Effect.map((standing) => standing?.epoch ?? 0),
        Effect.catchTag("Fenced", ({ fence }) => Effect.succeed(fence ?? 0)),
        Effect.retry({ while: ({ isRetryable }) => isRetryable, schedule: RETRY }),
        Effect.map((epoch) => ({ epoch: epoch + 1, lost: Effect.never })),
      ),
  })),
);

const RETRY = Schedule.spaced("500 millis");

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

interface LeaseTiming {
  readonly ttlMillis: number;
  readonly renewMillis: number;
  readonly acquireMillis: number;
  readonly owner: string;
}

/**
 * Takes, keeps and releases a lease. The holder counts from before each renewal was sent, on the
 * monotonic clock: if a whole `ttl` has passed since the last one that succeeded, the lease is
 * lost, whatever the store says. A frozen process finds that out when it wakes up, and its sink
 * rejects its writes in any case.
 */
const makeLease = (store: LeaseStore, settings: LeaseTiming): LeaseService => {
  const { owner, ttlMillis, renewMillis, acquireMillis } = settings;

  const take = Effect.fnUntraced(function* (key: StreamKey) {
    while (true) {
      const sentAt = yield* monotonicMillis;
      const epoch = yield* store
        .take(key, owner, ttlMillis)
        .pipe(
          Effect.catch((error) =>
            error.isRetryable ? Effect.succeed(undefined) : Effect.fail(error),
          ),
        );
      if (epoch !== undefined) return { epoch, sentAt };
      yield* Effect.sleep(acquireMillis);
    }
  });

  const keep = Effect.fnUntraced(function* (
    key: StreamKey,
    taken: { readonly epoch: number; readonly sentAt: number },
  ): Effect.fn.Return<never, LeaseLost> {
    const { epoch } = taken;
    let renewedAt = taken.sentAt;
    while (true) {
      yield* Effect.sleep(renewMillis);
      const sentAt = yield* monotonicMillis;
      const left = ttlMillis - (sentAt - renewedAt);
      if (left <= 0) return yield* new LeaseLost({ epoch });
      const ours = yield* store.renew(key, owner, epoch, ttlMillis).pipe(
        Effect.timeoutOrElse({ duration: left, orElse: () => Effect.succeed(undefined) }),
        // The store is away, which it is for everybody: what counts is the time that is left.
        Effect.catch(() => Effect.succeed(undefined)),
      );
      if (ours === false) return yield* new LeaseLost({ epoch });
      if (ours === true) renewedAt = sentAt;
    }
  });

  return {
    hold: Effect.fnUntraced(function* (key) {
      const taken = yield* Effect.acquireRelease(
        take(key),
        ({ epoch }) =>
          store
            .release(key, owner, epoch)
            .pipe(
              Effect.timeoutOrElse({ duration: RELEASE_MILLIS, orElse: () => Effect.void }),
              Effect.ignore,
            ),
        { interruptible: true },
      );
      const lost = yield* Deferred.make<never, LeaseLost>();
      yield* keep(key, taken).pipe(
        Effect.exit,
        Effect.flatMap((exit) => Deferred.done(lost, exit)),
        Effect.forkScoped,
      );
      return { epoch: taken.epoch, lost: Deferred.await(lost) };
    }),
  };
};

const RELEASE_MILLIS = 2000;

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n));

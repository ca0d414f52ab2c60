/**
 * Taking, keeping and giving back a lease, over any store.
 *
 * The holder counts from before each renewal was sent, on the monotonic clock: when a whole `ttl`
 * has passed since the last one that succeeded, the lease is lost for us whatever the store may
 * think. A frozen process finds that out when it wakes up, and its sink refuses it in any case.
 */
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import { LeaseLost, type SinkError } from "../Errors.ts";
import type { LeaseService } from "../Lease.ts";
import type { StreamKey } from "../Model.ts";

/** What a store must be able to do. Time is the store's own. */
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

/** See `LeaseOptions`. */
export interface LeaseTiming {
  readonly ttlMillis: number;
  readonly renewMillis: number;
  readonly acquireMillis: number;
  readonly owner: string;
}

/** The lease service over a store. */
export const makeLease = (store: LeaseStore, settings: LeaseTiming): LeaseService => {
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

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
import * as Exit from "effect/Exit";
import type * as Scope from "effect/Scope";
import { LeaseLost, type SinkError } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import { note, part, track } from "./Parts.ts";
import { Sink } from "./Sink.ts";
import { mayPass, unheeded, untilAvailable, within } from "./core/attempt.ts";

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
}

/** Lease operations of a store. They use the store's own clock. */
export interface LeaseStore {
  /**
   * Takes a lease that is free, expired or the asker's own: an attempt that was given up may have
   * taken it unheard. Gives its new epoch, or `undefined` where another holds it; a failure says
   * nothing about that.
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
    hold: Effect.fnUntraced(function* (key) {
      const epochOf = Effect.suspend(() => sink.claim(key, 0)).pipe(
        Effect.map((standing) => standing?.epoch ?? 0),
        Effect.catchTag("Fenced", ({ fence }) => Effect.succeed(fence ?? 0)),
      );
      const cell = yield* part(key, "lease");
      const epoch = yield* untilAvailable(cell, { operation: "lease" }, epochOf);
      return { epoch: epoch + 1, lost: Effect.never };
    }),
  })),
);

/**
 * A lease over a store that can take, renew and give back; what the two durable leases are made of.
 */
export const fromStore = (store: LeaseStore, options: LeaseOptions = {}): LeaseService => {
  const owners = makeOwners();
  const timing = {
    ttlMillis: Duration.toMillis(options.ttl ?? "10 seconds"),
    renewMillis: Duration.toMillis(options.renewInterval ?? "3 seconds"),
    acquireMillis: Duration.toMillis(options.acquireInterval ?? "2 seconds"),
  };
  return {
    hold: Effect.fnUntraced(function* (key) {
      const owner = yield* Effect.acquireRelease(owners.take, owners.giveBack);
      const use = { ...timing, store, owner };
      const taken = yield* Effect.acquireRelease(
        take(use, key),
        ({ epoch }) => release(use, key, epoch),
        { interruptible: true },
      );
      const lost = yield* Deferred.make<never, LeaseLost>();
      yield* keep(use, key, taken).pipe(
        Effect.exit,
        Effect.tap(() => note(key, { holder: undefined })),
        Effect.flatMap((exit) => Deferred.done(lost, exit)),
        Effect.forkScoped,
      );
      return { epoch: taken.epoch, lost: Deferred.await(lost) };
    }),
  };
};

/** What a lease is made of. */
interface LeaseUse {
  readonly store: LeaseStore;
  readonly ttlMillis: number;
  readonly renewMillis: number;
  readonly acquireMillis: number;
  readonly owner: string;
}

/**
 * Names of owners, each in use once. A holder that lost its lease asks again under the same name: a
 * renewal that hung with the store may have prolonged the old lease unheard, and its own name is
 * what the next question may replace.
 */
const makeOwners = () => {
  const free: Array<string> = [];
  return {
    take: Effect.sync(() => free.pop() ?? crypto.randomUUID()),
    giveBack: (owner: string) => Effect.sync(() => void free.push(owner)),
  };
};

/** A lease that was taken, and when it was asked for, on the monotonic clock. */
interface Taken {
  readonly epoch: number;
  readonly sentAt: number;
}

/** Asks until the lease is ours. Only an answer says that another holds it. */
const take = Effect.fnUntraced(function* (use: LeaseUse, key: StreamKey) {
  const { acquireMillis, owner, store, ttlMillis } = use;
  const cell = yield* part(key, "lease");
  while (true) {
    const sentAt = yield* monotonicMillis;
    const asked = within(
      { operation: "lease", deadlineMillis: TAKE_MILLIS },
      Effect.suspend(() => store.take(key, owner, ttlMillis)),
      // A lease that was taken too late, or for a follower that was stopped meanwhile.
      (epoch) => (epoch === undefined ? Effect.void : store.release(key, owner, epoch)),
    );
    const exit = yield* Effect.exit(track(cell, asked));
    if (Exit.isFailure(exit)) {
      if (!mayPass(exit.cause)) return yield* Effect.failCause(exit.cause);
    } else {
      yield* heard(use, key, exit.value === undefined ? "another" : "us");
      if (exit.value !== undefined) return { epoch: exit.value, sentAt };
    }
    yield* Effect.sleep(acquireMillis);
  }
});

/**
 * Half of what other attempts get: a question that a server lost, because it hung or a leader was
 * elected, is asked again twice before a status may be false.
 */
const TAKE_MILLIS = 5000;

/** Notes what the store said about the holder. */
const heard = ({ ttlMillis }: LeaseUse, key: StreamKey, who: "us" | "another") =>
  Effect.flatMap(Clock.currentTimeMillis, (heardAt) =>
    note(key, {
      holder: { who, heardAt, ttlMillis },
      // What another writes is not our lag.
      ...(who === "another" ? { durableAt: undefined, tailAt: undefined } : {}),
    }),
  );

/**
 * Renews the lease until it is lost. The holder counts from before each renewal was sent, on the
 * monotonic clock: if a whole `ttl` has passed since the last one that succeeded, the lease is
 * lost, whatever the store says. A frozen process finds that out when it wakes up, and its sink
 * rejects its writes in any case.
 */
const keep = Effect.fnUntraced(function* (
  use: LeaseUse,
  key: StreamKey,
  { epoch, sentAt: takenAt }: Taken,
): Effect.fn.Return<never, LeaseLost> {
  const { owner, renewMillis, store, ttlMillis } = use;
  const cell = yield* part(key, "lease");
  let renewedAt = takenAt;
  while (true) {
    yield* Effect.sleep(renewMillis);
    const sentAt = yield* monotonicMillis;
    const left = ttlMillis - (sentAt - renewedAt);
    if (left <= 0) return yield* new LeaseLost({ epoch });
    const bounds = { operation: "lease", deadlineMillis: left };
    const renewal = within(bounds, store.renew(key, owner, epoch, ttlMillis));
    // The store is away, which it is for everybody: what counts is the time that is left.
    const ours = yield* Effect.catchCause(track(cell, renewal), () => Effect.succeed(undefined));
    if (ours === false) return yield* new LeaseLost({ epoch });
    if (ours === true) {
      renewedAt = sentAt;
      yield* heard(use, key, "us");
    }
  }
});

/** Gives the lease back; a store that does not answer is not waited for. */
const release = ({ owner, store }: LeaseUse, key: StreamKey, epoch: number) => {
  const bounds = { operation: "lease", deadlineMillis: RELEASE_MILLIS };
  return Effect.andThen(
    note(key, { holder: undefined }),
    unheeded(
      within(
        bounds,
        Effect.suspend(() => store.release(key, owner, epoch)),
      ),
    ),
  );
};

const RELEASE_MILLIS = 500;

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n));

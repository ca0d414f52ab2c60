/**
 * Attempts at something that may hang, fail or come back: with a deadline, and made again.
 */
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Schedule from "effect/Schedule";
import * as Scope from "effect/Scope";
import { Fenced, HistoryExpired, SinkError, type SinkErrorKind } from "../Errors.ts";
import { type Cell, track, waits } from "../Parts.ts";
import { backoff } from "./backoff.ts";

/** An attempt is given up after so long, so that a store that hangs fails. */
const DEADLINE_MILLIS = 10_000;

/** An attempt that outlives its deadline by this much is stuck: not even the deadline fired. */
const SLACK_MILLIS = 5000;

const BACKOFF_BASE_MILLIS = 200;
const BACKOFF_CAP_MILLIS = 5000;
/** Somebody has to make room first. */
const DISK_FULL_MILLIS = 30_000;
/** A store that does not even answer a rollback is not waited for. */
const ROLLBACK_MILLIS = 250;

/**
 * Tries of a driver to connect before it fails, half a second apart: a server that starts together
 * with its clients says no for a while. Who retries by itself asks for fewer, and hears the cause.
 */
export class ConnectTries extends Context.Reference<number>(
  "@game-data/stream-follower/ConnectTries",
  { defaultValue: () => 60 },
) {}

/** Bounds of one attempt. */
interface AttemptBounds {
  /** What is attempted, for the error of one that takes too long. */
  readonly operation: string;
  /** Default 10 seconds. */
  readonly deadlineMillis?: number;
  /** Time that it gets to finish when the caller is interrupted, within its deadline. Default: none. */
  readonly graceMillis?: number;
}

/**
 * One attempt with a deadline. A driver may take seconds to give up a query of a server that hangs
 * (it asks for a cancellation first), so it is told to in the background and not waited for. What
 * succeeded all the same, and nobody took, is undone there.
 */
export const within = <A, E, R>(
  bounds: AttemptBounds,
  work: Effect.Effect<A, E, R>,
  undo?: (done: A) => Effect.Effect<unknown, unknown>,
): Effect.Effect<A, E | SinkError, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { deadlineMillis = DEADLINE_MILLIS, graceMillis = 0, operation } = bounds;
      const begun = yield* Clock.currentTimeMillis;
      const fiber = yield* Effect.forkDetach(Effect.interruptible(work));
      const late = Effect.suspend(() =>
        Effect.fail(
          sinkError(operation, "unavailable", `no answer within ${deadlineMillis / 1000} s`),
        ),
      );
      const giveUp = Effect.forkDetach(
        Effect.gen(function* () {
          yield* Fiber.interrupt(fiber);
          const exit = yield* Fiber.await(fiber);
          if (undo !== undefined && Exit.isSuccess(exit)) yield* unheeded(undo(exit.value));
        }),
      );
      const stopped = Effect.gen(function* () {
        const left = begun + deadlineMillis - (yield* Clock.currentTimeMillis);
        const grace = Math.min(graceMillis, left);
        if (grace > 0) yield* settled(fiber, grace);
        yield* settled(yield* giveUp, ROLLBACK_MILLIS);
      });
      return yield* restore(
        Effect.raceFirst(
          Fiber.join(fiber),
          Effect.andThen(Effect.sleep(deadlineMillis), Effect.andThen(giveUp, late)),
        ),
      ).pipe(Effect.onInterrupt(() => stopped));
    }),
  );

/** Waits until a fiber has ended, for `millis` at most. */
const settled = (fiber: Fiber.Fiber<unknown, unknown>, millis: number): Effect.Effect<void> =>
  Effect.raceFirst(Effect.asVoid(Fiber.await(fiber)), Effect.sleep(millis));

/** Closes a scope. A driver drains what it asked for some seconds, which nobody waits for. */
export const closeSoon = (scope: Scope.Closeable): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Scope.close(scope, Exit.void)), (closing) =>
    settled(closing, ROLLBACK_MILLIS),
  );

/**
 * Attempts until it works, for as long as retries may help; each attempt has its deadline and is
 * recorded in `cell`.
 */
export const untilAvailable = <A, E, R>(
  cell: Cell,
  bounds: AttemptBounds,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | SinkError, R> => {
  const limit = (bounds.deadlineMillis ?? DEADLINE_MILLIS) + SLACK_MILLIS;
  return again(track(cell, within(bounds, work), limit), (millis) => {
    const wait = cell.now.lastError?.kind === "diskFull" ? DISK_FULL_MILLIS : millis;
    return Effect.as(waits(cell, wait), wait);
  });
};

/**
 * Attempts for as long as retries may help. A connection that breaks at the wrong moment may surface
 * as a defect of the driver: it counts as what it is.
 */
export const again = <A, E, R>(
  attempt: Effect.Effect<A, E, R>,
  waitOf?: (millis: number) => Effect.Effect<number>,
): Effect.Effect<A, E, R> =>
  attempt.pipe(
    Effect.sandbox,
    Effect.retry({
      while: mayPass,
      schedule: backoff(BACKOFF_BASE_MILLIS, BACKOFF_CAP_MILLIS, waitOf),
    }),
    Effect.catch(Effect.failCause),
  );

/**
 * What a driver threw as a `SinkError`, whose kind is read from it. `Fenced` and `HistoryExpired`
 * pass: who throws them declares them.
 */
export const toSinkError =
  (operation: string, kindOf: (cause: unknown) => SinkErrorKind) =>
  (cause: unknown): SinkError =>
    [SinkError, Fenced, HistoryExpired].some((own) => cause instanceof own)
      ? (cause as SinkError)
      : new SinkError({ operation, kind: kindOf(cause), cause });

/** A failure of a store that this package found, and no driver. */
export const sinkError = (operation: string, kind: SinkErrorKind, text: string): SinkError =>
  new SinkError({ operation, kind, cause: new Error(text) });

/** Whether waiting may mend a failed attempt: its error says so, typed or thrown by a driver. */
export const mayPass = (cause: Cause.Cause<unknown>): boolean =>
  !Cause.hasInterrupts(cause) &&
  (Cause.squash(cause) as { readonly isRetryable?: unknown } | undefined)?.isRetryable === true;

/**
 * An attempt whose end changes nothing, a defect's included: a driver that loses its connection at
 * the wrong moment throws, and a finalizer that passed that on would end the program.
 */
export const unheeded = <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.catchCause(Effect.asVoid(attempt), () => Effect.void);

/** Tries again while a server is away or elects a leader, as often as `ConnectTries` says. */
export const untilReachable = <A, E extends { readonly isRetryable: boolean }, R>(
  request: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(ConnectTries, (times) =>
    Effect.retry(request, {
      while: (error) => error.isRetryable,
      times,
      schedule: Schedule.spaced("500 millis"),
    }),
  );

/** Runs operations of a store with a deadline and retries, and of a source with its timeout. */
import * as Cause from "effect/Cause";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Random from "effect/Random";
import * as Schedule from "effect/Schedule";
import { PageTimeout, SinkError } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import * as Status from "./Status.ts";

interface Deadline {
  /** Name of the operation in a `SinkError`. */
  readonly operation: string;
  readonly duration: Duration.Input;
  /** Time to finish after the caller was interrupted. Default: none. */
  readonly grace?: Duration.Input;
}

/**
 * Fails with `SinkError` and the reason `unavailable` after the deadline. A driver may take seconds
 * to cancel a query of a server that hangs, so the work is cancelled in the background.
 */
export const withDeadline =
  ({ duration, grace = 0, operation }: Deadline) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SinkError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkDetach(Effect.interruptible(work));
        const cancel = Effect.forkDetach(Fiber.interrupt(fiber));
        const cause = new Error("no response in time");
        const timeout = Effect.sleep(duration).pipe(
          Effect.andThen(cancel),
          Effect.andThen(Effect.fail(new SinkError({ operation, reason: "unavailable", cause }))),
        );
        return yield* restore(Effect.raceFirst(Fiber.join(fiber), timeout)).pipe(
          Effect.onInterrupt(() =>
            Effect.andThen(Effect.raceFirst(Fiber.await(fiber), Effect.sleep(grace)), cancel),
          ),
        );
      }),
    );

/**
 * Attempts an operation of a store until it succeeds, for as long as waiting may help: the disk is
 * full, the server is down, the file is busy. Each attempt has a deadline and is recorded in the
 * status of `part`.
 */
export const untilAvailable =
  (key: StreamKey, part: string, deadline: Deadline) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SinkError, R> =>
    work.pipe(
      withDeadline(deadline),
      Status.track(key, part),
      // A connection that breaks may surface as a defect of the driver.
      Effect.sandbox,
      Effect.retry({ while: isTransient, schedule: backoff(key, part) }),
      Effect.catch(Effect.failCause),
    );

/** Returns whether the failure, or the defect, of an attempt is retryable. */
export const isTransient = (cause: Cause.Cause<unknown>): boolean =>
  !Cause.hasInterrupts(cause) &&
  (Cause.squash(cause) as { readonly isRetryable?: unknown } | undefined)?.isRetryable === true;

const MAX_WAIT_MILLIS = 5000;

const backoff = (key: StreamKey, part: string) =>
  Schedule.forever.pipe(
    Schedule.modifyDelay(({ attempt }) =>
      Effect.flatMap(Random.next, (random) => {
        const ceiling = Math.min(MAX_WAIT_MILLIS, 100 * 2 ** attempt);
        return Status.retryIn(key, part, ceiling * (0.5 + random / 2));
      }),
    ),
  );

/** Opens a page. Fails with `PageTimeout` if a source that does not queue responds too late. */
export const openInTime = <Request extends { readonly responseTimeoutMillis: number }, A, E, R>(
  source: {
    readonly open: (request: Request) => Effect.Effect<A, E, R>;
    readonly queues?: boolean;
  },
  request: Request,
): Effect.Effect<A, E | PageTimeout, R> =>
  source.queues === true
    ? source.open(request)
    : Effect.timeoutOrElse(source.open(request), {
        duration: request.responseTimeoutMillis,
        orElse: () => Effect.fail(new PageTimeout({ reason: "response" })),
      });

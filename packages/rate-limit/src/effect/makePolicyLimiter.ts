/**
 * The limiter as a service: the queue on Effect's clock.
 *
 * `makeMemoryLimiter` has neither metrics nor logs nor a layer, so that a program without Effect
 * carries none of them.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Grant } from "../core/State.ts";
import { makeQueue } from "../core/Queue.ts";
import type { Queue } from "../core/Queue.ts";
import { storeError } from "../core/StoreAccess.ts";
import { explain, forecast, snapshot } from "../inspect.ts";
import { checkLimiterOptions, checkRequest, queueOptions } from "../limiterOptions.ts";
import type { LimiterOptions } from "../limiterOptions.ts";
import { ConfigurationInvalidError } from "../options.ts";
import type { LimiterEvent, Permit, RequestOutcome } from "../Model.ts";
import { memoryStore } from "../Store.ts";
import type { Clock as LimiterClock, Store } from "../Store.ts";
import { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import type { LimitedRequest, PolicyLimiterOptions, PolicyLimiterService } from "./Model.ts";

/** A duration of an option in milliseconds; what is none is told by its name. */
const millis = (option: string, input: Duration.Input | undefined): number | undefined => {
  if (input === undefined || typeof input === "number") return input;
  const duration = Duration.fromInput(input);
  if (duration._tag === "None") throw new ConfigurationInvalidError(option, "a duration", input);
  return Duration.toMillis(duration.value);
};

const failed = (cause: unknown): LimiterStoreError => {
  const error = storeError(cause);
  return new LimiterStoreError({ detail: error.detail, cause: error.cause ?? error });
};

const ask = <A>(question: () => Promise<A>): Effect.Effect<A, LimiterStoreError> =>
  Effect.tryPromise({ try: question, catch: failed });

/** Receives the events of a limiter. */
export interface LimiterReports {
  readonly onEvent: (event: LimiterEvent, context: Context.Context<never>) => void;
  /** A response could not be recorded in the store. */
  readonly onUnrecorded: (error: unknown) => Effect.Effect<void>;
}

/** A limiter with its end. */
export interface OpenLimiter {
  readonly service: PolicyLimiterService;
  /** Writes what is not written yet. */
  readonly close: Effect.Effect<void>;
}

/** A limiter in the memory of this process, without metrics and logs. */
export const makeMemoryLimiter = (options: PolicyLimiterOptions = {}): PolicyLimiterService =>
  openLimiter(memoryStore(), options, undefined, Context.empty()).service;

/** Makes a limiter over a store. */
export const makePolicyLimiter = (
  store: Store,
  options: PolicyLimiterOptions = {},
  reports?: LimiterReports,
): Effect.Effect<OpenLimiter> =>
  Effect.withFiber((fiber) =>
    Effect.succeed(openLimiter(store, options, reports, fiber.context as Context.Context<never>)),
  );

/** The options with times in milliseconds. */
const withMillis = (options: PolicyLimiterOptions): LimiterOptions => ({
  ...options,
  maxWait: millis("maxWait", options.maxWait),
  inFlightTimeout: millis("inFlightTimeout", options.inFlightTimeout),
  clientErrorWindow: millis("clientErrorWindow", options.clientErrorWindow),
  firewallCooldown: millis("firewallCooldown", options.firewallCooldown),
  bucketSizes: Array.isArray(options.bucketSizes)
    ? options.bucketSizes.map((size, index) => millis(`bucketSizes[${index}]`, size)!)
    : (options.bucketSizes as undefined),
});

/** Throws `ConfigurationInvalidError` for the first option that cannot work. */
export const checkPolicyLimiterOptions = (options: PolicyLimiterOptions): void => {
  checkLimiterOptions(withMillis(options));
};

const openLimiter = (
  store: Store,
  options: PolicyLimiterOptions,
  reports: LimiterReports | undefined,
  context: Context.Context<never>,
): OpenLimiter => {
  const onEvent = reports && ((event: LimiterEvent) => reports.onEvent(event, context));
  const settings = queueOptions({ ...withMillis(options), store, onEvent });
  const queue = makeQueue(settings, clockOf(context));
  const service: PolicyLimiterService = {
    run: (request, send, report) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(acquire(queue, request, restore), ([permit, grant]) =>
          Effect.onExit(restore(Effect.suspend(() => send(permit))), (exit) =>
            settle(queue, grant, () => report(exit), reports),
          ),
        ),
      ),
    forecast: (route, count) =>
      Effect.map(
        ask(() => forecast({ queue }, route, count)),
        ({ durationMillis, ...rest }) => ({ ...rest, duration: Duration.millis(durationMillis) }),
      ),
    snapshot: (route) => ask(() => snapshot({ queue }, route)),
    explain: Effect.sync(() => explain({ queue })),
    waiting: Effect.sync(() => queue.waiting()),
  };
  // A store that is out of reach does not keep a program from ending.
  return { service, close: Effect.promise(() => queue.close().catch(() => undefined)) };
};

/** Effect's clock, for example that of tests. */
const clockOf = (context: Context.Context<never>): LimiterClock => {
  const clock = Context.get(context, Clock.Clock);
  return {
    now: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6,
    wall: () => clock.currentTimeMillisUnsafe(),
    schedule: (after, wake) => {
      const sleeping = clock.sleep(Duration.millis(Math.ceil(after * 1000) / 1000));
      const fiber = Effect.runForkWith(context)(Effect.andThen(sleeping, Effect.sync(wake)));
      return () => fiber.interruptUnsafe();
    },
  };
};

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

/** Waits for a permit; one that was granted in the moment of an interruption is given back. */
const acquire = (
  queue: Queue,
  request: LimitedRequest,
  restore: Restore,
): Effect.Effect<readonly [Permit, Grant], RequestNotSent | LimiterStoreError> =>
  Effect.suspend(() => {
    let taken: readonly [Permit, Grant] | undefined;
    const waiting = Effect.callback<readonly [Permit, Grant], RequestNotSent | LimiterStoreError>(
      (resume) => {
        const maxWait = millis("maxWait", request.maxWait);
        checkRequest({ ...request, maxWait });
        const leave = queue.submit(
          { ...request, maxWaitMillis: maxWait },
          {
            granted: (permit, grant) => {
              taken = [permit, grant];
              resume(Effect.succeed(taken));
            },
            refused: ({ retryAfterMillis, ...details }) => {
              const retryAfter = Duration.millis(retryAfterMillis);
              resume(Effect.fail(new RequestNotSent({ ...details, retryAfter })));
            },
            failed: (cause) => resume(Effect.fail(failed(cause))),
          },
        );
        return Effect.sync(leave);
      },
    );
    return Effect.onExit(restore(waiting), (exit) => {
      if (Exit.isFailure(exit) && taken) queue.giveBack(taken[1]);
      return Effect.void;
    });
  });

const settle = (
  queue: Queue,
  grant: Grant,
  report: () => RequestOutcome,
  reports: LimiterReports | undefined,
): Effect.Effect<void> =>
  Effect.suspend(() => {
    let recording: Promise<void> | undefined;
    try {
      recording = queue.settle(grant, report());
    } catch (defect) {
      // The caller's `report` threw. Release the slot.
      queue.settle(grant, { status: undefined })?.catch(() => undefined);
      return Effect.die(defect);
    }
    if (recording === undefined) return Effect.void;
    const recorded = recording.then(
      () => Effect.void,
      (error: unknown) => reports?.onUnrecorded(error) ?? Effect.void,
    );
    return Effect.flatten(Effect.promise(() => recorded));
  });

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
import { explain, forecast, snapshot } from "../inspect.ts";
import { checkLimiterOptions, checkRequest, queueOptions } from "../Limiter.ts";
import type { LimiterOptions } from "../Limiter.ts";
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

const storeError = (cause: unknown): LimiterStoreError =>
  new LimiterStoreError({
    detail: (cause instanceof Error ? cause.message : String(cause)).replace(
      /^The store of the rate limiter failed: (.*)\.$/su,
      "$1",
    ),
    cause,
  });

const ask = <A>(question: () => Promise<A>): Effect.Effect<A, LimiterStoreError> =>
  Effect.tryPromise({ try: question, catch: storeError });

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
  const clock = Context.get(context, Clock.Clock);
  const limiterClock: LimiterClock = {
    now: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6,
    wall: () => clock.currentTimeMillisUnsafe(),
    schedule: (after, wake) => {
      const fiber = Effect.runForkWith(context)(
        Effect.andThen(
          clock.sleep(Duration.millis(Math.ceil(after * 1000) / 1000)),
          Effect.sync(wake),
        ),
      );
      return () => fiber.interruptUnsafe();
    },
  };
  const onEvent = reports && ((event: LimiterEvent) => reports.onEvent(event, context));
  const queue = makeQueue(queueOptions({ ...withMillis(options), store, onEvent }), limiterClock);

  /** Waits for a permit; one that was granted in the moment of an interruption is given back. */
  const acquire = (
    request: LimitedRequest,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  ) =>
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
              refused: ({ retryAfterMillis, ...details }) =>
                resume(
                  Effect.fail(
                    new RequestNotSent({
                      ...details,
                      retryAfter: Duration.millis(retryAfterMillis),
                    }),
                  ),
                ),
              failed: (cause) => resume(Effect.fail(storeError(cause))),
            },
          );
          return Effect.sync(leave);
        },
      );
      return Effect.onExit(restore(waiting), (exit) => {
        if (Exit.isFailure(exit) && taken)
          void queue.settle(taken[1], { status: undefined, sent: false })?.catch(() => undefined);
        return Effect.void;
      });
    });

  const settle = <A, E>(
    grant: Grant,
    exit: Exit.Exit<A, E>,
    report: (exit: Exit.Exit<A, E>) => RequestOutcome,
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      let recording: Promise<void> | undefined;
      try {
        recording = queue.settle(grant, report(exit));
      } catch (defect) {
        // The caller's `report` or dialect threw. Release the slot.
        void queue.settle(grant, { status: undefined })?.catch(() => undefined);
        return Effect.die(defect);
      }
      return recording === undefined
        ? Effect.void
        : Effect.promise(() =>
            recording.then(
              () => Effect.void,
              (error: unknown) => reports?.onUnrecorded(error) ?? Effect.void,
            ),
          ).pipe(Effect.flatten);
    });

  const run: PolicyLimiterService["run"] = (request, send, report) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(acquire(request, restore), ([permit, grant]) =>
        Effect.onExit(restore(Effect.suspend(() => send(permit))), (exit) =>
          settle(grant, exit, report),
        ),
      ),
    );

  const service: PolicyLimiterService = {
    run,
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

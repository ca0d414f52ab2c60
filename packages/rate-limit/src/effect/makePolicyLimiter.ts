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
import { Queue } from "../core/Queue.ts";
import { storeError } from "../core/StoreAccess.ts";
import { explain, forecast, snapshot } from "../inspect.ts";
import { checkLimiterOptions, checkRequest, queueOptions } from "../limiterOptions.ts";
import type { LimiterOptions } from "../limiterOptions.ts";
import { ConfigurationInvalidError } from "../options.ts";
import type { LimiterEvent, RequestOutcome } from "../Model.ts";
import { memoryStore } from "../Store.ts";
import type { Clock as LimiterClock, Store } from "../Store.ts";
import { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import type {
  LimitedRequest,
  PermitCallbacks,
  PolicyLimiterOptions,
  PolicyLimiterService,
} from "./Model.ts";

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
  readonly onUnrecorded: (error: unknown, context: Context.Context<never>) => void;
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
  const queue = new Queue(settings, clockOf(context));
  const submit: PolicyLimiterService["submit"] = (request, { granted, refused }) => {
    const asked = { ...request, maxWait: millis("maxWait", request.maxWait) };
    checkRequest(asked);
    return queue.submit(asked, {
      granted: (permit, grant) =>
        granted(permit, (outcome) =>
          queue
            .settle(grant, outcome)
            ?.catch((cause) => reports?.onUnrecorded(failed(cause), context)),
        ),
      refused: ({ retryAfterMillis, ...details }) =>
        refused(new RequestNotSent({ ...details, retryAfter: Duration.millis(retryAfterMillis) })),
      failed: (cause) => refused(failed(cause)),
    });
  };
  const service: PolicyLimiterService = {
    submit,
    run: (request, send, report) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(acquire(submit, request, restore), ([permit, settle]) =>
          Effect.onExit(restore(Effect.suspend(() => send(permit))), (exit) =>
            reported(settle, () => report(exit)),
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

/** Its nanoseconds are a `bigint`, which costs ten times a number. */
const liveClock = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Clock.Clock);

/** Effect's clock, for example that of tests. */
const clockOf = (context: Context.Context<never>): LimiterClock => {
  const clock = Context.get(context, Clock.Clock);
  return {
    now:
      clock === liveClock
        ? () => performance.now()
        : () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6,
    wall: () => clock.currentTimeMillisUnsafe(),
    schedule: (after, wake) => {
      const sleeping = clock.sleep(Duration.millis(Math.ceil(after * 1000) / 1000));
      const fiber = Effect.runForkWith(context)(Effect.andThen(sleeping, Effect.sync(wake)));
      return () => fiber.interruptUnsafe();
    },
  };
};

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

type Permitted = Parameters<PermitCallbacks["granted"]>;

/** Waits for a permit; one that was granted in the moment of an interruption is given back. */
const acquire = (
  submit: PolicyLimiterService["submit"],
  request: LimitedRequest,
  restore: Restore,
): Effect.Effect<Permitted, RequestNotSent | LimiterStoreError> =>
  Effect.suspend(() => {
    let taken: Permitted | undefined;
    const waiting = Effect.callback<Permitted, RequestNotSent | LimiterStoreError>((resume) => {
      const leave = submit(request, {
        granted: (...permitted) => {
          taken = permitted;
          resume(Effect.succeed(permitted));
        },
        refused: (error) => resume(Effect.fail(error)),
      });
      return Effect.sync(leave);
    });
    return Effect.onExit(restore(waiting), (exit) => {
      if (Exit.isFailure(exit)) void taken?.[1]({ status: undefined, sent: false });
      return Effect.void;
    });
  });

/** Tells the outcome; where the caller's `report` throws, the place is free all the same. */
const reported = (settle: Permitted[1], report: () => RequestOutcome): Effect.Effect<void> =>
  Effect.suspend(() => {
    let outcome: RequestOutcome;
    try {
      outcome = report();
    } catch (defect) {
      void settle({ status: undefined });
      return Effect.die(defect);
    }
    const recording = settle(outcome);
    return recording ? Effect.promise(() => recording) : Effect.void;
  });

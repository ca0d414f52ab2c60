/**
 * Delays each request until the service's rate limits permit it.
 *
 * Limits are learned from response headers (`RateLimitDialect`) and never configured. Routes that
 * name the same policy share its counters. A route without a known policy sends one request at a
 * time. What the limiter knows lives in a `LimiterStore`.
 *
 * After a 429 the policy waits. After a firewall block or too many 4xx responses nothing is sent:
 * services revoke clients that keep sending rejected requests.
 *
 * ```ts
 * import { PolicyLimiter } from "@game-data/rate-limit/effect";
 * import { Effect } from "effect";
 *
 * const program = Effect.gen(function* () {
 *   const limiter = yield* PolicyLimiter;
 *   return yield* limiter.run(
 *     { route: "GET /users/{id}", identity: "user-1" },
 *     () => Effect.succeed({ status: 200, headers: {} }),
 *     (exit) => (exit._tag === "Success" ? exit.value : { status: undefined }),
 *   );
 * });
 * const { status } = await Effect.runPromise(Effect.provide(program, PolicyLimiter.layerMemory()));
 * if (status !== 200) throw new Error("not reached");
 * ```
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import { processClock } from "../core/Alarm.ts";
import { Queue } from "../core/Queue.ts";
import { storeError } from "../core/StoreAccess.ts";
import { explain, forecast, snapshot } from "../inspect.ts";
import { checkLimiterOptions, checkRequest, queueOptions } from "../limiterOptions.ts";
import type { LimiterOptions } from "../limiterOptions.ts";
import type { LimiterEvent, RequestOutcome } from "../Model.ts";
import { ConfigurationInvalidError, readMillis, withMillis } from "../options.ts";
import type { NotSentDetails } from "../RequestNotSentError.ts";
import { memoryStore } from "../Store.ts";
import type { Clock as LimiterClock, Store } from "../Store.ts";
import { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import { effectReports } from "./Metrics.ts";
import type {
  LimitedRequest,
  PermitCallbacks,
  PolicyLimiterOptions,
  PolicyLimiterService,
} from "./Model.ts";

/** The store of a limiter: in memory, in a file (`./file`), or in Redis (`./redis`). */
export class LimiterStore
  extends /*#__PURE__*/ Context.Service<LimiterStore, Store>()(
    "@game-data/rate-limit/LimiterStore",
  )
{
  /** A store in the memory of this process. */
  static readonly layerMemory: Layer.Layer<LimiterStore> = /*#__PURE__*/ Layer.sync(
    LimiterStore,
    memoryStore,
  );

  /** A store of yours: `fileStore(…)`, `redisStore(…)`. */
  static layer(store: Store): Layer.Layer<LimiterStore> {
    return Layer.succeed(LimiterStore, store);
  }
}

/** The limiter. */
export class PolicyLimiter
  extends /*#__PURE__*/ Context.Service<PolicyLimiter, PolicyLimiterService>()(
    "@game-data/rate-limit/PolicyLimiter",
  )
{
  /** A limiter over the `LimiterStore` of the context. */
  static layer(
    options: PolicyLimiterOptions = {},
  ): Layer.Layer<PolicyLimiter, never, LimiterStore> {
    return Layer.effect(
      PolicyLimiter,
      Effect.flatMap(LimiterStore, (store) =>
        Effect.withFiber(({ context }) => {
          const opened = openLimiter(store, options, context as Context.Context<never>);
          return Effect.as(
            Effect.addFinalizer(() => opened.close),
            opened.service,
          );
        }),
      ),
    );
  }

  /** A limiter with a store of its own in the memory of this process. */
  static layerMemory(options?: PolicyLimiterOptions): Layer.Layer<PolicyLimiter> {
    return Layer.provide(PolicyLimiter.layer(options), Layer.fresh(LimiterStore.layerMemory));
  }
}

const toMillis = (span: Duration.Input): number =>
  Duration.toMillis(Duration.fromInputUnsafe(span));

const failed = (cause: unknown): LimiterStoreError => {
  const error = storeError(cause);
  return new LimiterStoreError({ detail: error.detail, cause: error.cause ?? error });
};

/** A question about nothing is a defect, as a request of nothing is. */
const ask = <A>(question: () => Promise<A>): Effect.Effect<A, LimiterStoreError> =>
  Effect.tryPromise({
    try: question,
    catch: (cause) => {
      if (cause instanceof ConfigurationInvalidError) throw cause;
      return failed(cause);
    },
  });

/** Throws `ConfigurationInvalidError` for the first option that cannot work. */
export const checkPolicyLimiterOptions = (options: PolicyLimiterOptions): void => {
  checkLimiterOptions(withMillis(options, toMillis));
};

/** A limiter over a store, and its end, which writes what is not written yet. */
const openLimiter = (
  store: Store,
  options: PolicyLimiterOptions,
  context: Context.Context<never>,
): { readonly service: PolicyLimiterService; readonly close: Effect.Effect<void> } => {
  const onEvent = (event: LimiterEvent) => effectReports.onEvent(event, context);
  const settings = queueOptions({
    ...withMillis<LimiterOptions>(options, toMillis),
    store,
    onEvent,
  });
  const queue = new Queue(settings, clockOf(context));
  const submit: PolicyLimiterService["submit"] = (request, { granted, refused }) => {
    const asked = { ...request, maxWait: readMillis("maxWait", request?.maxWait, toMillis) };
    checkRequest(asked, "submit");
    return queue.submit(asked, {
      granted: (permit, grant) =>
        granted(permit, (outcome) => queue.settle(grant, outcome)?.catch(() => undefined)),
      refused,
      failed: (cause) => refused(failed(cause)),
    });
  };
  const service: PolicyLimiterService = {
    submit,
    run: (request, send, report) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(acquire(submit, request, restore), ([permit, settle]) =>
          Effect.onExit(restore(Effect.suspend(() => send(permit))), (exit) =>
            reported(settle, () => queue.reported(() => report(exit))),
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

const liveClock = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Clock.Clock);

/** Effect's clock, for example that of tests; a live one is that of the process, without fibers. */
const clockOf = (context: Context.Context<never>): LimiterClock => {
  const clock = Context.get(context, Clock.Clock);
  if (clock === liveClock) return processClock;
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

type Permitted = Parameters<PermitCallbacks["granted"]>;

const notSent = (why: NotSentDetails | LimiterStoreError): RequestNotSent | LimiterStoreError => {
  if (why instanceof LimiterStoreError) return why;
  const { retryAfterMillis, ...details } = why;
  return new RequestNotSent({ ...details, retryAfter: Duration.millis(retryAfterMillis) });
};

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
        refused: (why) => resume(Effect.fail(notSent(why))),
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

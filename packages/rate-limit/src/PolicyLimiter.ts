/**
 * Delays each request until the service's rate limits permit it. The limits are learned from response
 * headers. Routes that name the same policy share its counters.
 */
import * as Context from "effect/Context";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { constant } from "effect/Function";
import * as Latch from "effect/Latch";
import * as Layer from "effect/Layer";
import * as Metric from "effect/Metric";
import { planWithErrors, recordError } from "./clientErrors.ts";
import { closedError, LimiterOptionInvalid, LimiterStoreError, RequestNotSent } from "./Errors.ts";
import type { HeaderRecord, LimitInfo } from "./Headers.ts";
import { forecast, type Forecast, routeLimits, type RouteLimits } from "./inspect.ts";
import { isReserved, learn } from "./learn.ts";
import { forecastCount, maxWaitMillis, resolveOptions } from "./LimiterOptions.ts";
import type { LimiterOptions } from "./LimiterOptions.ts";
import * as Metrics from "./Metrics.ts";
import { type Grant, type PlanContext, release, type Wait } from "./plan.ts";
import { LimiterStore, storeTimeout } from "./Store.ts";
import { type Defect, type Waiter, WaitQueue } from "./WaitQueue.ts";

/** Describes a request to the limiter before it is sent. */
export interface LimiterRequest {
  /** The endpoint, such as `GET /users/{id}`. Requests of one route share their limits. */
  readonly route: string;
  /** The user on whose behalf the request is sent. Default: all requests are of one user. */
  readonly identity?: string | undefined;
  /**
   * Requests with a higher priority go first. Every 30 seconds of waiting raise the priority of a
   * request by one. Default: 0, also if the number is not finite.
   */
  readonly priority?: number | undefined;
  /** Maximum wait, after which the request fails. Default: the `maxWait` of the limiter. */
  readonly maxWait?: Duration.Input | undefined;
}

/** Permission to send one request, as `send` receives it. */
export interface Permit {
  readonly waitedMillis: number;
  /** The policy that the route's last response named. */
  readonly policy: string | undefined;
}

/** Result of a request, from which the limiter learns the limits. */
export interface Outcome {
  /** `undefined` if no response arrived. */
  readonly status?: number | undefined;
  readonly headers?: HeaderRecord | undefined;
  /** Whether a firewall sent the response instead of the service. */
  readonly isFirewallBlock?: boolean | undefined;
  /** `false` if the request was not sent. Its permit is then released. */
  readonly isSent?: boolean | undefined;
}

/** Runs requests within the limits, and reports the limits and the number of waiting requests. */
export interface PolicyLimiterService {
  /**
   * Runs `send` once the limits permit it. `report` maps the exit of `send` to its outcome. Default:
   * reads `status` and `headers` of the value.
   */
  readonly run: <A, E, R>(
    request: LimiterRequest,
    send: (permit: Permit) => Effect.Effect<A, E, R>,
    report?: (exit: Exit.Exit<A, E>) => Outcome,
  ) => Effect.Effect<A, E | RequestNotSent | LimiterStoreError, R>;
  /**
   * Returns when the next `count` requests (1 to 10,000) can be sent. Ignores waiting requests and
   * later ones. Dies with `LimiterOptionInvalid` if an argument is invalid.
   */
  readonly forecast: (
    request: LimiterRequest,
    count: number,
  ) => Effect.Effect<Forecast, LimiterStoreError>;
  /** Returns the known limits of a route, and how much of them is used. */
  readonly limits: (request: LimiterRequest) => Effect.Effect<RouteLimits, LimiterStoreError>;
  /** The number of requests of this process that wait. */
  readonly waiting: Effect.Effect<number>;
}

/** Sends requests as soon as the limits of their route permit it. */
export class PolicyLimiter extends Context.Service<PolicyLimiter, PolicyLimiterService>()(
  "@game-data/rate-limit/PolicyLimiter",
) {
  /**
   * Makes a limiter that keeps what it learns in the `LimiterStore` of the context.
   *
   * @example
   * ```ts no-run
   * import { LimiterStore, PolicyLimiter } from "@game-data/rate-limit";
   * import { Effect, Layer } from "effect";
   *
   * const program = Effect.gen(function* () {
   *   const limiter = yield* PolicyLimiter;
   *   return yield* limiter.limits({ route: "GET /league" });
   * });
   * const layer = PolicyLimiter.layer().pipe(Layer.provide(LimiterStore.layerMemory));
   * console.log(await Effect.runPromise(Effect.provide(program, layer)));
   * ```
   */
  static readonly layer = (
    options: LimiterOptions = {},
  ): Layer.Layer<PolicyLimiter, LimiterOptionInvalid, LimiterStore> =>
    Layer.effect(PolicyLimiter, makeLimiter(options));

  /** Makes a limiter that keeps what it learns in the memory of this process. */
  static readonly layerMemory = (
    options?: LimiterOptions,
  ): Layer.Layer<PolicyLimiter, LimiterOptionInvalid> =>
    Layer.provide(PolicyLimiter.layer(options), Layer.fresh(LimiterStore.layerMemory));
}

type Decision = Deferred.Deferred<Grant, RequestNotSent | LimiterStoreError>;
type State = Effect.Success<ReturnType<typeof makeState>>;

const makeState = Effect.fnUntraced(function* (options: LimiterOptions) {
  return {
    store: yield* LimiterStore,
    settings: yield* Effect.try({
      try: () => resolveOptions(options),
      catch: (error) => error as LimiterOptionInvalid,
    }),
    queue: new WaitQueue<Decision>(),
    /** The outcomes that no transaction has recorded yet. */
    outcomes: [] as Array<{ grant: Grant; outcome: Outcome; at: number }>,
    /** The granted requests whose outcomes are not recorded, the oldest first. */
    inFlight: new Map<string, Grant>(),
    /** Distinguishes the requests of this process in a shared store. */
    prefix: `${Math.random().toString(36).slice(2, 10)}-`,
    serial: 0,
    /** Open if a request or an outcome may need a decision. */
    wakeUp: yield* Latch.make(),
    isClosed: false,
    decidedAt: 0,
  };
});

const makeLimiter = Effect.fnUntraced(function* (options: LimiterOptions) {
  const limiter = yield* makeState(options);
  yield* Effect.forkScoped(runDecisions(limiter));
  yield* Effect.addFinalizer(() => close(limiter));
  const read = <A>(step: (context: PlanContext) => A) =>
    transact(limiter, (context) => constant(step(context)));
  return PolicyLimiter.of({
    run: (request, send, report = exitOutcome) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(acquire(limiter, request, restore), ({ grant, permit }) =>
          Effect.onExit(restore(Effect.suspend(() => send(permit))), (exit) =>
            queueOutcome(limiter, grant, () => report(exit)),
          ),
        ),
      ),
    forecast: (request, count) =>
      Effect.suspend(() => {
        const { identity, route } = routeAndIdentity(request);
        const checked = forecastCount(count);
        return read((context) => forecast(context, route, identity, checked));
      }),
    limits: (request) =>
      Effect.suspend(() => {
        const { identity, route } = routeAndIdentity(request);
        return read((context) => routeLimits(context, route, identity));
      }),
    waiting: Effect.sync(() => limiter.queue.size),
  });
});

/** Checks the route and the user of a request, because JavaScript callers may omit them. */
const routeAndIdentity = (request: LimiterRequest) => {
  const { identity = "", route } = Object(request) as LimiterRequest;
  for (const [option, value] of Object.entries({ route, identity }))
    if (typeof value !== "string") throw new LimiterOptionInvalid({ option, expected: "a string" });
  return { route, identity };
};

/** Reads the outcome from the value of `send`, if the value is a response. */
const exitOutcome = (exit: Exit.Exit<unknown, unknown>): Outcome => {
  const { headers, status } = (Exit.isSuccess(exit) ? Object(exit.value) : {}) as Outcome;
  return { status, headers };
};

/** Decides on requests whenever a request arrives, an outcome arrives, or a wait ends. */
const runDecisions = Effect.fnUntraced(function* (limiter: State) {
  const { outcomes, queue, wakeUp } = limiter;
  while (true) {
    // Yields, because the next request often follows a response, and one transaction is enough for
    // both. Also, all requests of an interrupted group then leave the queue before one is granted.
    yield* Effect.yieldNow;
    wakeUp.closeUnsafe();
    const isIdle = queue.size + outcomes.length === 0;
    const pause = isIdle ? Number.POSITIVE_INFINITY : yield* dispatch(limiter);
    if (pause === Number.POSITIVE_INFINITY) yield* wakeUp.await;
    else yield* Effect.timeoutOption(wakeUp.await, Math.max(1, pause));
  }
});

/** Other users and processes change the waits, so all waits are decided again after this time. */
const REDECIDE_MILLIS = 1000;

/** Grants and refuses waiting requests. Returns the milliseconds until the next decision. */
const dispatch = (limiter: State): Effect.Effect<number> =>
  decideNow(limiter).pipe(
    Effect.catchDefect((cause) => Effect.fail(new LimiterStoreError({ cause }))),
    Effect.catch((error) => failAll(limiter, error)),
  );

const decideNow = Effect.fnUntraced(function* (limiter: State) {
  const { queue } = limiter;
  const { granted, late, lost, now } = yield* transact(limiter, (context) =>
    decideAll(limiter, context),
  );
  if (lost > 0) yield* Metric.update(Metrics.lost, lost);
  for (const [waiter, grant] of granted) {
    yield* Metric.update(Metrics.waits, now - waiter.since);
    const exit = "defect" in grant ? Exit.die(grant.defect) : Exit.succeed(grant);
    yield* Deferred.done(waiter.decision, exit);
  }
  for (const [waiter, wait] of late) yield* failWaiter(waiter, notSent(waiter.route, wait, now));
  return queue.size === 0
    ? Number.POSITIVE_INFINITY
    : Math.min(queue.next() - now, REDECIDE_MILLIS);
});

/** Decides on waiting requests. Returns a function that applies the decisions once stored. */
const decideAll = (limiter: State, context: PlanContext) => {
  const { decidedAt, outcomes, queue, settings, store } = limiter;
  const { inFlight, now } = context;
  const lost = [...inFlight.values()].filter(
    ({ sentAt }) => sentAt + settings.inFlightTimeout <= now,
  );
  for (const { id } of lost) inFlight.delete(id);
  const isNewSecond = Math.floor(decidedAt / REDECIDE_MILLIS) < Math.floor(now / REDECIDE_MILLIS);
  if (store.isShared || isNewSecond) queue.wake();
  const pass = queue.pass(now, (waiter) => decide(limiter, context, waiter));
  return () => {
    limiter.decidedAt = now;
    const granted = pass.granted.filter(([waiter, grant]) => {
      const isWaiting = queue.grant(waiter);
      // Releases the permit of a request that left the queue while the store decided.
      if (!isWaiting && !("defect" in grant))
        outcomes.push({ grant, outcome: { isSent: false }, at: now });
      return isWaiting;
    });
    return { granted, late: queue.recordWaits(pass, now), lost: lost.length, now };
  };
};

/** Runs `step` in a transaction of the store that first records the outcomes that have arrived. */
const transact = <A>(
  limiter: State,
  step: (context: PlanContext) => () => A,
): Effect.Effect<A, LimiterStoreError> =>
  limiter.store.transact((documents, now, latest) => {
    const { outcomes, prefix, settings } = limiter;
    const inFlight = new Map(limiter.inFlight);
    const context = { documents, now, prefix, options: settings, inFlight };
    const arrived = outcomes.length;
    for (const { at, grant, outcome } of outcomes) {
      // Records the latest possible time, because the store's time is uncertain. The difference
      // comes first, because rounding `at + latest` could put responses before their requests.
      record({ ...context, now: at + (latest - now) }, grant, outcome);
      inFlight.delete(grant.id);
    }
    const finish = step(context);
    return () => {
      limiter.inFlight = inFlight;
      outcomes.splice(0, arrived);
      return finish();
    };
  });

/** Returns the grant or the wait of a request, or `undefined` if `maxInFlight` are in flight. */
const decide = (
  limiter: State,
  context: PlanContext,
  { identity, priority, route }: Waiter<unknown>,
): Grant | Wait | Defect | undefined => {
  const { inFlight, options } = context;
  if (inFlight.size >= options.maxInFlight) return undefined;
  const id = `${limiter.prefix}${limiter.serial++}`;
  // Places of each window that stay free for requests of higher priorities.
  const reserve = options.reserve.reduce(
    (sum, each) => (each.priority > priority ? sum + each.places : sum),
    0,
  );
  try {
    const decision = planWithErrors(context, { id, route, identity, reserve });
    if (!("until" in decision)) inFlight.set(id, decision);
    return decision;
  } catch (defect) {
    // A defect, such as a damaged document, fails only this request.
    return { defect };
  }
};

/** A request waits this long for the reply of a shared store, even if `maxWait` is shorter. */
const STORE_GRACE_MILLIS = 250;

/** Waits until a request is granted. Fails if the request is refused or its time is up. */
const acquire = Effect.fnUntraced(function* (
  limiter: State,
  request: LimiterRequest,
  restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
) {
  const { queue, settings, store, wakeUp } = limiter;
  const { identity, route } = routeAndIdentity(request);
  const priority = Number.isFinite(request.priority) ? request.priority! : 0;
  const maxWait = request.maxWait === undefined ? settings.maxWait : maxWaitMillis(request.maxWait);
  if (limiter.isClosed) return yield* closedError(route);
  const since = yield* store.now;
  const decision: Decision = Deferred.makeUnsafe();
  const waiter = { route, identity, priority, since, deadline: since + maxWait, decision };
  // If no other request waits, a store in memory can decide in this fiber.
  const isFirst = queue.size === 0 && !store.isShared;
  const tooLong = queue.add(waiter);
  if (tooLong) yield* failWaiter(waiter, notSent(route, tooLong, since));
  else if (isFirst) yield* dispatch(limiter);
  if (!Deferred.isDoneUnsafe(decision)) {
    wakeUp.openUnsafe();
    yield* Effect.timeoutOrElse(Deferred.await(decision), {
      duration: Math.max(maxWait, store.isShared ? STORE_GRACE_MILLIS : 1),
      orElse: () => expireWaiter(limiter, waiter),
    }).pipe(
      restore,
      Effect.onInterrupt(() => cancelWaiter(limiter, waiter)),
    );
  }
  const grant = yield* Deferred.await(decision);
  const waitedMillis = Math.max(0, grant.sentAt - since);
  return { grant, permit: { waitedMillis, policy: grant.policies.at(-1) } };
});

/** Refuses a request at its deadline. If it was decided at the same moment, the decision holds. */
const expireWaiter = Effect.fnUntraced(function* (limiter: State, waiter: Waiter<Decision>) {
  const { decidedAt, queue, store } = limiter;
  const wait = queue.waitFor(waiter);
  if (queue.remove(waiter)) {
    const isStoreAway = store.isShared && decidedAt < waiter.since;
    const refusal = notSent(waiter.route, wait, yield* store.now);
    yield* failWaiter(waiter, isStoreAway ? storeTimeout() : refusal);
  }
  return yield* Deferred.await(waiter.decision);
});

/** Removes an interrupted request. If it was granted at the same moment, releases its permit. */
const cancelWaiter = (limiter: State, waiter: Waiter<Decision>): Effect.Effect<void> =>
  limiter.queue.remove(waiter)
    ? Effect.void
    : Effect.ignore(
        Effect.flatMap(Deferred.await(waiter.decision), (grant) =>
          queueOutcome(limiter, grant, () => ({ isSent: false })),
        ),
      );

/** Queues an outcome for the next transaction. The outcome is unknown if `report` throws. */
const queueOutcome = (limiter: State, grant: Grant, report: () => Outcome): Effect.Effect<void> =>
  Effect.flatMap(limiter.store.now, (at) => {
    const { outcomes, queue, wakeUp } = limiter;
    let outcome: Outcome = {};
    try {
      // The `report` of a JavaScript caller may return nothing.
      outcome = report() ?? {};
    } finally {
      outcomes.push({ grant, outcome, at });
      queue.wake(grant.identity);
      wakeUp.openUnsafe();
    }
    if (outcome.status !== 429) return Effect.void;
    const attributes = { policy: grant.policies.at(-1) ?? "unknown" };
    return Metric.update(Metric.withAttributes(Metrics.violations, attributes), 1);
  });

/** Records an outcome in the documents: blocks, client errors, and learned limits. */
const record = (
  context: PlanContext,
  grant: Grant,
  { headers = {}, isFirewallBlock = false, isSent = true, status }: Outcome,
): void => {
  const { documents, now, options } = context;
  if (!isSent) return release(context, grant);
  if (isFirewallBlock) documents.clientErrors().firewallUntil = now + options.firewallCooldown;
  // `isReserved` is false if an outcome is recorded again after a lost reply of a shared store.
  else if (status !== undefined && status >= 400 && status < 500 && isReserved(context, grant))
    recordError(documents.clientErrors(), grant.route, status, now);
  let info: LimitInfo = { windows: [] };
  try {
    info = options.read(headers, now);
  } catch {
    // Nothing is learned if the caller's own reader throws.
  }
  learn(context, grant, isFirewallBlock ? undefined : status, info);
};

/** Fails all waiting requests. Returns the milliseconds until the store is tried again. */
const failAll = Effect.fnUntraced(function* (limiter: State, error: LimiterStoreError) {
  for (const waiter of limiter.queue.removeAll()) yield* failWaiter(waiter, error);
  if (limiter.outcomes.length === 0) return Number.POSITIVE_INFINITY;
  yield* Effect.logWarning("rate limiter: outcomes cannot be recorded yet", error);
  return REDECIDE_MILLIS;
});

const failWaiter = (waiter: Waiter<Decision>, error: RequestNotSent | LimiterStoreError) => {
  const reason = "reason" in error ? error.reason : "store";
  return Effect.andThen(
    Metric.update(Metric.withAttributes(Metrics.notSent, { reason }), 1),
    Deferred.fail(waiter.decision, error),
  );
};

/** `retryAfter` of a refused request if the end of its wait is unknown. */
const UNKNOWN_MILLIS = 10_000;

const notSent = (route: string, wait: Wait | undefined, now: number): RequestNotSent => {
  const { block, policy, until = Number.POSITIVE_INFINITY, window } = wait ?? {};
  return new RequestNotSent({
    reason: block ?? "wait-too-long",
    route,
    retryAfter: Duration.millis(Number.isFinite(until) ? Math.max(0, until - now) : UNKNOWN_MILLIS),
    policy,
    rule: window?.rule,
  });
};

/** Refuses all requests that wait, and records the last outcomes. */
const close = Effect.fnUntraced(function* (limiter: State) {
  limiter.isClosed = true;
  for (const waiter of limiter.queue.removeAll())
    yield* failWaiter(waiter, closedError(waiter.route));
  // Finalizers are uninterruptible, but this transaction must end if a shared store hangs.
  yield* Effect.interruptible(dispatch(limiter));
});

/**
 * Delays each request until the service's rate limits permit it. The limits are learned from response
 * headers. Routes that name the same policy share its counters.
 *
 * ```ts
 * import { PolicyLimiter } from "@game-data/rate-limit";
 * import { Effect } from "effect";
 *
 * const program = Effect.gen(function* () {
 *   const limiter = yield* PolicyLimiter;
 *   const send = () => Effect.succeed({ status: 200, headers: {} });
 *   return yield* limiter.run({ route: "GET /users/{id}", identity: "user-1" }, send);
 * });
 * const { status } = await Effect.runPromise(Effect.provide(program, PolicyLimiter.layerMemory()));
 * if (status !== 200) throw new Error("not reached");
 * ```
 */
import * as Context from "effect/Context";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Latch from "effect/Latch";
import * as Layer from "effect/Layer";
import * as Metric from "effect/Metric";
import type * as Scope from "effect/Scope";
import { clientBlock, pacedUntil, recordError } from "./clientErrors.ts";
import type { Documents } from "./Documents.ts";
import { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import type { LimiterOptionInvalid } from "./Errors.ts";
import type { Headers, LimitInfo } from "./Headers.ts";
import { InFlightTable } from "./InFlightTable.ts";
import { forecast, routeLimits } from "./inspect.ts";
import type { Forecast, RouteLimits } from "./inspect.ts";
import { learn } from "./learn.ts";
import { maxWaitMillis, resolveOptions } from "./LimiterOptions.ts";
import type { LimiterOptions, Settings } from "./LimiterOptions.ts";
import * as Metrics from "./Metrics.ts";
import { isCertain, plan, release } from "./plan.ts";
import type { Grant, Wait } from "./plan.ts";
import { LimiterStore } from "./Store.ts";
import type { LimiterStoreService, Transaction } from "./Store.ts";
import { WaitQueue } from "./WaitQueue.ts";
import type { Waiter } from "./WaitQueue.ts";

/** A request to send. */
export interface LimiterRequest {
  /** What shares a limit, such as `GET /users/{id}`. */
  readonly route: string;
  /** The user. Default: all requests are of one user. */
  readonly identity?: string | undefined;
  /** Higher goes first. A waiting request rises by one every 30 seconds. Default: 0. */
  readonly priority?: number | undefined;
  /** Default: the `maxWait` of the limiter. */
  readonly maxWait?: Duration.Input | undefined;
}

/** Permission to send one request. */
export interface Permit {
  readonly waitedMillis: number;
  /** The policy that responses of the route named last. */
  readonly policy: string | undefined;
}

/** The outcome of a request. */
export interface Outcome {
  /** `undefined`: no response arrived. */
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  /** Whether a firewall sent the response instead of the service. */
  readonly isFirewallBlock?: boolean | undefined;
  /** `false`: the request was not sent, so its permit is released. */
  readonly sent?: boolean | undefined;
}

/** The functions of the limiter. */
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
  /** Returns when the next `count` requests can be sent, if no other requests are sent. */
  readonly forecast: (
    request: LimiterRequest,
    count: number,
  ) => Effect.Effect<Forecast, LimiterStoreError>;
  /** Returns the known limits of a route. */
  readonly limits: (request: LimiterRequest) => Effect.Effect<RouteLimits, LimiterStoreError>;
  /** The number of requests of this process that wait. */
  readonly waiting: Effect.Effect<number>;
}

/** The limiter. */
export class PolicyLimiter extends Context.Service<PolicyLimiter, PolicyLimiterService>()(
  "@game-data/rate-limit/PolicyLimiter",
) {
  /** A limiter over the `LimiterStore` of the context. */
  static readonly layer = (
    options: LimiterOptions = {},
  ): Layer.Layer<PolicyLimiter, LimiterOptionInvalid, LimiterStore> =>
    Layer.effect(PolicyLimiter, Effect.flatMap(checkOptions(options), makeLimiter));

  /** A limiter that keeps what it learns in the memory of this process. */
  static readonly layerMemory = (
    options?: LimiterOptions,
  ): Layer.Layer<PolicyLimiter, LimiterOptionInvalid> =>
    Layer.provide(PolicyLimiter.layer(options), Layer.fresh(LimiterStore.layerMemory));
}

const checkOptions = (options: LimiterOptions): Effect.Effect<Settings, LimiterOptionInvalid> =>
  Effect.try({
    try: () => resolveOptions(options),
    catch: (error) => error as LimiterOptionInvalid,
  });

type Answer = Deferred.Deferred<Grant, RequestNotSent | LimiterStoreError>;

/** The state of one limiter. */
interface Limiter {
  readonly store: LimiterStoreService;
  readonly settings: Settings;
  readonly queue: WaitQueue<Answer>;
  readonly inFlight: InFlightTable;
  /** Open if there may be something to decide. */
  readonly wakeUp: Latch.Latch;
  readonly scope: Scope.Scope;
  isClosed: boolean;
  /** The start of the store's first consecutive failure. */
  failingSince: number | undefined;
  /** Consecutive failures of the store, or looks at a shared store that granted nothing. */
  attempts: number;
}

const makeLimiter = Effect.fnUntraced(function* (settings: Settings) {
  const limiter: Limiter = {
    store: yield* LimiterStore,
    settings,
    queue: new WaitQueue(),
    inFlight: new InFlightTable(Math.random().toString(36).slice(2, 10)),
    wakeUp: yield* Latch.make(),
    scope: yield* Effect.scope,
    isClosed: false,
    failingSince: undefined,
    attempts: 0,
  };
  const { inFlight, queue } = limiter;
  yield* Effect.forkScoped(serve(limiter));
  yield* Effect.addFinalizer(() => close(limiter));
  return PolicyLimiter.of({
    run: (request, send, report = outcomeOfExit) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(acquire(limiter, request)), ([grant, permit]) =>
          Effect.onExit(restore(Effect.suspend(() => send(permit))), (exit) =>
            // If `report` throws, the permit is released all the same.
            Effect.flatMap(Effect.exit(Effect.sync(() => report(exit))), (outcome) =>
              Effect.andThen(
                settle(limiter, grant, Exit.isSuccess(outcome) ? outcome.value : {}),
                outcome,
              ),
            ),
          ),
        ),
      ),
    forecast: (request, count) =>
      transact(limiter, (documents, now) =>
        forecast({ documents, now, options: settings, inFlight }, request, count),
      ),
    limits: (request) =>
      transact(limiter, (documents, now) =>
        routeLimits({ documents, now, options: settings }, request, settings),
      ),
    waiting: Effect.sync(() => queue.size),
  });
});

/** Reads the outcome of a request whose value is a response. */
const outcomeOfExit = (exit: Exit.Exit<unknown, unknown>): Outcome => {
  const { headers, status } = (Exit.isSuccess(exit) ? Object(exit.value) : {}) as Outcome;
  return { status, headers };
};

/** Decides whenever a request arrives, an outcome arrives, or a wait ends. */
const serve = Effect.fnUntraced(function* (limiter: Limiter) {
  const { queue, store, wakeUp } = limiter;
  while (true) {
    wakeUp.closeUnsafe();
    const pause = yield* dispatch(limiter).pipe(
      Effect.catch((error) => storeFailed(limiter, error)),
    );
    if (pause === Number.POSITIVE_INFINITY) yield* wakeUp.await;
    else yield* Effect.timeoutOption(wakeUp.await, Math.max(1, pause));
    // Other processes may have made room.
    queue.wake((_, wait) => store.isShared || !isCertain(wait));
  }
});

/** Grants and refuses waiting requests. Returns the time until the next decision. */
const dispatch = Effect.fnUntraced(function* (limiter: Limiter) {
  const { inFlight, queue, settings, store } = limiter;
  const startedAt = yield* store.now;
  limiter.failingSince ??= startedAt;
  const { now, pass } = yield* transact(
    limiter,
    (documents, at) => {
      inFlight.begin();
      return { now: at, pass: queue.pass(at, (waiter) => decide(limiter, documents, waiter, at)) };
    },
    Math.min(STORE_TIMEOUT, Math.max(MIN_STORE_TIMEOUT, queue.firstDeadline - startedAt)),
  );
  inFlight.commit();
  queue.commit(pass);
  limiter.failingSince = undefined;
  limiter.attempts = pass.granted.length > 0 ? 0 : limiter.attempts + 1;
  for (const [waiter, grant] of pass.granted) {
    yield* Metric.update(Metrics.waits, now - waiter.since);
    yield* Deferred.succeed(waiter.answer, grant);
  }
  for (const [waiter, wait] of queue.removeLate(pass, now))
    yield* refuse(waiter, notSent(waiter.route, wait, now));
  const { inFlightTimeout } = settings;
  for (const grant of inFlight.expired(now, inFlightTimeout)) {
    yield* Metric.update(Metrics.lost, 1);
    yield* settle(limiter, grant, {});
  }
  const poll = store.isShared && queue.size > 0 ? now + backoff(limiter) : Number.POSITIVE_INFINITY;
  return Math.min(queue.next(), poll, inFlight.oldest() + inFlightTimeout) - now;
});

/** Returns the grant or the wait of a request; `undefined` if too many are in flight. */
const decide = (
  { inFlight, settings }: Limiter,
  documents: Documents,
  { identity, priority, route }: Waiter<unknown>,
  now: number,
): Grant | Wait | undefined => {
  if (inFlight.size >= settings.maxInFlight) return undefined;
  const errors = documents.clientErrors();
  const block = clientBlock(errors, now, settings);
  if (block) return { ...block, isShared: true };
  const paced = pacedUntil(errors, route, now, settings);
  if (paced > now) return { until: paced, reason: "client-errors", isShared: true };
  const context = { documents, now, options: settings, inFlight };
  const request = {
    id: inFlight.nextId(),
    route,
    identity,
    reserve: settings.reserveFor(priority),
  };
  const decision = plan(context, request);
  if ("until" in decision) return decision;
  inFlight.add(decision);
  if (route in errors.routes) errors.pacedAt = now;
  return decision;
};

/** Waits for the turn of a request. */
const acquire = Effect.fnUntraced(function* (limiter: Limiter, request: LimiterRequest) {
  const { queue, settings, store, wakeUp } = limiter;
  const { identity = "", priority = 0, route } = request;
  const maxWait = request.maxWait === undefined ? settings.maxWait : maxWaitMillis(request.maxWait);
  if (limiter.isClosed) return yield* closedError(route);
  const since = yield* store.now;
  const answer: Answer = Deferred.makeUnsafe();
  const waiter = { route, identity, priority, since, deadline: since + maxWait, answer };
  const tooLong = queue.add(waiter);
  if (tooLong) yield* refuse(waiter, notSent(route, tooLong, since));
  limiter.attempts = 0;
  wakeUp.openUnsafe();
  const grant = yield* Effect.onInterrupt(Deferred.await(answer), () => leave(limiter, waiter));
  const permit: Permit = {
    waitedMillis: Math.max(0, grant.sent - since),
    policy: grant.policies.at(-1),
  };
  return [grant, permit] as const;
});

/** A waiting request was interrupted. If it was granted at the same moment, releases its permit. */
const leave = (limiter: Limiter, waiter: Waiter<Answer>): Effect.Effect<void> =>
  limiter.queue.remove(waiter)
    ? Effect.void
    : Effect.ignore(
        Effect.flatMap(Deferred.await(waiter.answer), (grant) =>
          settle(limiter, grant, { sent: false }),
        ),
      );

/** Records the outcome of a request, and decides again on those that waited for it. */
const settle = (limiter: Limiter, grant: Grant, outcome: Outcome): Effect.Effect<void> => {
  const recording = record(limiter, grant, outcome);
  // A shared store may hang, and an uninterruptible fiber could not be stopped.
  return limiter.store.isShared
    ? Effect.asVoid(Effect.flatMap(Effect.forkIn(recording, limiter.scope), Fiber.await))
    : recording;
};

const record = Effect.fnUntraced(function* (limiter: Limiter, grant: Grant, outcome: Outcome) {
  const { inFlight, queue, settings, wakeUp } = limiter;
  const { status } = outcome;
  if (status === 429)
    yield* Metric.update(
      Metric.withAttributes(Metrics.violations, { policy: grant.policies.at(-1) ?? "unknown" }),
      1,
    );
  const exit = yield* Effect.exit(
    transact(limiter, (documents, _, latest) => {
      const affectsAll = applyOutcome(documents, grant, outcome, { now: latest, settings });
      return { now: latest, affectsAll };
    }),
  );
  if (Exit.isFailure(exit)) {
    const { sent } = grant;
    inFlight.abandon(grant, sent, sent + 2 * settings.inFlightTimeout);
    yield* Effect.logWarning("rate limiter: an outcome could not be recorded", exit.cause);
  } else {
    inFlight.remove(grant);
    if (status !== undefined) inFlight.observe(grant, exit.value.now - grant.sent);
    const { affectsAll } = exit.value;
    queue.wake((identity, wait) => affectsAll || !isCertain(wait) || identity === grant.identity);
  }
  wakeUp.openUnsafe();
});

/** Changes the documents by an outcome. Returns whether it affects other identities. */
const applyOutcome = (
  documents: Documents,
  grant: Grant,
  { headers = {}, isFirewallBlock = false, sent = true, status }: Outcome,
  { now, settings }: { readonly now: number; readonly settings: Settings },
): boolean => {
  const context = { documents, now, options: settings };
  if (!sent) {
    release(context, grant);
    return true;
  }
  if (isFirewallBlock) documents.clientErrors().firewallUntil = now + settings.firewallCooldown;
  else if (status !== undefined && status >= 400 && status < 500)
    recordError(documents.clientErrors(), grant.route, status, now);
  return learn(context, grant, {
    status: isFirewallBlock ? undefined : status,
    info: readHeaders(settings, headers, now),
  });
};

/** Reads nothing if the program's own reader throws. */
const readHeaders = ({ read }: Settings, headers: Headers, now: number): LimitInfo => {
  try {
    return read(headers, now);
  } catch {
    return { windows: [] };
  }
};

/** A shared store that takes longer to answer fails. */
const STORE_TIMEOUT = 4000;
const MIN_STORE_TIMEOUT = 250;
/** Requests wait no longer than this for a store that fails. */
const MAX_STORE_FAILURE = 8000;

/** Runs a transaction. A shared store that does not answer in time fails. */
const transact = <A>(
  { store }: Limiter,
  transaction: Transaction<A>,
  timeout = STORE_TIMEOUT,
): Effect.Effect<A, LimiterStoreError> =>
  store.isShared
    ? Effect.timeoutOrElse(store.transact(transaction), {
        duration: timeout,
        orElse: () =>
          Effect.fail(new LimiterStoreError({ cause: new Error("it did not answer in time") })),
      })
    : store.transact(transaction);

/** Returns the time until the next look at the store. */
const backoff = ({ attempts }: Limiter): number => Math.min(2000, 250 * 2 ** attempts);

/** Fails the requests that cannot wait for the store. Returns the time until the next attempt. */
const storeFailed = Effect.fnUntraced(function* (limiter: Limiter, error: LimiterStoreError) {
  const { queue, store } = limiter;
  const now = yield* store.now;
  const isOver = (limiter.failingSince ?? now) + MAX_STORE_FAILURE <= now;
  for (const waiter of queue.removeUntil(isOver ? Number.POSITIVE_INFINITY : now))
    yield* refuse(waiter, error);
  if (queue.size === 0) return Number.POSITIVE_INFINITY;
  limiter.attempts++;
  return Math.min(backoff(limiter), queue.firstDeadline - now);
});

const refuse = (waiter: Waiter<Answer>, error: RequestNotSent | LimiterStoreError) =>
  Effect.andThen(
    Metric.update(
      Metric.withAttributes(Metrics.notSent, {
        reason: "reason" in error ? error.reason : "store",
      }),
      1,
    ),
    Deferred.fail(waiter.answer, error),
  );

/** The advice to wait if a request waited for an answer. */
const UNKNOWN_MILLIS = 10_000;

const notSent = (route: string, wait: Wait | undefined, now: number): RequestNotSent => {
  const { policy, reason, until = Number.POSITIVE_INFINITY, window } = wait ?? {};
  return new RequestNotSent({
    reason: reason === "firewall" || reason === "too-many-errors" ? reason : "wait-too-long",
    route,
    retryAfter: Duration.millis(Number.isFinite(until) ? Math.max(0, until - now) : UNKNOWN_MILLIS),
    policy,
    rule: window?.rule,
  });
};

const closedError = (route: string): RequestNotSent =>
  new RequestNotSent({ reason: "closed", route, retryAfter: Duration.infinity });

/** Refuses all requests that wait. */
const close = (limiter: Limiter): Effect.Effect<void> =>
  Effect.suspend(() => {
    limiter.isClosed = true;
    return Effect.forEach(
      limiter.queue.removeUntil(Number.POSITIVE_INFINITY),
      (waiter) => refuse(waiter, closedError(waiter.route)),
      { discard: true },
    );
  });

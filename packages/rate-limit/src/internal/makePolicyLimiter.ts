/**
 * The limiter at work: queues in this process, books in the store, the planner between them.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Metric from "effect/Metric";
import { LimiterStore } from "../effect/LimiterStore.ts";
import { RequestNotSent } from "../effect/RequestNotSent.ts";
import type {
  LimitedRequest,
  RequestOutcome,
  Permit,
  PolicyLimiterOptions,
  PolicyLimiterService,
  RouteSnapshot,
} from "../effect/Model.ts";
import { xRateLimit } from "../RateLimitDialect.ts";
import * as Metrics from "../effect/Metrics.ts";
import { outcomeUpdates, policyChange } from "./recordOutcome.ts";
import type { RecordOptions, ActivePermit, PolicyChange } from "./recordOutcome.ts";
import { affectsWholeClient, blockReason, recordError } from "./ClientBlock.ts";
import type { ClientBlock, ClientBlockOptions, Refusal } from "./ClientBlock.ts";
import { begin, cancel, prune } from "./Planner.ts";
import type { PolicyState } from "./PolicyState.ts";
import { forecastOf, snapshotOf } from "./snapshot.ts";
import { waitForWake, WaitQueues } from "./WaitQueues.ts";
import type { Waiter } from "./WaitQueues.ts";

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

/** The books of a route that belongs to no policy yet. */
const unknownName = (route: string) => `?${route}`;

/** In a shared store other processes' answers are noticed by looking. */
const POLL_MILLIS = 250;

const notSent = ({ kind, policy, until }: Refusal, now: number) =>
  new RequestNotSent({
    kind,
    policy,
    retryAfter: Duration.millis(Math.min(Math.max(0, until - now), Number.MAX_SAFE_INTEGER)),
  });

/** A limiter over the `LimiterStore` of the context. */
export const makePolicyLimiter = Effect.fnUntraced(function* (options: PolicyLimiterOptions = {}) {
  const store = yield* LimiterStore;
  const identity = options.key ?? "default";
  const maxInFlight = options.maxInFlight ?? 8;
  const concurrencyWithoutHeaders = options.concurrencyWithoutHeaders ?? 4;
  const rules: ClientBlockOptions = {
    maxClientErrors: options.maxClientErrors ?? 60,
    clientErrorWindow: Duration.toMillis(options.clientErrorWindow ?? "10 minutes"),
    firewallCooldown: Duration.toMillis(options.firewallCooldown ?? "15 minutes"),
  };
  const lease = Duration.toMillis(options.inFlightTimeout ?? "90 seconds");
  const recordOptions: RecordOptions = {
    dialect: options.dialect ?? xRateLimit,
    assumedBucketOf: (period) =>
      options.assumedBucket
        ? Duration.toMillis(options.assumedBucket(Duration.millis(period)))
        : period < 60_000
          ? 5000
          : 60_000,
  };

  /** What others may have written has to be looked up first. */
  const modifyUnsafe = store.shared ? undefined : store.modifyUnsafe;
  const queues = new WaitQueues();
  const routes = new Map<string, string>();
  const self = Math.random().toString(36).slice(2, 10);
  let serial = 0;
  let inFlight = 0;

  const policyKey = (name: string) => `${identity}/policy/${name}`;
  const modifyPolicy = <A>(name: string, change: PolicyChange<A>) =>
    store.modify<PolicyState, A>(policyKey(name), policyChange(name, change));

  /** The policy a route belongs to, as far as anybody knows. */
  const policyOf = Effect.fnUntraced(function* (route: string) {
    const known = routes.get(route);
    if (known !== undefined) return known;
    if (!store.shared) return undefined;
    const told = yield* store.modify<string, string | undefined>(
      `${identity}/route/${route}`,
      (value) => [value, value],
    );
    if (told !== undefined) routes.set(route, told);
    return told;
  });

  const learnRoute = Effect.fnUntraced(function* (route: string, policy: string) {
    if (routes.get(route) === policy) return;
    routes.set(route, policy);
    if (store.shared) {
      yield* store.modify<string, void>(`${identity}/route/${route}`, () => [undefined, policy]);
    }
  });

  const clientBlockKey = `${identity}/client-block`;
  const checkClientBlock = (policy: string | undefined) =>
    store.modify<ClientBlock, Refusal | undefined>(clientBlockKey, (value, now) => [
      blockReason(value, now, rules, policy),
      value,
    ]);

  /**
   * Where the books are in this process's memory, a turn that is free is taken without a detour.
   */
  const tryAcquireSync = (call: LimitedRequest, now: number) => {
    const policy = routes.get(call.route);
    const name = policy ?? unknownName(call.route);
    if (modifyUnsafe === undefined || inFlight >= maxInFlight || queues.hasWaiters(name)) {
      return undefined;
    }
    const refusal = modifyUnsafe<ClientBlock, Refusal | undefined>(clientBlockKey, now, (value) => [
      blockReason(value, now, rules, policy),
      value,
    ]);
    if (refusal) return undefined;
    const id = `${self}${serial++}`;
    const isFree = modifyUnsafe(
      policyKey(name),
      now,
      policyChange(name, (state) => {
        const decision = begin(state, {
          id,
          now,
          lease,
          concurrencyWithoutHeaders,
          counted: call.counted ?? true,
        });
        return [decision.go, decision.state];
      }),
    );
    if (!isFree) return undefined;
    inFlight++;
    return { id, at: now, grantedAt: now, policy, waitedMillis: 0, name };
  };

  /** Runs uninterruptibly but for its waits, so that a permit taken is a permit in hand. */
  const acquire = Effect.fnUntraced(function* (
    call: LimitedRequest,
    waiter: Waiter,
    restore: Restore,
  ) {
    const maxWait =
      call.maxWait === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(call.maxWait);
    const counted = call.counted ?? true;
    let since: number | undefined;
    while (true) {
      const policy = yield* restore(policyOf(call.route));
      const refusal = yield* restore(checkClientBlock(policy));
      if (refusal) return yield* notSent(refusal, yield* restore(storeTime));
      const name = policy ?? unknownName(call.route);
      queues.enqueue(waiter, name);
      if (!queues.isHead(waiter) || inFlight >= maxInFlight) {
        const before = yield* restore(storeTime);
        since ??= before;
        yield* restore(waitForWake(waiter, since + maxWait - before));
        if ((yield* restore(storeTime)) - since >= maxWait) {
          return yield* notSent(
            { kind: "wait-too-long", until: since + maxWait, policy },
            since + maxWait,
          );
        }
        continue;
      }
      const id = `${self}${serial++}`;
      const answer = yield* restore(
        modifyPolicy(name, (state, now) => {
          const decision = begin(state, { id, now, lease, concurrencyWithoutHeaders, counted });
          return [{ decision, now }, decision.state];
        }),
      ).pipe(Effect.onInterrupt(() => cancelPermit(name, id)));
      const { decision, now } = answer;
      since ??= now;
      if (decision.go) {
        queues.remove(waiter);
        inFlight++;
        const waited = now - since;
        yield* Metric.update(Metrics.waits, waited);
        return { id, at: now, grantedAt: now, policy, waitedMillis: waited, name } as const;
      }
      if (decision.until - since > maxWait) {
        const flying = decision.state.hits.some((hit) => hit.settled === undefined);
        // Only a hold or a full window is certain; what is in flight may open the way earlier.
        if (!flying || decision.state.holdUntil > since + maxWait) {
          return yield* notSent({ kind: "wait-too-long", until: decision.until, policy }, now);
        }
      }
      const pause = Math.max(1, Math.min(decision.until, since + maxWait) - now);
      yield* restore(waitForWake(waiter, store.shared ? Math.min(pause, POLL_MILLIS) : pause));
      if (now - since >= maxWait) {
        return yield* notSent({ kind: "wait-too-long", until: decision.until, policy }, now);
      }
    }
  });

  /** A change that was interrupted on its way may have been made. */
  const cancelPermit = (name: string, id: string) =>
    Effect.ignore(modifyPolicy(name, (state) => [undefined, cancel(state, id)]));

  const storeTime = store.modify<never, number>(`${identity}/time`, (value, now) => [now, value]);

  const release = Effect.fnUntraced(function* (
    call: LimitedRequest,
    permit: ActivePermit,
    report: RequestOutcome,
    time: number,
  ) {
    const { policy, entries } = outcomeUpdates(recordOptions, call, permit, report, time);
    for (const [name, change] of entries) yield* modifyPolicy(name, change);
    if (policy !== undefined) yield* learnRoute(call.route, policy);
    if (affectsWholeClient(report)) {
      yield* store.modify<ClientBlock, void>(clientBlockKey, (value, now) => [
        undefined,
        recordError(value, now, rules, report),
      ]);
    }
  });

  /** The same at once, for an answer that teaches nothing about routes and concerns nobody else. */
  const tryReleaseSync = (
    call: LimitedRequest,
    permit: ActivePermit,
    report: RequestOutcome,
    now: number,
  ) => {
    if (modifyUnsafe === undefined || affectsWholeClient(report)) return false;
    const { policy, entries } = outcomeUpdates(recordOptions, call, permit, report, now);
    if (policy !== undefined && routes.get(call.route) !== policy) return false;
    for (const [name, change] of entries) {
      modifyUnsafe(policyKey(name), now, policyChange(name, change));
    }
    return true;
  };

  const leave = () => {
    inFlight--;
    queues.wakeHeads();
  };

  const recordExit = (call: LimitedRequest, permit: ActivePermit, reportOf: () => RequestOutcome) =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe();
      try {
        const report = reportOf();
        if (!tryReleaseSync(call, permit, report, now)) {
          return release(call, permit, report, now).pipe(
            Effect.catchTag("LimiterStoreError", (error) =>
              Effect.logWarning("rate limiter: an answer could not be recorded", error.message),
            ),
            Effect.ensuring(Effect.sync(leave)),
          );
        }
      } catch (defect) {
        // A report or a dialect, both somebody else's, threw after all: the request does not keep
        // its place for ever.
        leave();
        return Effect.die(defect);
      }
      leave();
      return Effect.void;
    });

  const acquireInQueue = (call: LimitedRequest, restore: Restore) => {
    const waiter = queues.create(call.priority ?? 0);
    return acquire(call, waiter, restore).pipe(
      Effect.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) && queues.remove(waiter))),
    );
  };

  const run: PolicyLimiterService["run"] = (call, attempt, report) =>
    Effect.uninterruptibleMask((restore) => {
      const use = (held: Permit & ActivePermit) =>
        Effect.onExit(restore(Effect.suspend(() => attempt(held))), (exit) =>
          recordExit(call, held, () => report(exit)),
        );
      return Effect.clockWith((clock) => {
        const free = tryAcquireSync(call, clock.currentTimeMillisUnsafe());
        return free ? use(free) : Effect.flatMap(acquireInQueue(call, restore), use);
      });
    });

  const read = Effect.fnUntraced(function* <A>(
    route: string,
    look: (state: PolicyState, now: number, policy: string | undefined) => A,
  ) {
    const policy = yield* policyOf(route);
    return yield* modifyPolicy(policy ?? unknownName(route), (state, now) => [
      look(prune(state, now), now, policy),
      state,
    ]);
  });

  return {
    run,
    forecast: ({ route }, count) =>
      read(route, (state, now, policy) => forecastOf(state, now, policy, count)),
    snapshot: ({ route }) =>
      Effect.flatMap(
        read(route, (state, now) => ({
          limits: state.knowledge === "silent" ? ("none" as const) : state.knowledge,
          policies: [snapshotOf(state, now)],
        })),
        (policy) =>
          store.modify<ClientBlock, RouteSnapshot>(clientBlockKey, (value, now) => [
            {
              ...policy,
              clientErrors: {
                count: (value?.invalid ?? []).filter((time) => time + rules.clientErrorWindow > now)
                  .length,
                max: rules.maxClientErrors,
                windowMillis: rules.clientErrorWindow,
              },
              blockedUntil: blockReason(value, now, rules, undefined)?.until,
            },
            value,
          ]),
      ),
    waiting: Effect.sync(() => queues.size),
  } satisfies PolicyLimiterService;
});

/**
 * The limiter at work: queues in this process, books in the store, the planner between them.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Metric from "effect/Metric";
import { LimiterStore } from "../LimiterStore.ts";
import { NotLetGo } from "../NotLetGo.ts";
import type { Refusal } from "../NotLetGo.ts";
import type {
  LimiterCall,
  LimiterReport,
  Permit,
  PolicyLimiterOptions,
  PolicyLimiterService,
} from "../PolicyLimiter.ts";
import { multiWindow } from "../RateLimitDialect.ts";
import * as Telemetry from "../Telemetry.ts";
import { bookingOf, policyChange } from "./booking.ts";
import type { BookRules, Held, PolicyChange } from "./booking.ts";
import { concernsHouse, refusalOf, remember } from "./House.ts";
import type { House, HouseRules } from "./House.ts";
import { begin, cancel, prune } from "./Planner.ts";
import type { PolicyState } from "./PolicyState.ts";
import { forecastOf, snapshotOf } from "./reading.ts";
import { park, WaitQueues } from "./WaitQueue.ts";
import type { Waiter } from "./WaitQueue.ts";

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

/** The books of a route that belongs to no policy yet. */
const unknownName = (route: string) => `?${route}`;

/** In a shared store other processes' answers are noticed by looking. */
const LOOK_AGAIN = 250;

/** A limiter over the `LimiterStore` of the context. */
export const makePolicyLimiter = Effect.fnUntraced(function* (options: PolicyLimiterOptions = {}) {
  const store = yield* LimiterStore;
  const identity = options.identity ?? "default";
  const maxInFlight = options.maxInFlight ?? 8;
  const silentConcurrency = options.silentConcurrency ?? 4;
  const rules: HouseRules = {
    invalidLimit: options.invalidLimit ?? 60,
    invalidPeriod: Duration.toMillis(options.invalidPeriod ?? "10 minutes"),
    edgeCooldown: Duration.toMillis(options.edgeCooldown ?? "15 minutes"),
  };
  const lease = Duration.toMillis(options.lease ?? "90 seconds");
  const rulesOfBooks: BookRules = {
    dialect: options.dialect ?? multiWindow,
    suspectOf: (period) =>
      options.suspectedBucket
        ? Duration.toMillis(options.suspectedBucket(Duration.millis(period)))
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

  const houseKey = `${identity}/house`;
  const checkHouse = (policy: string | undefined) =>
    store.modify<House, Refusal | undefined>(houseKey, (value, now) => [
      refusalOf(value, now, rules, policy),
      value,
    ]);

  /**
   * Where the books are in this process's memory, a turn that is free is taken without a detour.
   */
  const takeNow = (call: LimiterCall, now: number) => {
    const policy = routes.get(call.route);
    const name = policy ?? unknownName(call.route);
    if (modifyUnsafe === undefined || inFlight >= maxInFlight || queues.isAwaited(name)) {
      return undefined;
    }
    const refusal = modifyUnsafe<House, Refusal | undefined>(houseKey, now, (value) => [
      refusalOf(value, now, rules, policy),
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
          silentConcurrency,
          counted: call.counted ?? true,
        });
        return [decision.go, decision.state];
      }),
    );
    if (!isFree) return undefined;
    inFlight++;
    return { id, at: now, policy, waited: 0, name };
  };

  /** Runs uninterruptibly but for its waits, so that a permit taken is a permit in hand. */
  const acquire = Effect.fnUntraced(function* (
    call: LimiterCall,
    waiter: Waiter,
    restore: Restore,
  ) {
    const maxWait =
      call.maxWait === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(call.maxWait);
    const counted = call.counted ?? true;
    let since: number | undefined;
    while (true) {
      const policy = yield* restore(policyOf(call.route));
      const refusal = yield* restore(checkHouse(policy));
      if (refusal) return yield* new NotLetGo({ refusal });
      const name = policy ?? unknownName(call.route);
      queues.enter(waiter, name);
      if (!queues.isNext(waiter) || inFlight >= maxInFlight) {
        const before = yield* restore(storeTime);
        since ??= before;
        yield* restore(park(waiter, since + maxWait - before));
        if ((yield* restore(storeTime)) - since >= maxWait) {
          return yield* new NotLetGo({
            refusal: { reason: "wait-too-long", retryAt: since + maxWait, policy },
          });
        }
        continue;
      }
      const id = `${self}${serial++}`;
      const answer = yield* restore(
        modifyPolicy(name, (state, now) => {
          const decision = begin(state, { id, now, lease, silentConcurrency, counted });
          return [{ decision, now }, decision.state];
        }),
      ).pipe(Effect.onInterrupt(() => giveBack(name, id)));
      const { decision, now } = answer;
      since ??= now;
      if (decision.go) {
        queues.leave(waiter);
        inFlight++;
        const waited = now - since;
        yield* Metric.update(Telemetry.waits, waited);
        return { id, at: now, policy, waited, name } as const;
      }
      if (decision.until - since > maxWait) {
        const flying = decision.state.hits.some((hit) => hit.settled === undefined);
        // Only a hold or a full window is certain; what is in flight may open the way earlier.
        if (!flying || decision.state.holdUntil > since + maxWait) {
          return yield* new NotLetGo({
            refusal: { reason: "wait-too-long", retryAt: decision.until, policy },
          });
        }
      }
      const pause = Math.max(1, Math.min(decision.until, since + maxWait) - now);
      yield* restore(park(waiter, store.shared ? Math.min(pause, LOOK_AGAIN) : pause));
      if (now - since >= maxWait) {
        return yield* new NotLetGo({
          refusal: { reason: "wait-too-long", retryAt: decision.until, policy },
        });
      }
    }
  });

  /** A change that was interrupted on its way may have been made. */
  const giveBack = (name: string, id: string) =>
    Effect.ignore(modifyPolicy(name, (state) => [undefined, cancel(state, id)]));

  const storeTime = store.modify<never, number>(`${identity}/time`, (value, now) => [now, value]);

  const release = Effect.fnUntraced(function* (
    call: LimiterCall,
    permit: Held,
    report: LimiterReport,
    time: number,
  ) {
    const { policy, entries } = bookingOf(rulesOfBooks, call, permit, report, time);
    for (const [name, change] of entries) yield* modifyPolicy(name, change);
    if (policy !== undefined) yield* learnRoute(call.route, policy);
    if (concernsHouse(report)) {
      yield* store.modify<House, void>(houseKey, (value, now) => [
        undefined,
        remember(value, now, rules, report),
      ]);
    }
  });

  /** The same at once, for an answer that teaches nothing about routes and concerns nobody else. */
  const releaseNow = (call: LimiterCall, permit: Held, report: LimiterReport, now: number) => {
    if (modifyUnsafe === undefined || concernsHouse(report)) return false;
    const { policy, entries } = bookingOf(rulesOfBooks, call, permit, report, now);
    if (policy !== undefined && routes.get(call.route) !== policy) return false;
    for (const [name, change] of entries) {
      modifyUnsafe(policyKey(name), now, policyChange(name, change));
    }
    return true;
  };

  const leave = () => {
    inFlight--;
    queues.wakeNext();
  };

  const settleUp = (call: LimiterCall, permit: Held, reportOf: () => LimiterReport) =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe();
      try {
        const report = reportOf();
        if (!releaseNow(call, permit, report, now)) {
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

  const acquireInQueue = (call: LimiterCall, restore: Restore) => {
    const waiter = queues.arrive(call.priority ?? 0);
    return acquire(call, waiter, restore).pipe(
      Effect.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) && queues.leave(waiter))),
    );
  };

  const run: PolicyLimiterService["run"] = (call, attempt, report) =>
    Effect.uninterruptibleMask((restore) => {
      const use = (held: Permit & Held) =>
        Effect.onExit(restore(Effect.suspend(() => attempt(held))), (exit) =>
          settleUp(call, held, () => report(exit)),
        );
      return Effect.clockWith((clock) => {
        const free = takeNow(call, clock.currentTimeMillisUnsafe());
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
    forecast: (route, count) =>
      read(route, (state, now, policy) => forecastOf(state, now, policy, count)),
    snapshot: (route) => read(route, snapshotOf),
    waiting: Effect.sync(() => queues.size),
  } satisfies PolicyLimiterService;
});

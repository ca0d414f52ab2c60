/**
 * The faults of a running sandbox: the rules in force, and which of them hit a request.
 *
 * What a fault then does is `performFaults`. Rules live in memory and belong to no snapshot: they
 * are of the test, not of the world.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { SandboxClock } from "../clock/SandboxClock.ts";
import type { FaultRule, FaultStatus } from "./Fault.ts";
import { type FaultTarget, FaultRules, type FiredFault } from "./FaultRules.ts";

/** A request whose faults are asked for. */
export interface FaultRequest extends FaultTarget {
  /** The change id that the request asks for, on endpoints that have one. */
  readonly changeId?: string | undefined;
}

/** What hits a request. */
export interface FaultPlan {
  readonly fired: ReadonlyArray<FiredFault>;
  readonly requestedChangeId: string | undefined;
  /** Change ids that the same client asked the same endpoint for before, oldest first. */
  readonly earlierChangeIds: ReadonlyArray<string>;
}

/** The faults of a running sandbox. */
export class Faults extends Context.Service<
  Faults,
  {
    /**
     * The faults that hit a request, `undefined` when none does. Counts the request. Synchronous:
     * nothing interleaves.
     */
    plan(request: FaultRequest): FaultPlan | undefined;
    /** Adds a rule, or replaces the one of the same name. */
    add(rule: FaultRule): Effect.Effect<FaultStatus>;
    /** Removes a rule; answers whether there was one. */
    remove(id: string): Effect.Effect<boolean>;
    /** Removes all rules. */
    readonly clear: Effect.Effect<void>;
    /** The rules in force. */
    readonly list: Effect.Effect<ReadonlyArray<FaultStatus>>;
  }
>()("@game-data/sandbox/Faults") {
  /** No faults, until rules are added. */
  static readonly layer: Layer.Layer<Faults, never, SandboxClock> = Layer.effect(
    Faults,
    Effect.gen(function* () {
      const clock = yield* SandboxClock;
      const rules = new FaultRules();
      const changeIds = new Map<string, Array<string>>();

      return Faults.of({
        plan: (request) => {
          if (rules.isEmpty) return undefined;
          const earlierChangeIds = remember(changeIds, request);
          const fired = rules.fire(request, clock.nowUnsafe());
          return fired.length === 0
            ? undefined
            : { fired, requestedChangeId: request.changeId, earlierChangeIds };
        },
        add: (rule) => Effect.sync(() => rules.add(rule, clock.nowUnsafe())),
        remove: (id) => Effect.sync(() => rules.remove(id)),
        clear: Effect.sync(() => {
          rules.clear();
          changeIds.clear();
        }),
        list: Effect.sync(() => rules.list(clock.nowUnsafe())),
      });
    }),
  );
}

/**
 * So many ids of the past are kept per client and endpoint; a follower that asks back farther does
 * not exist.
 */
const REMEMBERED_IDS = 32;

/**
 * Notes the id that a request asks for, and answers those before it. Only while there are rules:
 * else it would cost for nothing.
 */
const remember = (
  changeIds: Map<string, Array<string>>,
  { changeId, clientId, endpoint, group }: FaultRequest,
): ReadonlyArray<string> => {
  const key = `${clientId} ${group}.${endpoint}`;
  const known = changeIds.get(key) ?? [];
  if (changeId !== undefined && known.at(-1) !== changeId)
    changeIds.set(key, [...known, changeId].slice(-REMEMBERED_IDS));
  return known;
};

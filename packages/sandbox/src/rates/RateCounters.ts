/**
 * All counters of the sandbox, and the decision about one request.
 *
 * A request passes when every window of every rule that applies to it has room; it is counted once
 * in each of them (§5, §8). The request over the limit is counted too and begins the restriction.
 * While a restriction lasts, requests are refused and not counted: a client that hammers does
 * itself no further harm, and neither does it harm those that share its pool. Counters belong to
 * the policy's name, not to the endpoint, so endpoints that share a policy share its counters.
 */
import type { CompiledPolicy, CompiledRule, CompiledWindow, RuleName } from "./RatePolicy.ts";
import { WindowCounter, type WindowCounterSnapshot, type WindowState } from "./WindowCounter.ts";

/**
 * The identities that the hits of a request are counted against, by rule. A rule without an
 * identity does not apply to the request.
 */
export type RateIdentity = { readonly [Rule in RuleName]?: string | undefined };

/** One rule as it stands after the request. */
interface RuleReport {
  readonly rule: CompiledRule;
  readonly states: Array<WindowState>;
}

/** The answer to one request. */
export interface RateDecision {
  readonly policy: string;
  readonly allowed: boolean;
  /** 0 when the request passed. */
  readonly retryAfterSeconds: number;
  readonly rules: ReadonlyArray<RuleReport>;
}

/** The state of one window of one identity. */
export interface WindowReading extends WindowState {
  readonly policy: string;
  readonly rule: RuleName;
  /** The identity it is counted against: an address, an account or a client. */
  readonly identity: string;
  readonly maxHits: number;
  readonly periodSeconds: number;
}

/** All counters as plain JSON, by policy, rule, identity and period. */
export type RateCountersSnapshot = ReadonlyArray<
  readonly [key: string, periodMillis: number, counter: WindowCounterSnapshot]
>;

/** Above so many identities, those that hold nothing any more are forgotten. */
const SWEEP_AT = 10_000;

/** The counters of all policies. */
export class RateCounters {
  readonly #counters = new Map<string, Map<number, WindowCounter>>();

  /**
   * Decides about one request at `now` and counts it; a probe (`counts: false`) is answered from
   * what is counted already.
   */
  decide(
    policy: CompiledPolicy,
    identity: RateIdentity,
    now: number,
    options: { readonly counts: boolean },
  ): RateDecision {
    const rules: Array<RuleReport> = [];
    const windows: Array<CompiledWindow> = [];
    const counters: Array<WindowCounter> = [];
    for (const rule of policy.rules) {
      const who = identity[rule.name];
      if (who === undefined) continue;
      const known = this.#windowsOf(rule.keyPrefix + who);
      for (const window of rule.windows) {
        let counter = known.get(window.periodMillis);
        if (counter === undefined) known.set(window.periodMillis, (counter = new WindowCounter()));
        counter.settle(window, now);
        windows.push(window);
        counters.push(counter);
      }
      rules.push({ rule, states: [] });
    }
    const allowed = !options.counts || passes(windows, counters, now);
    let at = 0;
    for (const { rule, states } of rules)
      for (let count = 0; count < rule.windows.length; count++)
        states.push(counters[at++]!.state(now));
    return {
      policy: policy.name,
      allowed,
      retryAfterSeconds: allowed
        ? 0
        : Math.max(1, ...counters.map((one, place) => one.retryAfterSeconds(windows[place]!, now))),
      rules,
    };
  }

  /** The windows that hold anything, of policies in force. */
  readings(
    policies: ReadonlyMap<string, CompiledPolicy>,
    now: number,
  ): ReadonlyArray<WindowReading> {
    return [...this.#counters].flatMap(([key, windows]) => {
      const [policy = "", rule = "", ...identity] = key.split(" ");
      const compiled = policies.get(policy)?.rules.find(({ name }) => name === rule);
      return (compiled?.windows ?? []).flatMap((window) => {
        const counter = windows.get(window.periodMillis);
        counter?.settle(window, now);
        return counter === undefined || counter.isIdle
          ? []
          : [
              {
                policy,
                rule: compiled!.name,
                identity: identity.join(" "),
                maxHits: window.maxHits,
                periodSeconds: window.periodMillis / 1000,
                ...counter.state(now),
              },
            ];
      });
    });
  }

  /** Forgets all hits and restrictions. */
  clear(): void {
    this.#counters.clear();
  }

  /** Everything that is counted, as plain JSON. */
  snapshot(): RateCountersSnapshot {
    return [...this.#counters].flatMap(([key, windows]) =>
      [...windows].map(([period, counter]) => [key, period, counter.snapshot()] as const),
    );
  }

  /** Puts a snapshot in the place of what is counted. */
  restore(snapshot: RateCountersSnapshot): void {
    this.#counters.clear();
    for (const [key, period, counter] of snapshot)
      this.#windowsOf(key).set(period, WindowCounter.restore(counter));
  }

  #windowsOf(key: string): Map<number, WindowCounter> {
    let windows = this.#counters.get(key);
    if (windows === undefined) {
      if (this.#counters.size >= SWEEP_AT) this.#sweep();
      this.#counters.set(key, (windows = new Map()));
    }
    return windows;
  }

  #sweep(): void {
    for (const [key, windows] of this.#counters)
      if ([...windows.values()].every((counter) => counter.isIdle)) this.#counters.delete(key);
  }
}

/** Counts a request in each window. `windows` and `counters` stand side by side. */
const passes = (
  windows: ReadonlyArray<CompiledWindow>,
  counters: ReadonlyArray<WindowCounter>,
  now: number,
): boolean => {
  for (const counter of counters) if (counter.isRestricted) return false;
  let isWithin = true;
  // Every window is hit, also after one that is full: a request counts once in each.
  for (let place = 0; place < counters.length; place++)
    if (!counters[place]!.hit(windows[place]!, now)) isWithin = false;
  return isWithin;
};

/** Reports the known limits of a route, and forecasts when requests can be sent. */
import { leavesBy } from "./Buckets.ts";
import { planWithErrors, waitForErrors } from "./clientErrors.ts";
import { makeDocuments } from "./Documents.ts";
import { complete } from "./learn.ts";
import { accountWindows, type PlanContext, recentPolicies } from "./plan.ts";
import { foreignCount, ownCount } from "./Window.ts";

/** A rate-limit window with its current usage. */
export interface WindowLimits {
  readonly rule: string;
  readonly max: number;
  readonly periodMillis: number;
  /** Requests that the server may count now. */
  readonly used: number;
  /** Requests of other programs, which `used` includes. */
  readonly foreign: number;
  /**
   * Time for which requests may count beyond the period, because of hidden buckets and the slack of
   * the clock.
   */
  readonly excessMillis: number;
}

/** Limits of one policy, which the routes that name it share. */
export interface PolicyLimits {
  /** Name of the policy, or `?` and the route if responses of the route name no policy. */
  readonly name: string;
  /** Remaining time of a block after a 429; 0 if none is active. */
  readonly blockedMillis: number;
  readonly windows: ReadonlyArray<WindowLimits>;
}

/** Limits of a route for one identity, as far as the limiter has learned them. */
export interface RouteLimits {
  /**
   * `unknown`: no response has arrived. `none`: responses have no rate-limit headers. `learned`:
   * from headers.
   */
  readonly knowledge: "unknown" | "none" | "learned";
  /** The policies that responses of the route named in the last 10 minutes, the latest first. */
  readonly policies: ReadonlyArray<PolicyLimits>;
  /** Requests that the service rejected with a 4xx status. `blocking` are 401, 403 and 429. */
  readonly clientErrors: {
    readonly count: number;
    readonly blocking: number;
    readonly max: number;
    readonly windowMillis: number;
  };
  /** Remaining time of a block of the whole client; 0 if none is active. */
  readonly blockedMillis: number;
}

/** Times at which the next requests of a route can be sent. */
export interface Forecast {
  /** Milliseconds from now, for each request. Fewer than requested if later times are unknown. */
  readonly startsInMillis: ReadonlyArray<number>;
  /** Milliseconds until the last of these requests can be sent. */
  readonly durationMillis: number;
  /** Whether the limits of the route are known. */
  readonly isKnown: boolean;
  readonly policy: string | undefined;
}

export const routeLimits = (context: PlanContext, route: string, identity: string): RouteLimits => {
  const { documents, now, options } = context;
  const names = recentPolicies(context, route).toReversed();
  const errors = documents.clientErrors();
  const wait = waitForErrors(errors, route, now, options);
  return {
    knowledge: names[0] === undefined ? "unknown" : documents.policy(names[0]).knowledge,
    policies: names.map((name) => policyLimits(context, name, identity)),
    clientErrors: {
      count: errors.times.length,
      blocking: errors.blocking.length,
      max: options.maxClientErrors,
      windowMillis: options.clientErrorWindow,
    },
    blockedMillis: wait?.block ? wait.until - now : 0,
  };
};

const policyLimits = (context: PlanContext, name: string, identity: string): PolicyLimits => {
  const { documents, now } = context;
  const windows = accountWindows(context, name, identity).map((target): WindowLimits => {
    const { buckets, max, period, rule } = target.window;
    const foreign = foreignCount(target, now);
    const inFlight = Object.keys(target.log.inFlight).length;
    return {
      rule,
      max,
      periodMillis: period,
      used: ownCount(target, now) + inFlight + foreign,
      foreign,
      excessMillis: leavesBy(buckets, now) - now - period,
    };
  });
  const { blockedUntil } = documents.policy(name);
  return { name, blockedMillis: Math.max(0, blockedUntil - now), windows };
};

/** Plans the next requests on a copy of the documents, as if each response arrived at once. */
export const forecast = (
  context: PlanContext,
  route: string,
  identity: string,
  count: number,
): Forecast => {
  const { documents, now } = context;
  const copies = new Map<string, unknown>();
  const scratch: PlanContext = {
    ...context,
    documents: makeDocuments((key, create) => {
      if (!copies.has(key)) copies.set(key, structuredClone(documents.get(key, create)));
      return copies.get(key) as never;
    }),
  };
  const names = recentPolicies(scratch, route);
  const starts: Array<number> = [];
  let at = now;
  while (starts.length < count) {
    const moment = { ...scratch, now: at };
    const request = { id: `#${starts.length}`, route, identity, reserve: 0 };
    const decision = planWithErrors(moment, request);
    if ("until" in decision) {
      if (!Number.isFinite(decision.until) || decision.until <= at) break;
      at = decision.until;
      continue;
    }
    starts.push(at - now);
    for (const name of decision.policies)
      complete(accountWindows(moment, name, identity), decision, at, false);
  }
  const policy = names.at(-1);
  return {
    startsInMillis: starts,
    durationMillis: starts.at(-1) ?? 0,
    isKnown: policy !== undefined && scratch.documents.policy(policy).knowledge === "learned",
    policy,
  };
};

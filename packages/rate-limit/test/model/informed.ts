/**
 * Result that a client can reach if it knows everything about other programs but their future. From
 * the first moment on it knows the law by which they send. Each response tells it the exact times
 * of the requests that they have sent until then. It knows that there is no hidden bucket, and its
 * requests take no time. A real client knows less: only counts, and none of them at the start.
 *
 * It sends when, at each departure to come, there is room for so many arrivals that more are less
 * likely than a risk. The risk is tuned by the result: the best share with the permitted number of
 * refusals. This is the best of a family of policies, not a proof that no other is better.
 */
import { tail } from "./ceiling.ts";
import { ModelServer, oracle } from "./Server.ts";
import type { ModelOptions } from "./Server.ts";
import { generator } from "./simulate.ts";
import type { Regime } from "./simulate.ts";

/** The knowledge of the client while it runs. */
export interface Sight {
  /** Each request of others when it comes, and whether the account is restricted. */
  readonly atOnce?: boolean;
  /** Until a response shows others it sends whenever there is room, like a client that is alone. */
  readonly isBlindAtFirst?: boolean;
}

export interface Informed {
  readonly utilisation: number;
  readonly violations: number;
}

/** Pace of a client's requests, and the probability of an overflow that it accepts. */
interface Policy {
  /** The even gap between requests, times this. */
  readonly pace: number;
  readonly risk: number;
}

const POLICIES: ReadonlyArray<Policy> = [0, 0.8, 0.95, 1.05, 1.2].flatMap((pace) =>
  [0.02, 0.01, 0.005, 0.003, 0.002, 0.001].map((risk) => ({ pace, risk })),
);

/** The best share that an informed client reaches with at most so many violations. */
export const bestInformed = (
  regime: Regime,
  seeds: number,
  sight: Sight,
  allowed: number,
): Informed | undefined => {
  const millis = (regime.hours ?? 1) * 3_600_000;
  const runs = Array.from({ length: seeds }, (_, seed) => {
    const random = generator((seed + 1) * 7919 + 17);
    const model: ModelOptions = { ...regime.server(random), random };
    const foreign = regime.foreign!(random, millis);
    const best = oracle(model, millis, { identities: ["me"], routes: ["GET /x"], foreign });
    return { model, foreign, best };
  });
  let found: Informed | undefined;
  for (const policy of POLICIES) {
    let utilisation = 0;
    let violations = 0;
    for (const { best, foreign, model } of runs) {
      const run = informed(model, foreign, regime.perMinute!, millis, policy, sight);
      utilisation += (100 * run.served) / best / seeds;
      violations += run.violations / seeds;
    }
    if (violations <= allowed && utilisation > (found?.utilisation ?? 0))
      found = {
        utilisation: Number(utilisation.toFixed(1)),
        violations: Number(violations.toFixed(1)),
      };
  }
  return found;
};

/** For each number of places the longest time in which they suffice, but for the risk. */
const horizons = (perMillis: number, max: number, risk: number): ReadonlyArray<number> =>
  Array.from({ length: max + 1 }, (_, places) => {
    let low = 0;
    let high = 2 * max;
    for (let step = 0; step < 50; step++) {
      const middle = (low + high) / 2;
      if (tail(middle, places) > risk) high = middle;
      else low = middle;
    }
    return low / perMillis;
  });

/** A run against Poisson arrivals of other programs. */
const informed = (
  options: ModelOptions,
  foreign: ReadonlyArray<number>,
  perMinute: number,
  millis: number,
  { pace, risk }: Policy,
  { atOnce = false, isBlindAtFirst = false }: Sight,
) => {
  const server = new ModelServer(options);
  const [window] = options.policies[0]!.windows;
  const { max, period } = window!;
  const longest = horizons(perMinute / 60_000, max, risk);
  const gap = (pace * period) / (max - (perMinute * period) / 60_000);
  /** All that is known to be counted. */
  let known: Array<number> = [];
  let seen = 0;
  let next = 0;
  let now = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let restrictedUntil = 0;
  let isBlind = isBlindAtFirst;
  /** Requests of others until now, as far as the server knows. */
  const others = (): void => {
    while (next < foreign.length && foreign[next]! <= now) {
      const arrivedAt = foreign[next++]!;
      const { headers, status } = server.handle(arrivedAt, {
        route: "x",
        identity: "me",
        foreign: true,
      });
      known.push(arrivedAt);
      if (atOnce && status === 429)
        restrictedUntil = arrivedAt + Number(headers["retry-after"]) * 1000;
    }
  };
  while (now < millis) {
    if (atOnce) {
      others();
      seen = now;
    }
    const counted = known.filter((at) => at + period > now).toSorted((a, b) => a - b);
    // The last departure before which there is not room enough.
    let at = Math.max(now, restrictedUntil, isBlind ? now : sentAt + gap);
    for (const [index, hit] of counted.entries()) {
      const free = max - 1 - (counted.length - index);
      if (free < 0 || (!isBlind && hit + period - seen > longest[free]!))
        at = Math.max(at, hit + period);
    }
    if (at > now) {
      now = Math.min(at, atOnce ? (foreign[next] ?? at) : at);
      continue;
    }
    const before = next;
    others();
    if (next > before) isBlind = false;
    const { headers, status } = server.handle(now, { route: "x", identity: "me" });
    known.push(now);
    known = known.filter((hit) => hit + period > now);
    seen = now;
    sentAt = now;
    now += status === 429 ? Number(headers["retry-after"]) * 1000 : 0.01;
  }
  return { served: server.served, violations: server.violations };
};

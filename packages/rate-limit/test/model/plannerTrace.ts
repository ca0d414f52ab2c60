/** Text traces of what the planner remembers, and for how long. No regime of an hour shows this. */
import { NEVER } from "../../src/core/basics.ts";
import {
  age,
  BUCKET_SIZES,
  cutoff,
  departure,
  isTelling,
  medianDeparture,
  newBelief,
  observeClock,
  REVIVE_MILLIS,
  startOver,
} from "../../src/core/Belief.ts";
import { claimOf, likelyOpening, opening, planForeign } from "../../src/core/opening.ts";
import { settle } from "../../src/core/learn.ts";
import { add, freeing, newLog } from "../../src/core/Log.ts";
import type { Foreign, Hit, Log, WindowState } from "../../src/core/Log.ts";
import { observe } from "../../src/core/observe.ts";
import { tryAcquire } from "../../src/core/plan.ts";
import { defaultOptions, namePolicy, newState, policiesOf } from "../../src/core/State.ts";
import type { State } from "../../src/core/State.ts";
import { github } from "../../src/dialects.ts";
import { retryAfterMillis } from "../../src/retryAfter.ts";
import { generator } from "./simulate.ts";
import type { RateLimitInfo } from "../../src/RateLimitDialect.ts";

export type Trace = ReadonlyArray<string>;

/** Sends a request and answers it 50 ms later. */
const exchange = (
  state: State,
  now: number,
  info: RateLimitInfo | undefined,
  identity = "me",
): void => {
  const ask = { id: `${identity} ${now}`, route: "GET /a", identity };
  const answer = tryAcquire(state, ask, now, defaultOptions);
  if ("until" in answer) throw new Error(`held at ${now}: ${answer.reason}`);
  settle(state, answer, { status: 200, info, at: now + 50 }, defaultOptions);
};

const infoOf = (...rules: ReadonlyArray<string>): RateLimitInfo => ({
  policy: "p",
  windows: rules.map((text) => {
    const [rule = "", max, seconds] = text.split(":");
    const periodMillis = Number(seconds) * 1000;
    return { rule, max: Number(max), periodMillis, hits: 1 };
  }),
  retryAfterMillis: undefined,
});

const names = (): Trace => {
  const state = newState();
  for (const [policy, at] of [
    ["p", 0],
    ["q", 1000],
    ["p", 2000],
    ["r", 3000],
  ] as const)
    namePolicy(state, "GET /a", policy, at);
  return [600_999, 601_000, 601_999, 602_000, 1_300_000].map(
    (at) => `${at} ${policiesOf(state, "GET /a", at).join(" ")}`,
  );
};

/** Users who come once, each a second after the one before: how many are remembered. */
const idleUsers = (): Trace => {
  const state = newState();
  const lines: Array<string> = [];
  for (let user = 0; user < 2000; user++) {
    const now = user * 1000;
    exchange(state, now, infoOf("account:5:20"), `u${user}`);
    if (user % 100 === 99) lines.push(`${state.policies.get("p")!.windows[0]!.logs.size}`);
  }
  return lines;
};

/** Requests of others that stopped: how long and how many places are kept for them. */
const others = (): Trace =>
  [0.1, 0.2, 0.29, 0.3, 0.31, 0.45, 0.59, 0.61, 1, 3, 150].flatMap((residual) =>
    [
      [30, 2],
      [30, 90],
      [2, 2],
      [400, 3],
    ].map(([max = 0, weight = 0], index) => {
      const arrivals = [{ at: 0, millis: 1000, weight }];
      const foreign: Foreign = { hits: [], arrivals, residual };
      const reading = { id: "", count: 0, sent: 0, received: 50 };
      const hits = [
        { id: "0", sent: 700, received: 800, lostAt: 90_000 },
        { id: "1", sent: 500, received: NEVER, lostAt: 90_000 },
      ].slice(0, index);
      const log = { ...newLog(), foreign, reading, hits, ordered: Math.min(1, index) };
      const belief = newBelief(60_000, max, [], 0);
      const window = { key: "w", rule: "w", max, period: 60_000, seenAt: 0, belief };
      return [1000, 119_000, 120_000, 121_000]
        .map((now) => planForeign({ ...window, logs: new Map() }, log, now))
        .map((plan) => `${plan.rate.toExponential(3)} ${plan.reserve} ${plan.pacedUntil}`)
        .join(", ");
    }),
  );

/** A user beside whom others sent: for how many minutes that is remembered. */
const arrivals = (): Trace => {
  const state = newState();
  const info = infoOf("account:30:60");
  exchange(state, 0, info, "first");
  const more = { ...info, windows: info.windows.map((window) => ({ ...window, hits: 6 })) };
  exchange(state, 10_000, more, "first");
  return Array.from({ length: 70 }, (_, minute) => {
    exchange(state, (minute + 1) * 60_000, info, `u${minute}`);
    return `${minute + 1} ${state.policies.get("p")!.windows[0]!.logs.has("first")}`;
  });
};

/** A rule that responses name no more. */
const absentRule = (): Trace => {
  const state = newState();
  exchange(state, 0, infoOf("account:30:60", "ip:60:60"));
  return [140_000, 160_000, 290_000, 310_000, 590_000, 610_000].map((now) => {
    exchange(state, now, infoOf("ip:60:60"));
    return `${now} ${state.policies
      .get("p")!
      .windows.map(({ rule }) => rule)
      .join()}`;
  });
};

/** Requests of a route before its first response with limits. */
const unplaced = (): Trace => {
  const state = newState();
  for (let index = 0; index < 500; index++) exchange(state, index * 100, undefined);
  exchange(state, 60_000, infoOf("account:1000:3600"));
  return [`${state.policies.get("p")!.windows[0]!.logs.get("me")!.hits.length} remembered`];
};

/**
 * Traces how many counts of a window with many requests are compared with the clock, near its limit
 * or not.
 */
const studies = (): Trace =>
  [700, 10_000].flatMap((max) => {
    const belief = newBelief(4000, max, [], 0);
    const window = { key: "w", rule: "w", max, period: 4000, seenAt: 0, belief, logs: new Map() };
    const log = newLog();
    const lines: Array<string> = [];
    for (let index = 0; index < 3000; index++) {
      const now = index * 5;
      const hit = { id: `${index}`, sent: now, received: now + 1, lostAt: now + 90_000 };
      add(window, log, hit, now);
      const count = Math.min(index + 1, 800);
      observe(window, log, { id: hit.id, count, sent: now, received: now + 1 });
      if (index % 100 === 0) lines.push(`${log.hits.length} ${belief.samples}`);
    }
    return lines;
  });

/** A window of `max` requests in `seconds`, and what is believed of it. */
const windowOf = (max: number, seconds: number, sizes: ReadonlyArray<number>): WindowState => {
  const period = seconds * 1000;
  const belief = newBelief(period, max, sizes, 0);
  return { key: "w", rule: "w", max, period, seenAt: 0, belief, logs: new Map() };
};

/** What is believed of a window, of its requests and of others', and what may go next. */
const lineOf = (window: WindowState, log: Log, now: number, isProbe: boolean): string => {
  const { belief } = window;
  const { counts, lies, living, offset, pad, samples, slack } = belief;
  const margin = { credit: 30, spare: log.hits.length % 2 };
  const first = log.hits[0]?.received ?? now;
  const known = [
    [counts, lies, living.length, living.filter((h) => h.strained).length, living.at(-1)],
    [offset, pad, samples, slack],
    [log.hits.length, log.ordered, log.hits.filter((hit) => hit.uncertain).length],
    [log.lowest?.id, log.reading?.id, log.foreign],
    opening(window, log, now, margin),
    claimOf(window, log, now, { ...margin, isProbe }),
    likelyOpening(window, log, now, window.max),
    [departure(belief, first), cutoff(belief, now), medianDeparture(belief, first)],
    [isTelling(belief, first, now), freeing(log, now - window.period, 2)],
  ];
  return JSON.stringify(known, (_, value) => (Math.abs(value) === NEVER ? `${value}` : value));
};

/** Requests of a window whose server counts in buckets; the last one has no buckets, or strangers. */
const BELIEFS: ReadonlyArray<readonly [max: number, seconds: number, bucketSeconds: number]> = [
  [4, 10, 5],
  [12, 60, 0],
  [1, 2, 1],
  [3, 120, 60],
  [6, 10, NEVER],
];

/** A server beside strangers, with answers that are late, lost or lies. */
const beliefs = ([max, seconds, bucket]: (typeof BELIEFS)[number]): Trace => {
  const random = generator(max);
  const isPlain = bucket === NEVER;
  const sizes = isPlain ? [] : BUCKET_SIZES;
  const window = windowOf(max, seconds, sizes);
  const { belief, period } = window;
  const log = newLog();
  window.logs.set("", log);
  const size = isPlain ? 1 : Math.max(1, bucket * 1000);
  const counted: Array<number> = [];
  const flying: Array<Hit> = [];
  let now = 1000;
  return Array.from({ length: 200 }, (_, index) => {
    now += random() * 1.6 * (period / max);
    if (index % 67 === 66) now += index % 2 === 0 ? REVIVE_MILLIS : 3 * period;
    age(belief, now);
    if (index % 90 === 89) startOver(belief, sizes, index * 10, now);
    if (isPlain) observeClock(belief, 10 * random() - 5);
    if (counted.filter((at) => at > now - period).length <= max) {
      const hit: Hit = { id: `${index}`, sent: now, received: NEVER, lostAt: now + 3 * period };
      add(window, log, hit, now);
      flying.push(hit);
      counted.push(now + 20);
    }
    if (random() < 0.15 && index % 60 > 20) counted.push(now + 10, now + 11);
    const [answered] = flying.splice(Math.floor(random() * flying.length), 1);
    now += 40 + random() * 60;
    if (answered && random() < 0.9) {
      answered.received = now;
      if (random() < 0.1) answered.uncertain = true;
      const from = Math.floor((now - 30 - period) / size) * size;
      const truth = counted.filter((at) => at >= from && at <= now).length;
      const count = random() < 0.06 ? Math.floor(random() * 9) : truth;
      observe(window, log, { id: answered.id, count, sent: answered.sent, received: now });
    }
    return lineOf(window, log, now, random() < 0.3);
  });
};

const dialects = (): Trace => [
  ...["43100", "43300", "86300", "86500", "172900"].map(
    (text) => `${retryAfterMillis({ "retry-after": text }, 0)}`,
  ),
  `${github.read({ "x-ratelimit-limit": "60" }, 0).windows[0]?.periodMillis}`,
];

/** Every trace by its name. */
export const plannerTraces = {
  names,
  idleUsers,
  arrivals,
  others,
  absentRule,
  unplaced,
  studies,
  ...Object.fromEntries(
    BELIEFS.map((each) => [`beliefs of ${each.join(" ")}`, () => beliefs(each)]),
  ),
  dialects,
};

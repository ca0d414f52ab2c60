/** Text traces of what the planner remembers, and for how long. No regime of an hour shows this. */
import { NEVER } from "../../src/core/basics.ts";
import { newBelief } from "../../src/core/Belief.ts";
import { planForeign } from "../../src/core/opening.ts";
import { settle } from "../../src/core/learn.ts";
import { add, newLog } from "../../src/core/Log.ts";
import type { Foreign } from "../../src/core/Log.ts";
import { observe } from "../../src/core/observe.ts";
import { tryAcquire } from "../../src/core/plan.ts";
import { defaultOptions, namePolicy, newState, policiesOf } from "../../src/core/State.ts";
import type { State } from "../../src/core/State.ts";
import { github } from "../../src/dialects.ts";
import { retryAfterMillis } from "../../src/retryAfter.ts";
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
  dialects,
};

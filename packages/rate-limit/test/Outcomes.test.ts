/** What an outcome tells: to the dialect, to the program's listener, and to those who wait. */
import { describe, expect, it } from "vitest";
import { Outcomes } from "../src/core/Outcomes.ts";
import { tryAcquire } from "../src/core/plan.ts";
import { defaultOptions, namePolicy, newState } from "../src/core/State.ts";
import type { Grant, State } from "../src/core/State.ts";
import type { Turns } from "../src/core/Turns.ts";
import type { LimiterEvent, RequestOutcome } from "../src/Model.ts";
import type { RateLimitDialect, RateLimitInfo, RateLimitWindow } from "../src/RateLimitDialect.ts";

const errors = { max: 60, window: 600_000, firewallCooldown: 900_000, counts: () => false };
const silent: RateLimitDialect = {
  name: "silent",
  read: () => ({ policy: undefined, windows: [], retryAfterMillis: undefined }),
};
const outcomesOf = (options: Partial<ConstructorParameters<typeof Outcomes>[0]> = {}) => {
  const events: Array<LimiterEvent> = [];
  const onEvent = (event: LimiterEvent): void => void events.push(event);
  const all = { dialect: silent, core: defaultOptions, errors, onEvent, ...options };
  return { outcomes: new Outcomes(all), events };
};

const windowOf = (rule: string, max: number, seconds: number): RateLimitWindow => ({
  rule,
  max,
  periodMillis: seconds * 1000,
});
const infoOf = (policy: string | undefined, ...windows: Array<RateLimitWindow>): RateLimitInfo => ({
  policy,
  windows,
  retryAfterMillis: undefined,
});

const grantOf = (state: State, at: number, route = "GET /a"): Grant => {
  const ask = { id: `${route} ${at}`, route, identity: "me" };
  const answer = tryAcquire(state, ask, at, defaultOptions);
  if ("until" in answer) throw new Error(answer.reason);
  return answer;
};

/** Whom an outcome wakes, where so many wait. */
const recording = (state: State, outcomes = outcomesOf().outcomes) => {
  const woken: Array<string> = [];
  const turns = (size: number) =>
    ({
      size,
      openAll: () => woken.push("all"),
      openPolicy: (name: string, _at: number, scope = "everyone") => woken.push(`${name} ${scope}`),
    }) as unknown as Turns;
  const record = (at: number, info: RateLimitInfo, outcome: RequestOutcome, size = 1) => {
    const grant = grantOf(state, at);
    outcomes.record(state, turns(size), grant, { outcome, info, at: at + 50 });
    return woken.splice(0);
  };
  return record;
};

describe("an outcome wakes", () => {
  const known = infoOf("p", windowOf("account", 50, 10));
  /** A route whose policy is known. */
  const start = () => {
    const state = newState();
    const record = recording(state);
    record(0, known, { status: 200 });
    return { state, record };
  };

  it("all who wait, as the first one of a service", () => {
    expect(recording(newState())(0, known, { status: 200 })).toEqual([
      "all",
      "?GET /a everyone",
      "p everyone",
    ]);
    const { record, state } = start();
    state.isHeard = false;
    expect(record(1000, known, { status: 200 })).toEqual(["all", "p me"]);
  });

  it.each<[string, RateLimitInfo, ReadonlyArray<string>]>([
    ["of its user alone, where it tells nothing new", known, ["p me"]],
    ["of its user alone, where it names no policy", infoOf(undefined), ["p me"]],
    [
      "of all users, as it changes the limits",
      infoOf("p", windowOf("account", 40, 10)),
      ["p everyone"],
    ],
    [
      "of every policy, as its route has one more",
      infoOf("q", windowOf("account", 50, 10)),
      ["all", "p me", "q everyone"],
    ],
  ])("those %s", (_, info, woken) => {
    expect(start().record(1000, info, { status: 200 })).toEqual(woken);
  });

  it("nobody, where nobody waits", () => {
    const { record } = start();
    expect(record(1000, infoOf("q"), { status: 200 }, 0)).toEqual([]);
  });

  it("those of a policy that its route had when it was granted no more", () => {
    const { record, state } = start();
    namePolicy(state, "GET /a", "q", 500);
    expect(record(600, known, { status: 200 })).toEqual(["p me", "q me"]);
    const late = grantOf(state, 700);
    namePolicy(state, "GET /a", "r", 710);
    const woken: Array<string> = [];
    const turns = {
      size: 1,
      openAll: () => woken.push("all"),
      openPolicy: (name: string) => woken.push(name),
    };
    const told = { outcome: { status: 200 }, info: infoOf("r"), at: 750 };
    outcomesOf().outcomes.record(state, turns as unknown as Turns, late, told);
    expect(woken).toEqual(["q", "p", "r"]);
  });
});

describe("a dialect", () => {
  it("is told the longest period that a rule is known to have", () => {
    const state = newState();
    const record = recording(state);
    const windows = [
      windowOf("account", 50, 60),
      windowOf("account", 50, 10),
      windowOf("ip", 9, 300),
    ];
    record(0, infoOf("p", ...windows), { status: 200 });
    const periods: Array<number> = [];
    const read: RateLimitDialect["read"] = (_headers, _wall, periodOf = () => -1) => {
      for (const [policy, rule] of [
        ["p", "account"],
        ["p", "ip"],
        ["p", "x"],
        ["q", "ip"],
      ] as const)
        periods.push(periodOf(policy, rule));
      return undefined as never;
    };
    outcomesOf({ dialect: { name: "x", read } }).outcomes.read(
      state,
      { status: 200, headers: {} },
      0,
    );
    expect(periods).toEqual([60_000, 300_000, 0, 0]);
  });

  it.each<[string, RequestOutcome]>([
    ["has no headers", { status: 200 }],
    ["was not sent", { status: undefined, sent: false, headers: {} }],
  ])("is not asked about a request that %s", (_, outcome) => {
    const read = (): never => expect.unreachable();
    const { events, outcomes } = outcomesOf({ dialect: { name: "x", read } });
    expect(outcomes.read(newState(), outcome, 0)).toBeUndefined();
    expect(events).toEqual([]);
  });
});

describe("a listener hears", () => {
  const cause = new Error("mine");
  const broken = (): never => {
    throw cause;
  };
  const answer = { status: 200, headers: {} };
  const guarded = {
    get windows() {
      return broken();
    },
  };
  it.each<[string, Parameters<typeof outcomesOf>[0], (outcomes: Outcomes) => unknown]>([
    ["dialect", { dialect: { name: "x", read: broken } }, (all) => all.read(newState(), answer, 0)],
    [
      "dialect",
      { dialect: { name: "x", read: () => guarded as never } },
      (all) => all.read(newState(), answer, 0),
    ],
    [
      "dialect",
      {
        dialect: {
          ...silent,
          get refusals() {
            return broken();
          },
        },
      },
      (all) => recording(newState(), all)(0, infoOf("p"), answer),
    ],
    [
      "countsAsError",
      { errors: { ...errors, counts: broken } },
      (all) => recording(newState(), all)(0, infoOf("p"), answer),
    ],
    [
      "report",
      {},
      (all) =>
        all.outcomeOf({
          get status() {
            return broken();
          },
        }),
    ],
    [
      "report",
      {},
      (all) => {
        expect(() => all.reported(broken)).toThrow(cause);
      },
    ],
  ])("which callback threw: %s, %#", (source, options, act) => {
    const { events, outcomes } = outcomesOf(options);
    act(outcomes);
    expect(events).toEqual([{ type: "fault", source, cause }]);
  });

  it("of a `report` that rejects, whose outcome is not known", async () => {
    const { events, outcomes } = outcomesOf();
    expect(outcomes.outcomeOf(Promise.reject(cause))).toMatchObject({ status: undefined });
    await Promise.resolve();
    await Promise.resolve();
    expect(events).toEqual([{ type: "fault", source: "report", cause }]);
  });

  it.each<[string | undefined, string | undefined, RateLimitInfo]>([
    ["q", "p", infoOf("q")],
    ["p", "p", infoOf(undefined)],
    [undefined, undefined, infoOf(undefined)],
  ])("that %s was exceeded, where the route is known to belong to %s", (policy, known, info) => {
    const state = newState();
    if (known !== undefined) namePolicy(state, "GET /a", known, 0);
    const { events, outcomes } = outcomesOf();
    recording(state, outcomes)(10, info, { status: 429 });
    expect(events).toEqual([{ type: "violation", policy }]);
  });

  it("that a guest's route was refused, and no guess by which policy", () => {
    const state = newState();
    const { events, outcomes } = outcomesOf();
    const info = infoOf("p", windowOf("account", 50, 10));
    recording(state, outcomes)(0, info, { status: 200 });
    const grant = grantOf(state, 1000, "GET /b");
    expect(grant.guestOf).toBe("p");
    const told = { outcome: { status: 429 }, info: infoOf(undefined), at: 1050 };
    outcomes.record(state, { size: 0 } as Turns, grant, told);
    expect(events).toEqual([{ type: "violation", policy: undefined }]);
  });
});

it("a request that was not sent is taken back, whatever it tells", () => {
  const state = newState();
  const { events, outcomes } = outcomesOf();
  recording(state, outcomes)(0, infoOf("p"), { status: 429, sent: false });
  expect([state.isHeard, state.routes.size, state.leases.size, events]).toEqual([false, 0, 0, []]);
});

it("a refusal of which nothing can be read is told as one of a known policy", () => {
  const state = newState();
  namePolicy(state, "GET /a", "p", 0);
  const { events, outcomes } = outcomesOf();
  const told = { outcome: { status: 429 }, info: undefined, at: 60 };
  outcomes.record(state, { size: 0 } as Turns, grantOf(state, 10), told);
  expect(events).toEqual([{ type: "violation", policy: "p" }]);
});

it("a guard is asked about statuses alone, and what it counts is recorded", () => {
  const asked: Array<unknown> = [];
  const counts = (status: number): boolean => {
    asked.push(status);
    return status === 404;
  };
  const state = newState();
  const record = recording(state, outcomesOf({ errors: { ...errors, counts } }).outcomes);
  for (const [index, status] of [undefined, 404, 200].entries())
    record(1000 * index, infoOf("p"), { status });
  expect(asked).toEqual([404, 200]);
  expect(state.errors.times).toEqual([1050]);
});

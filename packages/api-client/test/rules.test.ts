import { Effect, Fiber, Stream } from "effect";
import { describe, expect, it } from "vitest";
import type { FilterCreate } from "@game-data/contract";
import { ladderEntries, pushFilter } from "../src/internal/helpers.ts";
import { refusalOf, remember } from "../src/internal/House.ts";
import { judge } from "../src/internal/judge.ts";
import { settle } from "../src/internal/Learner.ts";
import { limitRouteOf } from "../src/internal/Operations.ts";
import { begin, prune } from "../src/internal/Planner.ts";
import { unknownPolicy } from "../src/internal/PolicyState.ts";
import { park, WaitQueues } from "../src/internal/WaitQueue.ts";
import { multiWindow } from "../src/RateLimitDialect.ts";

const rules = { invalidLimit: 2, invalidPeriod: 1000, edgeCooldown: 5000 };

describe("the house", () => {
  it("opens again when the oldest of too many refusals is over", () => {
    const one = remember(undefined, 100, rules, { status: 404 });
    expect(refusalOf(one, 100, rules, "p")).toBeUndefined();
    const two = remember(one, 300, rules, { status: 403 });
    expect(refusalOf(two, 300, rules, "p")).toMatchObject({
      reason: "invalid-requests",
      retryAt: 1100,
    });
    expect(refusalOf(two, 1100, rules, "p")).toBeUndefined();
  });

  it("does not count a firewall's block as a refusal", () => {
    const blocked = remember(undefined, 0, rules, { status: 403, edge: true });
    expect(refusalOf(blocked, 4999, rules, "p")).toMatchObject({ reason: "edge", retryAt: 5000 });
    expect(blocked.invalid).toEqual([]);
  });
});

describe("the queue", () => {
  const enter = (queues: WaitQueues) => {
    const waiter = queues.arrive(0);
    queues.enter(waiter, "k");
    return waiter;
  };

  it("wakes the next one when the first leaves, also one that does not listen yet", async () => {
    const queues = new WaitQueues();
    const [first, second, third] = [enter(queues), enter(queues), enter(queues)];
    const parked = Effect.runFork(park(second, Number.POSITIVE_INFINITY));
    queues.leave(first);
    await Effect.runPromise(Effect.timeout(Fiber.join(parked), "5 seconds"));
    queues.leave(second);
    await Effect.runPromise(Effect.timeout(park(third, Number.POSITIVE_INFINITY), "5 seconds"));
    expect(queues.isNext(third)).toBe(true);
  });

  it("wakes one after the other when they turn out to belong elsewhere", async () => {
    const queues = new WaitQueues();
    const waiters = [enter(queues), enter(queues), enter(queues)];
    queues.wakeNext();
    for (const waiter of waiters) {
      await Effect.runPromise(Effect.timeout(park(waiter, Number.POSITIVE_INFINITY), "5 seconds"));
      queues.enter(waiter, "elsewhere");
    }
    expect(queues.isAwaited("k")).toBe(false);
    expect(queues.size).toBe(3);
  });
});

describe("what an answer teaches", () => {
  const outcome = (status: number, headers: Record<string, string> = {}) => ({
    id: "a",
    now: 1000,
    sentAt: 900,
    status,
    reading: multiWindow.read(headers, 1000),
    counted: true,
    suspectOf: () => 5000,
  });

  it("a restriction holds for a second longer than said, as headers round", () => {
    const state = settle(
      unknownPolicy("p"),
      outcome(200, {
        "x-rate-limit-rules": "client",
        "x-rate-limit-client": "5:10:60",
        "x-rate-limit-client-state": "1:10:7",
      }),
    );
    expect(state.holdUntil).toBe(1000 + 7000 + 1000);
  });

  it("a failing server's answer does not end a row of 429s", () => {
    const refused = settle(unknownPolicy("p"), outcome(429));
    expect(settle(refused, outcome(503)).violations).toBe(1);
    expect(settle(refused, outcome(200)).violations).toBe(0);
  });

  it("a request that outlived its lease is taken for counted at its end", () => {
    const options = { id: "a", now: 0, lease: 100, silentConcurrency: 1, counted: true };
    const { state } = begin(unknownPolicy("p"), options);
    expect(prune(state, 99).hits).toMatchObject([{ id: "a" }]);
    expect(prune(state, 99).hits[0]?.settled).toBeUndefined();
    const [window] = settle(
      state,
      outcome(200, {
        "x-rate-limit-rules": "client",
        "x-rate-limit-client": "5:10:60",
      }),
    ).windows;
    const learned = { ...state, windows: window ? [window] : [] };
    expect(prune(learned, 100).hits).toMatchObject([{ settled: 100, uncertain: true }]);
  });

  it("a browser's hidden redirect is a redirect", () => {
    const about = { operation: "o", route: "GET /x", attempts: 1 };
    const refused = {
      status: 0,
      headers: {},
      body: "",
      now: 0,
      retryAfter: undefined,
      scopesNeeded: [],
      scopesGranted: undefined,
    };
    expect(judge(about, refused)).toMatchObject({ _tag: "Transport", phase: "redirect" });
  });
});

it("a filter that is pushed as private says nothing of that to one that exists", async () => {
  const said: Array<unknown> = [];
  const existing = { id: "1", filter_name: "F", realm: "pc" } as never;
  const push = pushFilter({
    list: () => Effect.succeed([existing]),
    create: () => Effect.die("created"),
    update: (id, changes) => {
      said.push([id, changes]);
      return Effect.succeed({ status: "updated" as const, filter: existing });
    },
  });
  const filter: FilterCreate = { filter_name: "F", realm: "pc", filter: "Show" };
  await Effect.runPromise(push({ ...filter, public: false }));
  await Effect.runPromise(push({ ...filter, public: true }));
  expect(said).toEqual([
    ["1", filter],
    ["1", { ...filter, public: true }],
  ]);
});

it("a ladder ends with the 15 000 entries that it shows, whatever its total says", async () => {
  const offsets: Array<number> = [];
  const entries = ladderEntries(({ offset = 0 }: { offset?: number; limit?: number }) => {
    offsets.push(offset);
    return Effect.succeed({ total: 90_000, entries: Array.from({ length: 500 }, () => offset) });
  }, 500);
  await Effect.runPromise(Stream.runDrain(entries({ offset: 14_000 })));
  expect(offsets).toEqual([14_000, 14_500]);
});

it("the two games have limits of their own, and consoles share those of their game", () => {
  expect(["pc", "console_a", undefined, "game2"].map((realm) => limitRouteOf("r", realm))).toEqual([
    "r",
    "r",
    "r",
    "r game2",
  ]);
});

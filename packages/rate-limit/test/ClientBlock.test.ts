import { Effect, Fiber } from "effect";
import { describe, expect, it } from "vitest";
import { blockReason, recordError } from "../src/internal/ClientBlock.ts";
import { settle } from "../src/internal/observeResponse.ts";
import { begin, prune } from "../src/internal/Planner.ts";
import { unknownPolicy } from "../src/internal/PolicyState.ts";
import { waitForWake, WaitQueues } from "../src/internal/WaitQueues.ts";
import { xRateLimit } from "../src/RateLimitDialect.ts";

const rules = { maxClientErrors: 2, clientErrorWindow: 1000, firewallCooldown: 5000 };

describe("the client block", () => {
  it("opens again when the oldest of too many refusals is over", () => {
    const one = recordError(undefined, 100, rules, { status: 404 });
    expect(blockReason(one, 100, rules, "p")).toBeUndefined();
    const two = recordError(one, 300, rules, { status: 403 });
    expect(blockReason(two, 300, rules, "p")).toMatchObject({
      kind: "too-many-errors",
      until: 1100,
    });
    expect(blockReason(two, 1100, rules, "p")).toBeUndefined();
  });

  it("does not count a firewall's block as a refusal", () => {
    const blocked = recordError(undefined, 0, rules, { status: 403, isFirewallBlock: true });
    expect(blockReason(blocked, 4999, rules, "p")).toMatchObject({ kind: "firewall", until: 5000 });
    expect(blocked.invalid).toEqual([]);
  });
});

describe("the queue", () => {
  const enter = (queues: WaitQueues) => {
    const waiter = queues.create(0);
    queues.enqueue(waiter, "k");
    return waiter;
  };

  it("wakes the next one when the first leaves, also one that does not listen yet", async () => {
    const queues = new WaitQueues();
    const [first, second, third] = [enter(queues), enter(queues), enter(queues)];
    const parked = Effect.runFork(waitForWake(second, Number.POSITIVE_INFINITY));
    queues.remove(first);
    await Effect.runPromise(Effect.timeout(Fiber.join(parked), "5 seconds"));
    queues.remove(second);
    await Effect.runPromise(
      Effect.timeout(waitForWake(third, Number.POSITIVE_INFINITY), "5 seconds"),
    );
    expect(queues.isHead(third)).toBe(true);
  });

  it("wakes one after the other when they turn out to belong elsewhere", async () => {
    const queues = new WaitQueues();
    const waiters = [enter(queues), enter(queues), enter(queues)];
    queues.wakeHeads();
    for (const waiter of waiters) {
      await Effect.runPromise(
        Effect.timeout(waitForWake(waiter, Number.POSITIVE_INFINITY), "5 seconds"),
      );
      queues.enqueue(waiter, "elsewhere");
    }
    expect(queues.hasWaiters("k")).toBe(false);
    expect(queues.size).toBe(3);
  });
});

describe("what an answer teaches", () => {
  const outcome = (status: number, headers: Record<string, string> = {}) => ({
    id: "a",
    now: 1000,
    sentAt: 900,
    status,
    reading: xRateLimit.read(headers, 1000),
    counted: true,
    assumedBucketOf: () => 5000,
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
    const options = { id: "a", now: 0, lease: 100, concurrencyWithoutHeaders: 1, counted: true };
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
});

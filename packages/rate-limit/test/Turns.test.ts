/** Waiting costs the same for each request, however many wait. */
import { describe, expect, it } from "vitest";
import { Queue } from "../src/core/Queue.ts";
import { Heap } from "../src/core/heap.ts";
import { queueOptions } from "../src/limiterOptions.ts";
import { ModelServer } from "./model/Server.ts";
import { virtualClock } from "./model/queueTrace.ts";
import { generator } from "./model/simulate.ts";

/** Plans for all requests, by the number of times that the rule of a window is looked at. */
const plansOf = async (users: number, calls: number) => {
  const { clock, pass } = virtualClock();
  const options = queueOptions({ maxWait: Infinity, maxInFlight: 100_000, bucketSizes: [] });
  let plans = 0;
  const isShared = (): boolean => {
    plans++;
    return false;
  };
  const queue: Queue = new Queue({ ...options, core: { ...options.core, isShared } }, clock);
  const server = new ModelServer({
    policies: [{ name: "p", windows: [{ rule: "account", max: 5, period: 1000, bucket: 0 }] }],
    random: generator(1),
  });
  let served = 0;
  for (let call = 0; call < calls; call++)
    queue.submit(
      { route: "GET /a", identity: String(call % users) },
      {
        granted: (_, grant) => {
          served++;
          void queue.settle(grant, server.handle(clock.now(), grant));
        },
        refused: ({ kind }) => expect.unreachable(kind),
        failed: (cause) => expect.unreachable(String(cause)),
      },
    );
  await pass((calls / users / 5 + 2) * 1100);
  expect([served, server.violations]).toEqual([calls, 0]);
  return plans / calls;
};

describe("the order of waiting requests", () => {
  it("looks at no more windows for a request among 1,000 users than among 100", async () => {
    const few = await plansOf(100, 1000);
    const many = await plansOf(1000, 10_000);
    expect(many).toBeLessThanOrEqual(1.5 * few);
  });

  it("plans nothing for a request that stands behind others", async () => {
    const few = await plansOf(1, 10);
    const many = await plansOf(1, 200);
    expect(many).toBeLessThanOrEqual(1.5 * few);
  });
});

/** The CPU time of lining so many requests up. */
const cpuOf = (calls: number): number => {
  const queue = new Queue(queueOptions({ maxWait: Infinity }), virtualClock().clock);
  const nothing = { granted: () => undefined, refused: () => undefined, failed: () => undefined };
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) queue.submit({ route: "GET /a" }, nothing);
  return process.cpuUsage(before).user;
};

it("lines 100,000 requests up for about what eight times 12,500 cost", () => {
  const ratios = [1, 2, 3].map(() => {
    const few = Array.from({ length: 8 }, () => cpuOf(12_500));
    return cpuOf(100_000) / few.reduce((sum, each) => sum + each);
  });
  // A cost that grows with those who wait would give eight.
  expect(Math.min(...ratios)).toBeLessThan(2);
});

describe("a heap", () => {
  it("gives its items in order, whichever moved or left", () => {
    const random = generator(3);
    const heap = new Heap<{ slot: number; value: number }>((a, b) => a.value < b.value);
    const inside = new Set<{ slot: number; value: number }>();
    for (let step = 0; step < 1500; step++) {
      const [any] = [...inside].slice(Math.floor(random() * inside.size));
      const draw = random();
      if (draw < 0.5 || !any) {
        const item = { slot: -1, value: random() };
        inside.add(item);
        heap.push(item);
      } else if (draw < 0.7) {
        any.value = random();
        heap.move(any);
      } else if (draw < 0.99) {
        inside.delete(any);
        heap.remove(any);
        expect(any.slot).toBe(-1);
      } else
        heap.renew((item) => {
          item.value = random();
        });
      const least = [...inside].toSorted((a, b) => a.value - b.value)[0];
      expect(heap.first).toBe(least);
    }
  });
});

/** Waiting costs the same for each request, however many wait. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Queue } from "../src/core/Queue.ts";
import { Heap } from "../src/core/heap.ts";
import type { Grant } from "../src/core/State.ts";
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
    for (let step = 0; step < 400; step++) {
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

/** A request that waits, as a scheduler sees it that looks at all of them each time. */
interface Waiting {
  readonly id: number;
  readonly group: string;
  readonly priority: number;
  readonly since: number;
  readonly deadline: number;
}

const AGEING = 30_000;

/** The scheduler: class, then who was served least recently, then who came first. */
const plainScheduler = () => {
  let waiting: ReadonlyArray<Waiting> = [];
  let serial = 0;
  const servedAt = new Map<string, number>();
  const keep = (keeps: (one: Waiting) => boolean): ReadonlyArray<Waiting> => {
    const gone = waiting.filter((one) => !keeps(one));
    waiting = waiting.filter(keeps);
    const left = new Set(waiting.map(({ group }) => group));
    for (const group of servedAt.keys()) if (!left.has(group)) servedAt.delete(group);
    return gone;
  };
  return {
    waiting: () => waiting,
    add: (one: Waiting) => (waiting = [...waiting, one]),
    keep,
    /** Takes out who is next. */
    take: (now: number): number | undefined => {
      const heads = [...Map.groupBy(waiting, ({ group }) => group).values()].map(
        (group) =>
          group.toSorted(
            (a, b) =>
              b.priority * AGEING - b.since - (a.priority * AGEING - a.since) || a.id - b.id,
          )[0]!,
      );
      const classOf = ({ priority, since }: Waiting) =>
        priority + Math.floor((now - since) / AGEING);
      const served = ({ group }: Waiting) => servedAt.get(group) ?? -1;
      const [next] = heads.toSorted(
        (a, b) => classOf(b) - classOf(a) || served(a) - served(b) || a.id - b.id,
      );
      if (!next) return undefined;
      servedAt.set(next.group, serial++);
      keep(({ id }) => id !== next.id);
      return next.id;
    },
  };
};

/** Times are multiples of this, so that classes are always looked at anew. */
const STEP = 2000;

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom("submit", "submit", "submit", "settle", "settle", "leave"),
    pick: fc.nat(),
    priority: fc.constantFrom(0, 0, 0, 1, 2),
    group: fc.nat({ max: 3 }),
    wait: fc.constantFrom(Infinity, Infinity, Infinity, 0, 4, 20),
    pass: fc.constantFrom(0, 0, 0, 0, 1, 7, 16),
  }),
  { minLength: 60, maxLength: 120 },
);

const request = ({ group, priority }: { readonly group: number; readonly priority: number }) => ({
  route: `GET /${group >> 1}`,
  identity: `${group & 1}`,
  priority,
});

describe("requests that wait", () => {
  it("for one in flight go in the order of a plain scheduler, and leave at their deadlines", async () => {
    const property = fc.asyncProperty(steps, async (list) => {
      const { clock, pass } = virtualClock();
      const options = { maxInFlight: 1, inFlightTimeout: 1e9, bucketSizes: [] };
      const queue = new Queue(queueOptions(options), clock);
      const model = plainScheduler();
      const seen: Array<string> = [];
      const expected: Array<string> = [];
      const leaves = new Map<number, () => void>();
      let flying: Grant | undefined;
      let isFlying = false;
      const next = (): void => {
        if (isFlying) return;
        const id = model.take(clock.now());
        isFlying = id !== undefined;
        if (isFlying) expected.push(`${clock.now()} ${id} goes`);
      };
      const expire = (from: number): void => {
        const late = model.keep(({ deadline }) => deadline > clock.now());
        const times = late.map(({ deadline, id }) => `${Math.max(from, deadline)} ${id} is late`);
        expected.push(...times);
      };
      for (const [id, step] of list.entries()) {
        const from = clock.now();
        await pass(step.pass * STEP);
        expire(from);
        if (step.kind === "submit") {
          const maxWait = step.wait * STEP;
          const since = clock.now();
          const { identity, priority, route } = request(step);
          const group = `${identity} ${route}`;
          model.add({ id, group, priority, since, deadline: since + maxWait });
          const leave = queue.submit(
            { route, identity, priority, maxWait },
            {
              granted: (_, grant) => {
                flying = grant;
                seen.push(`${clock.now()} ${id} goes`);
              },
              refused: ({ inFlight }) => {
                expect(inFlight?.count).toBe(1);
                seen.push(`${clock.now()} ${id} is late`);
              },
              failed: (cause) => expect.unreachable(String(cause)),
            },
          );
          leaves.set(id, leave);
          next();
          expire(since);
        } else if (step.kind === "settle" && flying) {
          const grant = flying;
          flying = undefined;
          isFlying = false;
          await queue.settle(grant, { status: 200 });
          next();
        } else if (step.kind === "leave") {
          const all = model.waiting();
          const gone = all[step.pick % (all.length || 1)];
          model.keep((one) => one !== gone);
          if (gone) leaves.get(gone.id)!();
        }
        expect(seen.toSorted()).toEqual(expected.toSorted());
        expect(queue.waiting()).toBe(model.waiting().length);
      }
    });
    await fc.assert(property, { numRuns: 25, seed: 5, endOnFailure: true });
  });

  it("for one window go in the order of a plain scheduler", async () => {
    const property = fc.asyncProperty(steps, async (list) => {
      const { clock, pass } = virtualClock();
      const queue = new Queue(queueOptions({ maxWait: Infinity, bucketSizes: [] }), clock);
      const model = plainScheduler();
      const leaves = new Map<number, () => void>();
      for (const [id, step] of list.entries()) {
        await pass(step.pass * STEP);
        if (step.kind === "leave") {
          const all = model.waiting();
          const gone = all[step.pick % (all.length || 1)];
          model.keep((one) => one !== gone);
          if (gone) leaves.get(gone.id)!();
        } else {
          const { group, priority } = step;
          const identity = `${group}`;
          const since = clock.now();
          model.add({ id, group: identity, priority, since, deadline: Infinity });
          const leave = queue.submit(
            { route: "GET /a", identity, priority },
            {
              granted: (_, grant) => {
                expect(id).toBe(model.take(clock.now()));
                const headers = {
                  "x-rate-limit-policy": "p",
                  "x-rate-limit-rules": "client",
                  "x-rate-limit-client": "1:9:60",
                  "x-rate-limit-client-state": "1:9:0",
                };
                void queue.settle(grant, { status: 200, headers });
              },
              refused: ({ kind }) => expect.unreachable(kind),
              failed: (cause) => expect.unreachable(String(cause)),
            },
          );
          leaves.set(id, leave);
        }
        expect(queue.waiting()).toBe(model.waiting().length);
      }
      await pass(list.length * 10_000);
      expect(model.waiting()).toEqual([]);
    });
    await fc.assert(property, { numRuns: 25, seed: 5, endOnFailure: true });
  });
});

it("keeps fewer of those that left than wait still", () => {
  const queue = new Queue(queueOptions({ maxInFlight: 1 }), virtualClock().clock);
  const nothing = { granted: () => undefined, refused: () => undefined, failed: () => undefined };
  queue.submit({ route: "GET /a" }, nothing);
  const leaves = Array.from({ length: 40 }, () => queue.submit({ route: "GET /a" }, nothing));
  const [group] = queue.groups.values();
  const kept = leaves.slice(4, 37).map((leave) => {
    leave();
    const { first, gone, waiters } = group!;
    const waiting = waiters.filter(({ state }) => state === "waiting");
    expect([waiting.length, first]).toEqual([queue.waiting(), 0]);
    expect(waiters.length - waiting.length).toBe(gone);
    return gone;
  });
  const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);
  // 20 of 40 may stay, and then 9 of 19.
  expect(kept).toEqual([...upTo(20), 0, ...upTo(9), 0, 1, 2]);
  // Those before the first one that waits are not looked at again.
  for (const leave of leaves.slice(0, 4)) leave();
  expect([group!.first, group!.gone, queue.waiting()]).toEqual([1, 1, 3]);
  for (const leave of leaves) leave();
  expect([queue.waiting(), queue.groups.size]).toEqual([0, 0]);
});

describe("a request that would wait too long", () => {
  /** Two requests in ten seconds, of which both have gone. */
  const start = async () => {
    const { clock, pass } = virtualClock();
    const queue = new Queue(queueOptions({ bucketSizes: [] }), clock);
    const log: Array<string> = [];
    const began = clock.now();
    const call = (name: string, maxWait: number, priority = 0) =>
      queue.submit(
        { route: "GET /a", maxWait, priority },
        {
          granted: (_, grant) => {
            log.push(`${name} goes`);
            const headers = {
              "x-rate-limit-policy": "p",
              "x-rate-limit-rules": "client",
              "x-rate-limit-client": "2:10:60",
            };
            void queue.settle(grant, { status: 200, headers });
          },
          refused: ({ inFlight, policy, retryAfterMillis, rule }) => {
            expect([inFlight, policy, rule]).toEqual([undefined, "p", "client"]);
            const seconds = Math.round((clock.now() - began) / 1000);
            log.push(
              `${name} is refused at ${seconds}, for ${Math.round(retryAfterMillis / 1000)}`,
            );
          },
          failed: (cause) => expect.unreachable(String(cause)),
        },
      );
    for (const name of ["first", "second"]) call(name, 0);
    await pass(1);
    expect(log.splice(0)).toEqual(["first goes", "second goes"]);
    return { call, log, pass };
  };

  it("is refused at once, and none later", async () => {
    const { call, log, pass } = await start();
    for (let index = 0; index < 6; index++) call(`${index}`, 25_000);
    expect(log.splice(0)).toEqual(["4 is refused at 0, for 30", "5 is refused at 0, for 30"]);
    await pass(60_000);
    expect(log).toEqual(["0 goes", "1 goes", "2 goes", "3 goes"]);
  });

  it("is refused as soon as a higher priority takes its place", async () => {
    const { call, log, pass } = await start();
    for (const name of ["a", "b", "c", "d"]) call(name, 25_000);
    await pass(2000);
    call("high", 25_000, 1);
    expect(log.splice(0)).toEqual(["d is refused at 2, for 28"]);
    await pass(60_000);
    expect(log).toEqual(["high goes", "a goes", "b goes", "c goes"]);
  });

  it("is refused by those who still wait before it, whoever has left behind it", async () => {
    const { call, log, pass } = await start();
    call("first", Infinity);
    call("short", 15_000);
    call("last", Infinity)();
    await pass(1000);
    call("high", Infinity, 1);
    expect(log).toEqual(["short is refused at 1, for 19"]);
  });

  it("is measured by those who still wait before it", async () => {
    const { call, log, pass } = await start();
    const leaves = Array.from({ length: 6 }, (_, index) => call(`${index}`, Infinity));
    for (const leave of leaves.slice(1, 5)) leave();
    call("short", 15_000);
    expect(log.splice(0)).toEqual(["short is refused at 0, for 20"]);
    call("long", 25_000);
    await pass(60_000);
    expect(log).toEqual(["0 goes", "5 goes", "long goes"]);
  });
});

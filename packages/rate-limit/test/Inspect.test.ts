/** Snapshots, forecasts and explanations say what the queue then does. */
import { describe, expect, it } from "vitest";
import type { Queue } from "../src/core/Queue.ts";
import { newState } from "../src/core/State.ts";
import { explain, forecast, snapshot } from "../src/inspect.ts";
import type { LimiterOptions } from "../src/limiterOptions.ts";
import type { RequestOutcome } from "../src/Model.ts";
import type { Store } from "../src/Store.ts";
import { freeze, thaw } from "../src/store/knowledge.ts";
import { startQueue } from "./model/startQueue.ts";

const where = { route: "GET /a" };

/** `outcome` answers after a millisecond, without one a request hangs. */
const start = (options: LimiterOptions = {}) => {
  const { call: submit, clock, pass, queue, refused } = startQueue(options);
  const grantedAt: Array<number> = [];
  const call = (outcome?: RequestOutcome, maxWait?: number) =>
    submit(where.route, maxWait, (grant) => {
      grantedAt.push(clock.now());
      if (outcome) clock.schedule(1, () => void queue.settle(grant, outcome));
    });
  const send = async (count: number, outcome: RequestOutcome = { status: 200 }) => {
    for (let index = 0; index < count; index++) {
      call(outcome);
      await pass(2);
    }
  };
  return { call, clock, grantedAt, pass, queue, refused, send };
};

describe("stated limits", () => {
  it("are in the snapshot, before the first response and as a refusal lowers them", async () => {
    const { queue, send } = start({ limits: ["10 per 2s"] });
    const stated = async () => {
      const { limits, policies } = await snapshot({ queue }, where);
      return [limits, ...policies.map(({ name, windows }) => [name, ...windows])];
    };
    const window = { rule: "client", max: 10, periodMillis: 2000 };
    expect(await stated()).toMatchObject(["learned", ["*", { ...window, used: 0 }]]);
    await send(4);
    expect(await stated()).toMatchObject(["learned", ["*", { ...window, used: 4 }]]);
    await send(1, { status: 429, headers: {} });
    expect(await stated()).toMatchObject(["learned", ["*", { ...window, max: 9 }]]);
  });

  it.each([
    ["reordered", ["1000 per 1h", "10 per 60s"], 0, 0],
    ["appended", ["10 per 60s", "1000 per 1h"], 0, 0],
    ["lowered", ["5 per 60s"], 0, 0],
    ["raised", ["20 per 60s"], 10, 10],
    ["stated twice", ["15 per 60s", "12 per 1m"], 2, 2],
    ["others", ["1000 per 1h"], 0, 20],
  ])(
    "%s keep what was counted, beside a limiter and after it",
    async (_, limits, beside, after) => {
      const state = newState();
      const first = start({ store: { open: () => ({ state }) }, limits: ["10 per 60s"] });
      await first.send(12);
      expect(first.grantedAt).toHaveLength(10);
      const { clock } = first;
      const saved = JSON.stringify(freeze(state, clock.now(), clock.wall()));
      const next = start({ store: { open: () => ({ state }) }, limits });
      await next.pass(clock.now() - next.clock.now());
      await next.send(20);
      expect(next.grantedAt).toHaveLength(beside);
      const later: Store = {
        open: ({ clock: { now, wall }, core }) => ({
          state: thaw(JSON.parse(saved), now(), wall(), core)!,
        }),
      };
      const last = start({ store: later, limits });
      await last.send(20);
      expect(last.grantedAt).toHaveLength(after);
    },
  );

  it("are in the forecast, and requests go as foretold", async () => {
    const { call, grantedAt, pass, queue, send } = start({ limits: ["10 per 2s"] });
    await send(10);
    const { known, startsInMillis } = await forecast({ queue }, where, 12);
    expect(known).toBe(true);
    const now = queue.now();
    for (let index = 0; index < 12; index++) call({ status: 200 });
    await pass(10_000);
    const foretold = startsInMillis.map((millis) => now + millis);
    expect(grantedAt.slice(10)).toHaveLength(12);
    for (const [index, at] of grantedAt.slice(10).entries())
      expect(Math.abs(at - foretold[index]!)).toBeLessThan(100);
  });

  it("hold a request until the time that is explained, whenever one asks", async () => {
    const { call, clock, grantedAt, pass, queue, send } = start({ limits: ["4 per 3s"] });
    await send(4);
    call({ status: 200 });
    const told: Array<number> = [];
    for (const millis of [6, 600, 1000]) {
      await pass(millis);
      const [why] = explain({ queue });
      expect(why).toMatchObject({ reason: "window", rule: "client", periodMillis: 3000 });
      told.push(why!.until! - clock.wall() + clock.now());
    }
    await pass(3000);
    for (const at of told) expect(Math.abs(at - grantedAt[4]!)).toBeLessThan(5);
  });
});

describe("a forecast", () => {
  it("far ahead takes no request out of the windows", async () => {
    const { queue, send } = start({ limits: ["4 per 3s"] });
    await send(4);
    const used = async () => (await snapshot({ queue }, where)).policies[0]?.windows[0]?.used;
    await forecast({ queue }, where, 100);
    expect(await used()).toBe(4);
  });

  const first = async (queue: Queue) =>
    (await forecast({ queue }, where, 2)).startsInMillis.map(Math.round);

  it("waits for the end of a firewall's block", async () => {
    const { call, queue, refused, send } = start({ firewallCooldown: 900_000 });
    await send(1, { status: 403, isFirewallBlock: true });
    call();
    const left = Math.round(refused[0]!.retryAfterMillis);
    expect(left).toBeGreaterThan(899_000);
    expect(await first(queue)).toEqual([left, left]);
  });

  it("spreads requests of a route that was rejected", async () => {
    const spread = start({ maxClientErrors: 4, clientErrorWindow: 60_000 });
    await spread.send(2, { status: 404 });
    const next = await first(spread.queue);
    const now = spread.queue.now();
    for (let index = 0; index < 2; index++) spread.call({ status: 200 }, 100_000);
    await spread.pass(100_000);
    const went = spread.grantedAt.slice(2).map((at) => Math.round(at - now));
    expect(went[0]).toBeGreaterThan(1000);
    expect(next).toEqual(went);
  });

  it("knows no end of a pause", async () => {
    const { queue, send } = start();
    await send(1);
    queue.pause();
    expect(await first(queue)).toEqual([Infinity, Infinity]);
    queue.resume();
    expect(await first(queue)).toEqual([0, 0]);
  });

  it("waits for a place where `maxInFlight` are in flight: as long as others took", async () => {
    const { call, pass, queue, refused, send } = start({ maxInFlight: 2, inFlightTimeout: 5000 });
    await send(1);
    call();
    expect(await first(queue)).toEqual([0, 0]);
    call();
    expect(await first(queue)).toEqual([1, 1]);
    // They are overdue, so their places come back when they are lost.
    await pass(1000);
    call(undefined, 0);
    await pass(1);
    expect(await first(queue)).toEqual([3999, 3999]);
    expect(refused[0]!.retryAfterMillis).toBe(4000);
  });
});

describe("an explanation", () => {
  it("names no time while the limiter is paused", async () => {
    const { call, pass, queue, send } = start({ limits: ["1 per 5s"] });
    await send(1);
    call();
    await pass(10);
    expect(explain({ queue })[0]!.until).toBeDefined();
    queue.pause();
    expect(explain({ queue })).toMatchObject([{ reason: "paused", until: undefined }]);
  });
});

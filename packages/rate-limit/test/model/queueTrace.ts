/**
 * A queue in virtual time: every grant and every refusal of one fixed afternoon, as text. Requests
 * of three users and three priorities, responses that are errors, a firewall, and a file that is
 * saved.
 */
import { Queue } from "../../src/core/Queue.ts";
import { queueOptions } from "../../src/limiterOptions.ts";
import type { LimiterOptions } from "../../src/limiterOptions.ts";
import { newState } from "../../src/core/State.ts";
import type { RequestOutcome } from "../../src/Model.ts";
import { persistentStore } from "../../src/store/persistent.ts";
import type { Clock } from "../../src/Store.ts";
import { ModelServer } from "./Server.ts";
import { plannerTraces } from "./plannerTrace.ts";
import type { Trace } from "./plannerTrace.ts";
import { generator } from "./simulate.ts";
import { sliding } from "./sliding.ts";

interface Timer {
  readonly at: number;
  readonly wake: () => void;
}

/** So many timers may ring at one time. */
const MOST_AT_ONCE = 10_000;

/** A clock that moves only when it is told. */
export const virtualClock = (step = 0) => {
  let now = 1000;
  let timers: Array<Timer> = [];
  const flush = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const clock: Clock = {
    now: () => now,
    wall: () => now + 1_700_000_000_000,
    schedule: (millis, wake) => {
      const timer = { at: now + millis, wake };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  };
  return {
    clock,
    pass: async (millis: number): Promise<void> => {
      const end = now + millis;
      let still = 0;
      for (;;) {
        await flush();
        const next = timers.toSorted((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        // Timers that are set for a time that has come, again and again, would spin.
        still = next.at > now ? 0 : still + 1;
        if (still > MOST_AT_ONCE) throw new Error(`the clock stands still at ${now}`);
        now = Math.max(now, step > 0 ? Math.ceil(next.at / step) * step : next.at);
        timers = timers.filter((each) => each !== next);
        next.wake();
      }
      now = end;
      await flush();
    },
  };
};

type Answer = (now: number, route: string, identity: string) => RequestOutcome;

/** Submits requests and writes down what becomes of them. */
const driver = (options: LimiterOptions, answer: Answer, latency = 50) => {
  const lines: Array<string> = [];
  const { clock, pass } = virtualClock();
  const watched: Clock = {
    ...clock,
    schedule: (millis, wake) => {
      if (millis > 1_000_000_000) lines.push(`timer ${millis}`);
      return clock.schedule(millis, wake);
    },
  };
  const queue: Queue = new Queue(queueOptions(options), watched);
  const send = (
    name: string,
    request: { route: string; identity?: string; priority?: number; maxWait?: number },
  ): void => {
    queue.submit(request, {
      granted: ({ waitedMillis }, grant) => {
        lines.push(`${clock.now().toFixed(1)} ${name} granted after ${waitedMillis.toFixed(1)}`);
        clock.schedule(latency, () => {
          const outcome = answer(clock.now(), grant.route, grant.identity);
          queue.settle(grant, outcome)?.catch(() => undefined);
        });
      },
      refused: ({ kind, retryAfterMillis }) =>
        lines.push(`${clock.now().toFixed(1)} ${name} ${kind} ${retryAfterMillis.toFixed(1)}`),
      failed: (cause) => lines.push(`${clock.now()} ${name} failed ${String(cause)}`),
    });
  };
  return { lines, pass, send, queue };
};

const windows = (max: number, period: number): Answer => {
  const server = new ModelServer({
    policies: [{ name: "p", windows: [{ rule: "account", max, period, bucket: 0 }] }],
    random: generator(1),
  });
  return (now, route, identity) => server.handle(now, { route, identity });
};

export const turns = async (): Promise<Trace> => {
  const { lines, pass, send } = driver({ maxWait: 120_000, reserve: { 5: 1 } }, windows(4, 10_000));
  for (let index = 0; index < 12; index++)
    send(`slow ${index}`, { route: "GET /a", identity: `u${index % 3}` });
  await pass(7000);
  for (let index = 0; index < 30; index++) {
    send(`next ${index}`, { route: "GET /a", identity: "u0", priority: 1 });
    if (index % 6 === 0) send(`first ${index}`, { route: "GET /a", identity: "u1", priority: 5 });
    await pass(3100);
  }
  send("hasty", { route: "GET /a", identity: "u2", maxWait: 1500 });
  await pass(100_000);
  return lines;
};

const errors = async (): Promise<Trace> => {
  let status = 404;
  const { lines, pass, send } = driver({ maxWait: 900_000 }, (_now, route) => ({
    status: route === "GET /bad" ? status : 200,
    headers: {},
    isFirewallBlock: route === "GET /wall",
  }));
  for (let index = 0; index < 62; index++) {
    send(`missing ${index}`, { route: "GET /bad" });
    await pass(1000);
  }
  send("other", { route: "GET /good" });
  await pass(700_000);
  status = 403;
  for (let index = 0; index < 61; index++) {
    send(`forbidden ${index}`, { route: "GET /bad" });
    await pass(11_000);
  }
  await pass(700_000);
  send("wall", { route: "GET /wall" });
  await pass(100);
  send("behind it", { route: "GET /good" });
  await pass(899_000);
  send("still behind it", { route: "GET /good" });
  await pass(2000);
  send("after it", { route: "GET /good" });
  await pass(1000);
  return lines;
};

const refusals = async (): Promise<Trace> => {
  const { lines, pass, send } = driver({ maxWait: 3_000_000, maxClientErrors: 1000 }, () => ({
    status: 429,
    headers: {},
  }));
  for (let index = 0; index < 12; index++) send(`refused ${index}`, { route: "GET /a" });
  await pass(4_000_000);
  return lines;
};

const saves = async (): Promise<Trace> => {
  const saved: Array<string> = [];
  const clocked: { now?: () => number } = {};
  const store = persistentStore({
    load: async () => undefined,
    save: async (_key, { policies }) => {
      saved.push(`${clocked.now!().toFixed(1)} saved ${policies.length}`);
    },
  });
  const { lines, pass, queue, send } = driver({ store }, windows(6, 10_000));
  clocked.now = () => queue.now();
  for (let index = 0; index < 5; index++) {
    send(`kept ${index}`, { route: "GET /a" });
    await pass(130);
  }
  await queue.close();
  return [...lines, ...saved];
};

const patience = async (): Promise<Trace> => {
  const { lines, pass, send } = driver({}, () => ({
    status: 429,
    headers: { "retry-after": "30" },
  }));
  for (const maxWait of [20_000, 20_000, 40_000, 10 ** 12])
    send(`patient ${maxWait}`, { route: "GET /a", maxWait });
  await pass(60_000);
  return lines;
};

/**
 * Requests that take no time, by a clock that moves 20 ms at a time: three callers for a minute, in
 * 6:2 and 10:4. Resolves with the requests that were served, and with those refused.
 */
export const coarseClock = async (): Promise<{ served: number; violations: number }> => {
  const service = sliding("p", [
    { max: 6, period: 2000 },
    { max: 10, period: 4000 },
  ]);
  const { clock, pass } = virtualClock(20);
  const queue = new Queue(queueOptions({ maxWait: 1e9, bucketSizes: [1000, 2000] }), clock);
  const call = (): void => {
    queue.submit(
      { route: "GET /a" },
      {
        granted: (_, grant) => {
          const answer = service.handle(clock.now());
          void Promise.resolve()
            .then(() => queue.settle(grant, answer))
            .then(call);
        },
        refused: ({ kind }) => {
          throw new Error(`a request was refused: ${kind}`);
        },
        failed: (cause) => {
          throw cause;
        },
      },
    );
  };
  for (let caller = 0; caller < 3; caller++) call();
  await pass(60_000);
  return { served: service.server.served, violations: service.server.violations };
};

/** A first response that never comes: the timer of what waits behind it. */
const forever = async (): Promise<Trace> => {
  const { lines, pass, queue } = driver(
    { maxWait: 10 ** 13, inFlightTimeout: 10 ** 13, maxInFlight: 1 },
    () => ({ status: 200 }),
  );
  const nothing = { granted: () => undefined, refused: () => undefined, failed: () => undefined };
  queue.submit({ route: "GET /a" }, nothing);
  queue.submit({ route: "GET /a" }, nothing);
  await pass(1000);
  return lines;
};

/** A store that never answers, and a clock that tells when its requests fail. */
const silence = async (): Promise<Trace> => {
  const never = new Promise<never>(() => undefined);
  const store = { open: () => ({ state: newState(), reserve: () => never }) };
  const { lines, pass, send } = driver({ store }, () => ({ status: 200 }));
  send("in vain", { route: "GET /a", maxWait: 1000 });
  await pass(60_000);
  return lines;
};

/** A store that never records: after how long the place of a request is free for the next one. */
const unrecorded = async (): Promise<Trace> => {
  const never = new Promise<never>(() => undefined);
  const store = { open: () => ({ state: newState(), settle: () => never }) };
  const { lines, pass, send } = driver({ store, maxInFlight: 1 }, () => ({ status: 200 }));
  for (const name of ["first", "second"]) send(name, { route: "GET /a" });
  await pass(60_000);
  return lines;
};

/** New routes beside one policy of an hour, and beside one of 15 s, of both of which little is left. */
const guests = async (): Promise<Trace> => {
  const all: Array<string> = [];
  for (const [max, period] of [
    [3, 3_600_000],
    [6, 15_000],
    [4, 2000],
  ] as const) {
    const { lines, pass, send } = driver({ maxWait: 600_000 }, windows(max, period));
    for (const route of ["GET /a", "GET /b", "GET /c", "GET /d", "GET /e", "GET /f", "GET /g"])
      send(route, { route });
    await pass(200_000);
    all.push(...lines);
  }
  return all;
};

/** Every scenario by its name. */
export const traces: Readonly<Record<string, () => Trace | Promise<Trace>>> = {
  turns,
  errors,
  refusals,
  saves,
  patience,
  forever,
  silence,
  unrecorded,
  guests,
  ...plannerTraces,
};

/**
 * Several processes on one budget in a simulated Redis, in virtual time. Each process has one
 * thread: messages that reach it while it is busy or paused wait, in order. Latencies, the cost of
 * each turn and the pauses come from a seed, so a run can be repeated.
 *
 * `node test/model/processes.ts [--seeds 10] [--first 1] [--machine NAME]`
 */
import { Queue } from "../../src/core/Queue.ts";
import type { Grant } from "../../src/core/State.ts";
import { queueOptions } from "../../src/limiterOptions.ts";
import type { Permit } from "../../src/Model.ts";
import { redisStore } from "../../src/redis/index.ts";
import type { Clock } from "../../src/Store.ts";
import { modelRedis } from "./redis.ts";
import { generator } from "./simulate.ts";
import { sliding } from "./sliding.ts";

/** The speed of a machine; times in milliseconds. */
export interface Machine {
  readonly name: string;
  /** One way to Redis or back, and to the service or back. */
  readonly toRedis: number;
  readonly toService: number;
  /** CPU time of one turn of a process; a process that has just started is slower by `cold`. */
  readonly turn: number;
  readonly cold: number;
  /** Mean length of the pauses and mean time between them; one in fifty is ten times as long. */
  readonly pause: number;
  readonly every: number;
  /** Processes start within this time. */
  readonly start: number;
}

export const machines: ReadonlyArray<Machine> = [
  {
    name: "calm",
    toRedis: 0.2,
    toService: 0.6,
    turn: 0.3,
    cold: 5,
    pause: 5,
    every: 500,
    start: 150,
  },
  { name: "busy", toRedis: 1, toService: 3, turn: 0.8, cold: 8, pause: 15, every: 100, start: 600 },
  {
    name: "crowded",
    toRedis: 3,
    toService: 8,
    turn: 1.5,
    cold: 10,
    pause: 40,
    every: 120,
    start: 3000,
  },
];

export interface Cluster {
  readonly machine: Machine;
  readonly seconds: number;
  readonly processes?: number;
  readonly windows?: ReadonlyArray<{ max: number; period: number; bucket?: number }>;
  /** The clocks of processes run fast or slow by up to this share. */
  readonly drift?: number;
}

export interface ClusterRun {
  readonly served: number;
  readonly violations: number;
  readonly share: number;
  /** The longest time in which a place was free and nobody used it. */
  readonly stall: number;
  /** Served by each process. */
  readonly each: ReadonlyArray<number>;
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

/** Events in the order of their times. */
const timeline = () => {
  const events: Array<Event> = [];
  return {
    add: (at: number, run: () => void): Event => {
      const event = { at, run };
      let index = events.length;
      while (index > 0 && events[index - 1]!.at > at) index--;
      events.splice(index, 0, event);
      return event;
    },
    remove: (event: Event): void => {
      const index = events.indexOf(event);
      if (index !== -1) events.splice(index, 1);
    },
    next: (): Event | undefined => events.shift(),
  };
};

/** The windows of the soak. */
export const SOAK = [
  { max: 20, period: 1000 },
  { max: 60, period: 4000 },
];

/** Runs a cluster whose processes call as fast as they may. */
export const runCluster = async (cluster: Cluster, seed: number): Promise<ClusterRun> => {
  const { drift = 0, machine, processes = 4, seconds, windows = SOAK } = cluster;
  const random = generator(seed * 7919 + 5);
  const exponential = (mean: number): number => -Math.log(1 - random()) * mean;
  /** Mostly near to the least, sometimes much more. */
  const latency = (least: number): number => least * (0.7 + exponential(0.5));
  const { add, next, remove } = timeline();
  const redis = modelRedis();
  const service = sliding("soak", windows, { penalty: 2000 });
  const end = seconds * 1000;
  const each = Array.from({ length: processes }, () => 0);
  let now = 0;
  let startedAt = Number.NaN;

  const process = (index: number): void => {
    const bornAt = random() * machine.start;
    let freeAt = bornAt;
    let pauseAt = bornAt + exponential(machine.every);
    let turns = 0;
    /** Replies come in the order of their commands. */
    let sentAt = 0;
    let repliedAt = 0;

    const turn = (at: number, run: () => void): Event => {
      const event = add(Math.max(at, freeAt), () => {
        while (pauseAt <= now) {
          const length = exponential(machine.pause) * (random() < 0.02 ? 10 : 1);
          freeAt = Math.max(freeAt, pauseAt + length);
          pauseAt += length + exponential(machine.every);
        }
        if (freeAt > now) {
          // Behind what waits already.
          (event as { later?: Event }).later = turn(freeAt, run);
          return;
        }
        const cold = 1 + machine.cold * Math.exp(-turns++ / 100);
        freeAt = now + machine.turn * cold * (0.5 + random());
        run();
      });
      return event;
    };
    const cancel = (event: Event & { later?: Event }): void => {
      remove(event);
      if (event.later) cancel(event.later);
    };

    const send = (command: ReadonlyArray<string>): Promise<unknown> =>
      new Promise((resolve) => {
        sentAt = Math.max(sentAt, freeAt + latency(machine.toRedis));
        add(sentAt, () => {
          const reply = redis.run(command, 1_700_000_000_000 + now);
          repliedAt = Math.max(repliedAt, now + latency(machine.toRedis));
          turn(repliedAt, () => resolve(reply));
        });
      });

    const origin = random() * 1e6;
    const rate = 1 + (random() * 2 - 1) * drift;
    const clock: Clock = {
      now: () => now * rate - origin,
      wall: () => 1_700_000_000_000 + now,
      schedule: (millis, wake) => {
        // Timers have whole milliseconds.
        const event = turn(now + Math.max(1, Math.floor(millis)) / rate, wake);
        return () => cancel(event);
      },
    };

    turn(bornAt, () => {
      const real = Math.random;
      Math.random = random;
      const queue = new Queue(
        queueOptions({ store: redisStore(send), maxWait: 600_000, inFlightTimeout: 5000 }),
        clock,
      );
      Math.random = real;
      const loop = (): void => {
        if (now >= end) return;
        queue.submit(
          { route: "GET /x" },
          {
            granted: (_: Permit, grant: Grant) => {
              const arrivesAt = freeAt + latency(machine.toService);
              add(arrivesAt, () => {
                if (now > end) return;
                if (Number.isNaN(startedAt)) startedAt = now;
                const answer = service.handle(now);
                if (answer.status === 200) each[index]!++;
                turn(now + latency(machine.toService), () => {
                  void Promise.resolve(queue.settle(grant, answer)).then(loop);
                });
              });
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
      loop();
      loop();
    });
  };
  for (let index = 0; index < processes; index++) process(index);

  for (let event = next(); event && event.at <= end; event = next()) {
    now = event.at;
    event.run();
    // All that follows from it at once.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { sentAt, server } = service;
  return {
    served: server.served,
    violations: server.violations,
    share: server.served / permitted(windows, end - startedAt),
    stall: Math.max(...stalls(windows, sentAt, startedAt, end).map(({ millis }) => millis)),
    each,
  };
};

/** So many a client that knows everything sends in this time: at once whenever there is room. */
export const permitted = (
  windows: ReadonlyArray<{ max: number; period: number; bucket?: number }>,
  millis: number,
): number => {
  const sent: Array<number> = [];
  for (;;) {
    let at = sent.at(-1) ?? 0;
    for (const { max, period } of windows)
      if (sent.length >= max) at = Math.max(at, sent[sent.length - max]! + period);
    if (at >= millis) return sent.length;
    sent.push(at);
  }
};

/** The times in which a place was free and nobody used it, each with its beginning. */
export const stalls = (
  windows: ReadonlyArray<{ max: number; period: number }>,
  sentAt: ReadonlyArray<number>,
  from: number,
  end: number,
): ReadonlyArray<{ readonly at: number; readonly millis: number }> =>
  Array.from({ length: sentAt.length + 1 }, (_, index) => {
    let at = Math.max(from, sentAt[index - 1] ?? from);
    for (const { max, period } of windows)
      if (index >= max) at = Math.max(at, sentAt[index - max]! + period);
    return { at, millis: (sentAt[index] ?? end) - at };
  });

if (process.argv[1] === import.meta.filename) {
  const option = (name: string): string | undefined => {
    const at = process.argv.indexOf(`--${name}`);
    return at === -1 ? undefined : process.argv[at + 1];
  };
  const first = Number(option("first") ?? 1);
  for (const machine of machines) {
    if (option("machine") && option("machine") !== machine.name) continue;
    let least = 1;
    let sum = 0;
    let violations = 0;
    const seeds = Number(option("seeds") ?? 10);
    for (let seed = first; seed < first + seeds; seed++) {
      const run = await runCluster({ machine, seconds: Number(option("seconds") ?? 60) }, seed);
      least = Math.min(least, run.share);
      sum += run.share;
      violations += run.violations;
      console.log(
        machine.name,
        seed,
        run.share.toFixed(3),
        run.violations,
        `stall ${run.stall.toFixed(0)}`,
        run.each.join(" "),
      );
    }
    console.log(
      `${machine.name}: least ${least.toFixed(3)}, mean ${(sum / seeds).toFixed(3)}, ${violations} violations`,
    );
  }
}

/**
 * Four processes on one budget in Redis, against a server that counts in true sliding windows, in
 * real time: no 429, and most of what is permitted. With `--chaos` every four seconds a process is
 * killed and replaced, or Redis loses all data, or it is killed and started again without its data.
 * With `--pause` one process is stopped for five seconds (SIGSTOP), and later Redis is.
 *
 * The minutes begin when all processes are ready. Timers that come late tell how much of its time
 * the machine gave to other work, which nobody here could use: by so much less is asked.
 *
 * `node scripts/redisSoak.ts [--minutes 1] [--processes 4] [--chaos | --pause]`
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { layerRedis } from "@game-data/rate-limit";
import { createLimiter } from "@game-data/rate-limit/promise";
import { Layer } from "effect";
import { ownRedis, type OwnRedis, withRedis } from "../test/model/ownRedis.ts";
import { permitted, SOAK, stalls } from "./permitted.ts";
import { sliding } from "../test/model/sliding.ts";

interface Job {
  readonly redis: string;
  readonly url: string;
  /** As milliseconds since 1970, one for all: a process that starts late has less time. */
  readonly end: number;
}

/** One of the processes: calls as fast as permitted until its time is up. */
const work = async ({ end, redis, url }: Job): Promise<void> => {
  const limiter = createLimiter({
    store: Layer.provide(layerRedis(), NodeRedis.layer({ url: redis })),
    maxWait: "10 minutes",
    inFlightTimeout: "5 seconds",
  });
  const loop = async (): Promise<void> => {
    while (Date.now() < end) {
      const signal = AbortSignal.timeout(Math.max(1, end - Date.now()));
      const send = async () => {
        const response = await fetch(url);
        await response.arrayBuffer();
        return response;
      };
      await limiter.run({ route: "GET /x", signal }, send).catch((error: Error) => {
        if (error.name === "TimeoutError") return undefined;
        // While Redis is unavailable nothing is sent.
        if (error.name === "LimiterStoreError") return sleep(50);
        throw error;
      });
    }
  };
  await Promise.all([loop(), loop()]);
};

/** The service behind the limits. */
const startService = async () => {
  const { handle, sentAt, server } = sliding("soak", SOAK, { penalty: 2000 });
  const http = createServer((_, response) => {
    const { headers, status } = handle(performance.now());
    response.writeHead(status, headers);
    response.end();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return { sentAt, server, url: `http://127.0.0.1:${port}`, stop: () => http.close() };
};

/** What is disturbed. */
interface World {
  readonly alive: ReadonlySet<ChildProcess>;
  readonly start: () => void;
  readonly redis: OwnRedis;
}

const PAUSE_MILLIS = 5000;
const LONG_STALL = 300;

const kill = async ({ alive, start }: World): Promise<void> => {
  const [first] = alive;
  first?.kill("SIGKILL");
  start();
};
const lose = ({ redis }: World): Promise<unknown> =>
  withRedis(redis.url, (send) => send(["FLUSHALL"]));
const restart = ({ redis }: World): Promise<void> => redis.restart(0);
const restartLater = ({ redis }: World): Promise<void> => redis.restart(1000);
const stopProcess = async ({ alive }: World): Promise<void> => {
  const [first] = alive;
  first?.kill("SIGSTOP");
  await sleep(PAUSE_MILLIS);
  first?.kill("SIGCONT");
};
const stopRedis = ({ redis }: World): Promise<void> => redis.pause(PAUSE_MILLIS);

/** How often which disturbance occurs, and the least share of what is permitted. */
const plans = {
  calm: { every: Infinity, kinds: [], enough: 0.95 },
  chaos: {
    every: 4000,
    kinds: [kill, lose, kill, restart, kill, lose, kill, restartLater],
    enough: 0.3,
  },
  pause: { every: 20_000, kinds: [stopProcess, stopRedis], enough: 0.85 },
} as const;

/** Disturbs until shortly before the end; returns how often it did. */
const disturb = async (
  { every, kinds }: (typeof plans)[keyof typeof plans],
  world: World,
  end: number,
): Promise<number> => {
  let times = 0;
  for (; kinds.length > 0 && end - Date.now() > PAUSE_MILLIS + every; times++) {
    await sleep(every);
    void kinds[times % kinds.length]!(world);
  }
  return times;
};

/** Starts processes, each of which gets its job when it is ready. */
const startWorkers = (jobWhenReady: Promise<Job>) => {
  const alive = new Set<ChildProcess>();
  const start = async (): Promise<void> => {
    const child = fork(import.meta.filename, ["--worker"]);
    alive.add(child);
    child.once("exit", () => alive.delete(child));
    await once(child, "message");
    void jobWhenReady.then((job) => child.send(job));
  };
  return { alive, start };
};

const LATE_RESOLUTION = 50;

const lead = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "1" },
      processes: { type: "string", default: "4" },
      chaos: { type: "boolean" },
      pause: { type: "boolean" },
    },
  });
  const [minutes, processes] = [Number(values.minutes), Number(values.processes)];
  const plan = plans[values.chaos ? "chaos" : values.pause ? "pause" : "calm"];
  const redis = await ownRedis();
  const { sentAt, server, stop, url } = await startService();
  const { promise: job, resolve: begin } = Promise.withResolvers<Job>();
  const workers = startWorkers(job);
  await Promise.all(Array.from({ length: processes }, workers.start));
  const begun = performance.now();
  const end = Date.now() + minutes * 60_000;
  begin({ redis: redis.url, url, end });
  const delays = monitorEventLoopDelay({ resolution: LATE_RESOLUTION });
  delays.enable();
  const disturbed = await disturb(plan, { ...workers, redis }, end);
  while (workers.alive.size > 0) await sleep(100);
  stop();
  redis.stop();
  const [from, until] = [sentAt[0]!, begun + minutes * 60_000];
  const most = permitted(SOAK, until - from);
  const { served, violations } = server;
  const share = served / most;
  const late = Math.max(0, 1 - LATE_RESOLUTION / (delays.mean / 1e6));
  /** Where a place was free for long, in seconds since the first request. */
  const idle = stalls(SOAK, sentAt, from, until)
    .filter(({ millis }) => millis > LONG_STALL)
    .map(({ at, millis }) => [at - from, millis].map((each) => Math.round(each) / 1000));
  const asked = plan.enough * (1 - late);
  console.log(
    JSON.stringify({
      minutes,
      processes,
      served,
      permitted: most,
      share,
      asked,
      late,
      violations,
      disturbed,
      idle,
    }),
  );
  process.exit(violations === 0 && share >= asked ? 0 : 1);
};

if (process.argv.includes("--worker")) {
  process.once("message", (job: Job) => {
    void work(job).then(() => process.exit(0));
  });
  process.send!("ready");
} else await lead();

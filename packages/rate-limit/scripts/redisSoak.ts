/**
 * Four processes on one budget in Redis, against a server that counts in true sliding windows, in
 * real time: no 429, and most of what is permitted. Under a disturbance the Redis is one of its own.
 * With `--chaos` every four seconds a process is killed and replaced, or Redis loses all data, or
 * it is killed and started again without its data. With `--pause` one process is stopped for five
 * seconds (SIGSTOP), and later Redis is.
 *
 * `GAME_DATA_REDIS_URL=redis://… node scripts/redisSoak.ts [--minutes 1] [--processes 4] [--chaos | --pause]`
 */
import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { Effect } from "effect";
import * as Redis from "effect/persistence/Redis";
import { createLimiter } from "@game-data/rate-limit";
import { redisStore } from "@game-data/rate-limit/redis";
import { permitted, SOAK, stalls } from "../test/model/processes.ts";
import { sliding } from "../test/model/sliding.ts";

const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};

interface Job {
  readonly redis: string;
  readonly url: string;
  readonly prefix: string;
  /** As milliseconds since 1970, one for all: a process that starts late has less time. */
  readonly end: number;
}

const withRedis = <A>(url: string, use: (send: Send) => Promise<A>): Promise<A> =>
  Effect.gen(function* () {
    const redis = yield* Redis.Redis;
    return yield* Effect.promise(() =>
      use(([command = "", ...args]) => Effect.runPromise(redis.send(command, ...args))),
    );
  }).pipe(Effect.provide(NodeRedis.layer({ url })), Effect.scoped, Effect.runPromise);
type Send = (command: ReadonlyArray<string>) => Promise<unknown>;

/** One of the processes: calls as fast as it may until its time is up. */
const work = (job: Job): Promise<void> =>
  withRedis(job.redis, async (send) => {
    const limiter = createLimiter({
      store: redisStore(send, { prefix: job.prefix }),
      maxWait: 600_000,
      inFlightTimeout: 5000,
    });
    const { end } = job;
    const loop = async (): Promise<void> => {
      while (Date.now() < end) {
        const waited = AbortSignal.timeout(Math.max(1, end - Date.now()));
        await limiter
          .run({ route: "GET /x", signal: waited }, async () => {
            const response = await fetch(job.url);
            await response.arrayBuffer();
            return response;
          })
          .catch((error: Error) => {
            if (error.name === "TimeoutError") return undefined;
            // While Redis is away nothing is sent.
            if (error.name === "StoreError") return sleep(50);
            throw error;
          });
      }
    };
    await Promise.all([loop(), loop()]);
  });

/** A Redis that keeps nothing on disk, for killing. */
const ownRedis = async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const start = async () => {
    const args = [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
    ];
    const child = spawn("redis-server", args, { stdio: "ignore" });
    for (;;) {
      const socket = connect(port, "127.0.0.1");
      const isUp = await Promise.race([
        once(socket, "connect").then(() => true),
        once(socket, "error").then(() => false),
      ]).catch(() => false);
      socket.destroy();
      if (isUp) return child;
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      await sleep(20);
    }
  };
  let child = await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    restart: async (awayMillis: number): Promise<void> => {
      child.kill("SIGKILL");
      await once(child, "exit");
      await sleep(awayMillis);
      child = await start();
    },
    pause: async (millis: number): Promise<void> => {
      child.kill("SIGSTOP");
      await sleep(millis);
      child.kill("SIGCONT");
    },
    stop: () => child.kill("SIGKILL"),
  };
};
type OwnRedis = Awaited<ReturnType<typeof ownRedis>>;

/** The service behind the limits. */
const startService = async () => {
  const { handle, sentAt, server } = sliding("soak", SOAK, { penalty: 2000 });
  const facts = { handled: 0, startedAt: 0 };
  const http = createServer((_, response) => {
    facts.startedAt ||= performance.now();
    facts.handled++;
    const { headers, status } = handle(performance.now());
    response.writeHead(status, headers);
    response.end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return { facts, sentAt, server, url: `http://127.0.0.1:${port}`, stop: () => http.close() };
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

/** How often which disturbance comes, and the share of what is permitted that is asked then. */
const plans = {
  // 95 % on a machine that does nothing else. Other work on two cores costs up to ten points.
  calm: { every: Infinity, kinds: [], enough: 0.8 },
  // Whoever waits for a lost Redis or a killed process sends nothing.
  chaos: {
    every: 4000,
    kinds: [kill, lose, kill, restart, kill, lose, kill, restartLater],
    enough: 0.3,
  },
  // Five seconds of a minute without Redis cost 8 %.
  pause: { every: 20_000, kinds: [stopProcess, stopRedis], enough: 0.7 },
} as const;

/** Disturbs until shortly before the end; returns what ends it, and how often it did. */
const disturb = (
  { every, kinds }: (typeof plans)[keyof typeof plans],
  world: World,
  end: number,
) => {
  let times = 0;
  const timer =
    kinds.length > 0
      ? setInterval(() => {
          if (end - Date.now() > PAUSE_MILLIS) void kinds[times++ % kinds.length]!(world);
        }, every)
      : undefined;
  return { stop: () => clearInterval(timer), times: () => times };
};

const startWorkers = (job: Job, count: number) => {
  const alive = new Set<ChildProcess>();
  const start = (): void => {
    const child = fork(fileURLToPath(import.meta.url), ["--worker"]);
    alive.add(child);
    child.once("exit", () => alive.delete(child));
    child.send(job);
  };
  for (let index = 0; index < count; index++) start();
  return { alive, start };
};

const lead = async (): Promise<void> => {
  const name = (["chaos", "pause"] as const).find((each) => process.argv.includes(`--${each}`));
  const plan = plans[name ?? "calm"];
  const own = name && (await ownRedis());
  const redis = own?.url ?? process.env["GAME_DATA_REDIS_URL"];
  if (!redis)
    throw new Error("GAME_DATA_REDIS_URL is not set (scripts/with-services.mjs redis -- …)");
  const minutes = option("minutes", 1);
  const processes = option("processes", 4);
  const { facts, sentAt, server, stop, url } = await startService();
  const end = Date.now() + minutes * 60_000;
  const endedAt = performance.now() + minutes * 60_000;
  const prefix = `soak-${process.pid}-${Date.now()}`;
  const workers = startWorkers({ redis, url, prefix, end }, processes);
  const disturbing = disturb(plan, { ...workers, redis: own! }, end);
  while (workers.alive.size > 0) await sleep(100);
  disturbing.stop();
  stop();
  own?.stop();
  // The processes send until `end` and then take a while to exit: nobody could use that time.
  const until = Math.min(performance.now(), endedAt);
  const most = permitted(SOAK, until - facts.startedAt);
  const { served, violations } = server;
  const share = served / most;
  /** Where a place was free for long, in seconds since the first request. */
  const idle = stalls(SOAK, sentAt, facts.startedAt, until)
    .filter(({ millis }) => millis > LONG_STALL)
    .map(({ at, millis }) => [at - facts.startedAt, millis].map((each) => Math.round(each) / 1000));
  const disturbed = disturbing.times();
  const { handled } = facts;
  console.log(
    JSON.stringify({
      minutes,
      processes,
      handled,
      served,
      permitted: most,
      share,
      violations,
      disturbed,
      idle,
    }),
  );
  process.exit(violations === 0 && share >= plan.enough ? 0 : 1);
};

if (process.argv.includes("--worker")) {
  process.once("message", (job: Job) => {
    void work(job).then(() => process.exit(0));
  });
} else await lead();

/**
 * Four processes on one budget in Redis, against a server that counts in true sliding windows, in
 * real time: no 429. 95 % of what is permitted is the target; 70 % is the floor that fails. With
 * `--chaos` a process is killed every few seconds and replaced, and Redis loses all its data once.
 *
 * `GAME_DATA_REDIS_URL=redis://… node scripts/redisSoak.ts [--minutes 1] [--processes 4] [--chaos]`
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { Effect } from "effect";
import * as Redis from "effect/persistence/Redis";
import { createLimiter } from "@game-data/rate-limit";
import { redisStore } from "@game-data/rate-limit/redis";
import { sliding } from "../test/model/sliding.ts";

const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};

interface Job {
  readonly redis: string;
  readonly url: string;
  readonly prefix: string;
  readonly millis: number;
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
    const end = Date.now() + job.millis;
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
            if (error.name !== "TimeoutError") console.error(String(error));
          });
      }
    };
    await Promise.all([loop(), loop()]);
  });

const lead = async (): Promise<void> => {
  const redis = process.env["GAME_DATA_REDIS_URL"];
  if (!redis)
    throw new Error("GAME_DATA_REDIS_URL is not set (scripts/with-services.mjs redis -- …)");
  const minutes = option("minutes", 1);
  const processes = option("processes", 4);
  const isChaos = process.argv.includes("--chaos");
  const millis = minutes * 60_000;
  const service = sliding(
    "soak",
    [
      { max: 20, period: 1000 },
      { max: 60, period: 4000 },
    ],
    { penalty: 2000 },
  );
  let handled = 0;
  let startedAt = 0;
  const http = createServer((_, response) => {
    startedAt ||= performance.now();
    handled++;
    const { headers, status } = service.handle(performance.now());
    response.writeHead(status, headers);
    response.end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const prefix = `soak-${process.pid}-${Date.now()}`;
  const end = Date.now() + millis;
  const alive = new Set<ChildProcess>();
  const spawn = (): void => {
    const child = fork(fileURLToPath(import.meta.url), ["--worker"]);
    alive.add(child);
    child.once("exit", () => alive.delete(child));
    child.send({ redis, url, prefix, millis: end - Date.now() } satisfies Job);
  };
  for (let index = 0; index < processes; index++) spawn();
  let killed = 0;
  let lost = 0;
  const chaos = isChaos
    ? setInterval(() => {
        const [first] = alive;
        if (!first || end - Date.now() < 5000) return;
        first.kill("SIGKILL");
        killed++;
        spawn();
        if (killed === 3) {
          lost++;
          void withRedis(redis, async (send) => {
            const keys = (await send(["KEYS", `{${prefix}}*`])) as ReadonlyArray<string>;
            await send(["DEL", ...keys]);
          });
        }
      }, 4000)
    : undefined;
  while (alive.size > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  clearInterval(chaos);
  http.close();
  const seconds = (performance.now() - startedAt) / 1000;
  // 60 at once and again whenever four seconds have passed.
  const permitted = 60 * Math.ceil(seconds / 4);
  const { served, violations } = service.server;
  const summary = {
    minutes,
    processes,
    handled,
    served,
    permitted,
    share: served / permitted,
    violations,
    killed,
    lost,
  };
  console.log(JSON.stringify(summary));
  // The target is 0.95; below what was measured (0.79 to 0.83) something broke.
  const enough = isChaos ? 0.5 : 0.7;
  process.exit(violations === 0 && summary.share >= enough ? 0 : 1);
};

if (process.argv.includes("--worker")) {
  process.once("message", (job: Job) => {
    void work(job).then(() => process.exit(0));
  });
} else await lead();

/**
 * Four processes on one budget in Redis, in real time, against a server that counts in true sliding
 * windows. The processes learn from 90 requests and are left alone for 15 seconds. Then one thing
 * goes wrong every eight seconds: a process is killed and replaced, Redis stops for five seconds,
 * Redis loses all data, a process stops for five seconds, Redis is killed and starts again without
 * data, at once or a second later. `--disturbances` is the number of such events.
 *
 * No request is refused, and each call ends. The processes reach a share of the requests of a client
 * that knows when places become free. That client runs in the same processes at the same time and
 * makes as many round trips, so the share does not depend on the speed of the machine.
 *
 * `node scripts/redisSoak.ts [--disturbances 3]`
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { layerRedis } from "@game-data/rate-limit";
import { createLimiter } from "@game-data/rate-limit/promise";
import { Layer } from "effect";
import { ownRedis, type OwnRedis, type Send, withRedis } from "../test/model/ownRedis.ts";
import { sliding } from "../test/model/sliding.ts";

const WINDOWS = [
  { max: 20, period: 1000 },
  { max: 60, period: 4000 },
];
/** The requests from which the processes learn when places become free: 1.5 of the longer window. */
const LEARNING_REQUESTS = 90;
const CALM_MILLIS = 15_000;
const EVERY_MILLIS = 8000;
const PAUSE_MILLIS = 5000;
/** The least shares of the requests that are possible: without a disturbance, and beside them. */
const CALM_SHARE = 0.9;
const DISTURBED_SHARE = 0.4;
/** A call that takes longer than its maximum wait and the timeout of the store does not end. */
const CALL_MILLIS = 40_000;

interface Job {
  readonly redis: string;
  readonly url: string;
}

const get = async (url: string) => {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response;
};

/** One of the processes. Calls as fast as permitted until it receives a message. */
const work = async ({ redis, url }: Job): Promise<void> => {
  const end = new AbortController();
  process.once("message", () => end.abort());
  const limiter = createLimiter({
    store: Layer.provide(layerRedis(), NodeRedis.layer({ url: redis })),
    maxWait: "20 seconds",
    inFlightTimeout: "5 seconds",
  });
  const call = () =>
    limiter
      .run({ route: "GET /x" }, () => get(`${url}/x`))
      // While Redis is unavailable, nothing is sent.
      .catch((error: Error) => {
        if (error.name !== "LimiterStoreError") throw error;
        return sleep(50);
      });
  const loop = async (step: () => Promise<unknown>): Promise<void> => {
    while (!end.signal.aborted) {
      const late = sleep(CALL_MILLIS, undefined, { ref: false });
      await Promise.race([step(), late.then(() => Promise.reject(new Error("no answer")))]);
    }
  };
  const reference = async (send: Send) => {
    await get(`${url}/turn`);
    await send(["PING"]).catch(() => undefined);
    await get(`${url}/reference`);
  };
  const references = (send: Send) =>
    Promise.all([loop(() => reference(send)), loop(() => reference(send))]);
  await Promise.all([loop(call), loop(call), withRedis(redis, references)]);
};

/** Answers `/turn` once a place is free, and counts `/reference`. */
const makeReference = () => {
  const sentAt: Array<number> = [];
  const turns: Array<() => void> = [];
  /** The times of the turns whose requests have not arrived. */
  let pending: Array<number> = [];
  let timer: NodeJS.Timeout | undefined;
  const grant = (): void => {
    clearTimeout(timer);
    const now = performance.now();
    // Those of a killed process never arrive.
    pending = pending.filter((at) => at + PAUSE_MILLIS > now);
    const opensAt = (): number =>
      Math.max(
        ...WINDOWS.map(({ max, period }) => (sentAt.at(pending.length - max) ?? -period) + period),
      );
    while (turns.length > 0) {
      const pause = sentAt.length === 0 ? 0 : opensAt() - now;
      if (pause > 0) {
        timer = setTimeout(grant, Math.ceil(pause));
        return;
      }
      pending.push(now);
      turns.shift()!();
    }
  };
  return {
    sentAt,
    turn: (answer: () => void) => {
      turns.push(answer);
      grant();
    },
    arrive: () => {
      sentAt.push(performance.now());
      pending.shift();
      grant();
    },
  };
};

/** The service behind the limits. */
const startService = async () => {
  const { handle, sentAt, server } = sliding("soak", WINDOWS, { penalty: 2000 });
  const reference = makeReference();
  const http = createServer(({ url }, response) => {
    if (url === "/turn") return reference.turn(() => response.end());
    if (url === "/reference") return (reference.arrive(), response.end());
    const { headers, status } = handle(performance.now());
    response.writeHead(status, headers).end();
    return response;
  });
  // A process that was stopped uses its connections again.
  http.keepAliveTimeout = 60_000;
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return { sentAt, reference, server, url: `http://127.0.0.1:${port}` };
};

const startWorkers = (job: Job) => {
  const alive = new Set<ChildProcess>();
  const codes: Array<number | null> = [];
  const start = async (): Promise<void> => {
    const child = fork(import.meta.filename, ["--worker"]);
    child.once("exit", (code) => {
      alive.delete(child);
      codes.push(code);
    });
    await once(child, "message");
    child.send(job);
    alive.add(child);
  };
  return { alive, codes, start };
};

interface World {
  readonly workers: ReturnType<typeof startWorkers>;
  readonly redis: OwnRedis;
}

const stopProcess = async ({ workers: { alive } }: World): Promise<void> => {
  const [first] = alive;
  first?.kill("SIGSTOP");
  await sleep(PAUSE_MILLIS);
  first?.kill("SIGCONT");
};

const disturbances: Readonly<Record<string, (world: World) => unknown>> = {
  "process killed": ({ workers }) => {
    const [first] = workers.alive;
    first?.kill("SIGKILL");
    return workers.start();
  },
  "Redis stopped": ({ redis }) => redis.pause(PAUSE_MILLIS),
  "data lost": ({ redis }) => withRedis(redis.url, (send) => send(["FLUSHALL"])),
  "process stopped": stopProcess,
  "Redis killed": ({ redis }) => redis.restart(0),
  "Redis away": ({ redis }) => redis.restart(1000),
};

interface Phase {
  readonly name: string;
  readonly ours: number;
  /** The requests of the client that knows when places become free. */
  readonly possible: number;
}

/** Returns the share of the possible requests, `NaN` without phases. */
const share = (...phases: ReadonlyArray<Phase>): number => {
  const ours = phases.reduce((sum, phase) => sum + phase.ours, 0);
  return ours / phases.reduce((sum, phase) => sum + phase.possible, 0);
};

const lead = async (): Promise<void> => {
  const { values } = parseArgs({ options: { disturbances: { type: "string", default: "3" } } });
  const redis = await ownRedis();
  const { reference, sentAt, server, url } = await startService();
  const workers = startWorkers({ redis: redis.url, url });
  await Promise.all(Array.from({ length: 4 }, workers.start));
  while (sentAt.length < LEARNING_REQUESTS) await sleep(100);
  const phases: Array<Phase> = [];
  const measure = async (name: string, millis: number): Promise<void> => {
    const [ours, possible] = [sentAt.length, reference.sentAt.length];
    await sleep(millis);
    const phase = { ours: sentAt.length - ours, possible: reference.sentAt.length - possible };
    phases.push({ name, ...phase });
  };
  // Other programs take the time of the processors in bursts.
  while (phases.length < 3 && !phases.some((phase) => share(phase) >= CALM_SHARE))
    await measure("calm", CALM_MILLIS);
  const calm = phases.at(-1)!;
  const events = Object.entries(disturbances);
  for (let count = 0; count < Number(values.disturbances); count++) {
    const [name, disturb] = events[count % events.length]!;
    void disturb({ redis, workers });
    await measure(name, EVERY_MILLIS);
  }
  for (const worker of workers.alive) worker.send("end");
  while (workers.alive.size > 0) await sleep(100);
  redis.stop();
  const { violations } = server;
  const failed = workers.codes.filter((code) => code !== 0 && code !== null).length;
  const disturbed = phases.filter(({ name }) => name !== calm.name);
  const shares = { calm: share(calm), disturbed: share(...disturbed) };
  console.log(JSON.stringify({ violations, failed, shares, phases }));
  const isEnough = shares.calm >= CALM_SHARE && !(shares.disturbed < DISTURBED_SHARE);
  const goesOn = phases.every(({ ours }) => ours > 0);
  process.exit(violations + failed === 0 && isEnough && goesOn ? 0 : 1);
};

if (process.argv.includes("--worker")) {
  process.once("disconnect", () => process.exit());
  process.once("message", (job: Job) => {
    void work(job).then(() => process.exit(0));
  });
  process.send!("ready");
} else await lead();

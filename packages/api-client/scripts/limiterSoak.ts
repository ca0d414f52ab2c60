/**
 * Four processes on one budget in Redis, against a server that counts in true sliding windows with
 * hidden buckets and whose limits change in the middle: no 429, and at least 95 % of what is
 * permitted.
 *
 * `GAME_DATA_REDIS_URL=redis://… node scripts/limiterSoak.ts [--minutes 10] [--processes 4]
 * [--json]`. Real time. With less than ten minutes the windows shrink with it, so that as many of
 * them pass.
 */
import { fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { Duration, Effect, Layer } from "effect";
import { GameApi, PolicyLimiter } from "../src/index.ts";
import * as LimiterStoreRedis from "@game-data/rate-limit/effect/redis";
import { SlidingServer } from "../../rate-limit/test/SlidingServer.ts";

const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};

interface Job {
  readonly url: string;
  readonly baseUrl: string;
  readonly prefix: string;
  readonly millis: number;
  readonly scale: number;
}

/** One of the processes: calls as fast as it may until its time is up. */
const work = (job: Job) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const api = yield* GameApi;
      const call = Effect.ignore(api.profile.get());
      yield* Effect.forEach([1, 2, 3, 4], () => Effect.forever(call), {
        concurrency: 4,
        discard: true,
      }).pipe(Effect.timeoutOption(job.millis));
    }).pipe(
      Effect.provide(
        GameApi.layerWithLimiter({
          baseUrl: job.baseUrl,
          credentials: "token",
          userAgent: { clientId: "soak", version: "1", contact: "dev@example.com" },
        }).pipe(
          Layer.provide(
            PolicyLimiter.layer({
              assumedBucket: (period) =>
                Duration.toMillis(period) < 60_000 * job.scale
                  ? 5000 * job.scale
                  : 60_000 * job.scale,
            }),
          ),
          Layer.provide(LimiterStoreRedis.layer({ prefix: job.prefix })),
          Layer.provide(NodeRedis.layer({ url: job.url })),
          Layer.provide(NodeHttpClient.layerUndici),
        ),
      ),
    ),
  );

const lead = async () => {
  const url = process.env["GAME_DATA_REDIS_URL"];
  if (!url)
    throw new Error("GAME_DATA_REDIS_URL is not set (scripts/with-services.mjs redis -- …)");
  const minutes = option("minutes", 10);
  const processes = option("processes", 4);
  const scale = Math.min(1, minutes / 10);
  const millis = minutes * 60_000;
  const server = new SlidingServer("soak", [
    { max: 15, period: 10_000 * scale, bucket: 5000 * scale, penalty: 60_000 * scale },
    { max: 30, period: 60_000 * scale, bucket: 60_000 * scale, penalty: 300_000 * scale },
  ]);
  const [, long] = server.windows;
  const http = createServer((_, response) => {
    const { status, headers } = server.handle(Date.now());
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(status === 200 ? '{"uuid":"u","name":"n"}' : '{"error":{"code":3,"message":"!"}}');
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const change = setTimeout(() => {
    if (long) long.max = 40;
  }, millis / 2);
  const job: Job = {
    url,
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    prefix: `soak-${process.pid}-${Date.now()}`,
    millis,
    scale,
  };
  const children = Array.from({ length: processes }, () => {
    const child = fork(fileURLToPath(import.meta.url), ["--worker"]);
    child.send(job);
    return new Promise<void>((resolve) => child.once("exit", () => resolve()));
  });
  await Promise.all(children);
  clearTimeout(change);
  http.close();
  // Per period and bucket, first under the old limit, then under the new one.
  const permitted = ((30 + 40) / 2 / (120_000 * scale)) * millis;
  const summary = {
    minutes,
    processes,
    served: server.served,
    permitted,
    share: server.served / permitted,
    violations: server.violations,
  };
  console.log(JSON.stringify(summary));
  process.exit(summary.violations === 0 && summary.share >= 0.95 ? 0 : 1);
};

if (process.argv.includes("--worker")) {
  process.once("message", (job: Job) => {
    void work(job).then(() => process.exit(0));
  });
} else await lead();

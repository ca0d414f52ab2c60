/**
 * One measured run in a process of its own: follows pages into SQLite and prints what it cost.
 *
 * Usage: node run.ts '{"pages"}', with "url" of a page server or "folder" of `makePages.ts`;
 * "isIndexed" derives the current stashes in the same process, "slowMillis" delays each commit.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { GameApi } from "@game-data/api-client";
import { Effect, Layer } from "effect";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { GameApiSource } from "../src/api-client/index.ts";
import { Follower, Lease, PageSource, Sink } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";

const order = JSON.parse(process.argv[2] ?? "{}") as {
  readonly pages: number;
  readonly url?: string;
  readonly folder?: string;
  readonly isIndexed?: boolean;
  readonly slowMillis?: number;
};

const WARM_PAGES = 10;
const KEY = { source: "stashes", realm: "pc" } as const;
const work = mkdtempSync(join(tmpdir(), "bench-"));

const overHttp = (baseUrl: string) =>
  GameApiSource.layer.pipe(
    Layer.provide(
      GameApi.layer({
        baseUrl,
        userAgent: { clientId: "bench", version: "1.0.0", contact: "you@example.com" },
        credentials: "token",
      }),
    ),
    Layer.provide(NodeHttpClient.layerUndici),
  );

/** Pages from files: page 1 for no id. */
const fromFiles = (folder: string) =>
  Layer.succeed(PageSource.PageSource, {
    open: ({ id = "1" }) =>
      Effect.sync(() => {
        const isEnd = Number(id) > order.pages;
        const body = isEnd
          ? Buffer.from(`{"next_change_id":"${id}","stashes":[]}`)
          : readFileSync(join(folder, `${id}.gz`));
        const headers = isEnd ? {} : { "content-encoding": "gzip" };
        return {
          status: 200,
          headers,
          body: (async function* () {
            yield body;
          })(),
        };
      }),
  });

interface Start {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly mainCpu: NodeJS.CpuUsage;
}
let start: Start | undefined;
let pages = 0;
let peakRss = 0;
const delay = monitorEventLoopDelay({ resolution: 1 });

/** Counts pages. The first ones warm the process up and are not measured. */
const counted = (sink: Sink.SinkService): Sink.SinkService => ({
  ...sink,
  commit: (page, epoch) =>
    Effect.gen(function* () {
      if (order.slowMillis !== undefined) yield* Effect.sleep(order.slowMillis);
      yield* sink.commit(page, epoch);
      pages += 1;
      peakRss = Math.max(peakRss, process.memoryUsage.rss());
      if (pages !== WARM_PAGES) return;
      delay.enable();
      start = {
        at: performance.now(),
        cpu: process.cpuUsage(),
        mainCpu: process.threadCpuUsage(),
      };
    }),
});

const millisPerPage = ({ system, user }: NodeJS.CpuUsage) =>
  (user + system) / 1000 / (pages - WARM_PAGES);

await Effect.runPromise(
  Effect.gen(function* () {
    const url = { kind: "sqlite", path: join(work, "pages.db") } as const;
    const store = yield* Layer.build(StoreUrl.layer(url));
    if (order.isIndexed === true) yield* Effect.forkScoped(StoreUrl.indexState(url, { key: KEY }));
    yield* Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
      Effect.updateService(Sink.Sink, counted),
      Effect.provide(Lease.none),
      Effect.provideContext(store),
      Effect.provide(order.url === undefined ? fromFiles(order.folder!) : overHttp(order.url)),
    );
  }).pipe(Effect.scoped),
);
if (start === undefined) throw new Error(`only ${pages} pages`);
process.stdout.write(
  `${JSON.stringify({
    pagesPerSecond: (pages - WARM_PAGES) / ((performance.now() - start.at) / 1000),
    cpuMillisPerPage: millisPerPage(process.cpuUsage(start.cpu)),
    mainCpuMillisPerPage: millisPerPage(process.threadCpuUsage(start.mainCpu)),
    peakRssMebibytes: peakRss / 1024 / 1024,
    delayMillis: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
  })}\n`,
);
rmSync(work, { recursive: true, force: true });
process.exit(0);

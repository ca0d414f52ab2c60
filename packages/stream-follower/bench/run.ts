/**
 * One measured run in a process of its own: follows a page server into SQLite and prints what it
 * took.
 *
 * Usage: node run.ts '{"url","prefetch","slowMillis"?,"isIndexed"?}'
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { GameApi } from "@game-data/api-client";
import { Effect, Layer } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Follower, IndexerThread, Lease } from "../src/index.ts";
import { GameApiSource } from "../src/api-client/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { Sink, type SinkService } from "../src/Sink.ts";

const order = JSON.parse(process.argv[2] ?? "{}") as {
  readonly url: string;
  readonly prefetch: "early" | "afterBody" | "none";
  readonly slowMillis?: number;
  /** Whether the state indexer runs beside it, as the command does it. */
  readonly isIndexed?: boolean;
};

const folder = mkdtempSync(join(tmpdir(), "bench-"));
const api = GameApi.layer({
  baseUrl: order.url,
  userAgent: { clientId: "bench", version: "1.0.0", contact: "you@example.com" },
  credentials: "token",
}).pipe(Layer.provide(NodeHttpClient.layerUndici));

const WARM_PAGES = 5;
let warm:
  | { readonly at: number; readonly cpu: NodeJS.CpuUsage; readonly pages: number }
  | undefined;
let pages = 0;
let peak = 0;
/** Timer delay on the follower's thread: the time that everything else on it has to wait. */
const delay = monitorEventLoopDelay({ resolution: 1 });

/** Counts pages; the first ones warm the process up and are not measured. */
const counted = (sink: SinkService): SinkService => ({
  ...sink,
  commit: (batch, epoch) =>
    Effect.gen(function* () {
      if (order.slowMillis !== undefined)
        yield* Effect.sleep(order.slowMillis * batch.pages.length);
      yield* sink.commit(batch, epoch);
      pages += batch.pages.length;
      peak = Math.max(peak, process.memoryUsage.rss());
      if (warm === undefined && pages >= WARM_PAGES) {
        warm = { at: performance.now(), cpu: process.cpuUsage(), pages };
        delay.enable();
      }
    }),
});

await Effect.runPromise(
  Effect.gen(function* () {
    const path = join(folder, "store.db");
    const sink = yield* SinkSqlite.make({ path });
    if (order.isIndexed === true) {
      const key = { source: "stashes", realm: "pc" };
      const data = { store: `sqlite:${path}`, key };
      yield* Effect.forkScoped(IndexerThread.start(IndexerThread.STATE_THREAD, data));
    }
    yield* Follower.run({
      source: "stashes",
      until: "caughtUp",
      prefetch: order.prefetch,
      window: 4,
    }).pipe(
      Effect.provideService(Sink, counted(sink)),
      Effect.provide(Layer.merge(Lease.none, GameApiSource.layer.pipe(Layer.provide(api)))),
    );
  }).pipe(Effect.scoped),
);
const begun = warm ?? { at: 0, cpu: { user: 0, system: 0 }, pages: 0 };
const cpu = process.cpuUsage(begun.cpu);
const measured = pages - begun.pages;
process.stdout.write(
  `${JSON.stringify({
    pages: measured,
    pagesPerSecond: measured / ((performance.now() - begun.at) / 1000),
    cpuMillisPerPage: (cpu.user + cpu.system) / 1000 / measured,
    peakRssMebibytes: peak / 1024 / 1024,
    delayMillis: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
  })}\n`,
);
rmSync(folder, { recursive: true, force: true });
process.exit(0);

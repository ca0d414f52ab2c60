/**
 * Pages through publisher, log and consumers: the fence beside a bare publish, and 1, 2 and 4
 * consumers of disjoint shards beside one process over a local log and beside raw NATS.
 *
 * Each consumer is pinned to one core; servers and publisher share the cores with them. What a
 * machine with fewer cores than processes cannot show is said on stderr.
 *
 * Usage: pnpm bench scale [--json] [--pages 24] [--rounds 2]; needs GAME_DATA_NATS_SERVER
 * (node scripts/with-services.mjs nats -- pnpm bench scale).
 */
import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Effect } from "effect";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import type { PageCommit, Sink } from "../src/index.ts";
import { SinkNats } from "../src/nats/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { startCluster } from "../test/support/NatsCluster.ts";
import { batchOf, commitOf, makePage } from "../src/testing/index.ts";
import { pageText } from "./page.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    pages: { type: "string", default: "24" },
    rounds: { type: "string", default: "2" },
  },
});
const PAGES = Number(values.pages);
const ROUNDS = Number(values.rounds);
const SHARDS = 16;
const WARM_PAGES = 400n;
const KEY = { source: "stashes", realm: "pc" } as const;
const program = process.env["GAME_DATA_NATS_SERVER"];
if (program === undefined) throw new Error("GAME_DATA_NATS_SERVER is not set");

const say = (text: string) => process.stderr.write(`${text}\n`);
const round = (value: number) => Math.round(value * 100) / 100;
const median = (all: ReadonlyArray<number>) =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
const cores = availableParallelism();
say(`${cores} cores; up to 4 consumers, one server, one publisher share them`);

const folder = mkdtempSync(join(tmpdir(), "bench-scale-"));
const cluster = await startCluster(program, 1);

const page = (seq: bigint): PageCommit => {
  const text = pageText(Number(seq));
  const made = makePage({ seq, text, level: "envelope" });
  return commitOf({ ...made, nextId: String(seq), wire: gzipSync(made.raw, { level: 6 }) });
};
say("making pages");
const pages = Array.from({ length: PAGES }, (_, index) => page(BigInt(index + 1)));
const megabytes = pages.reduce((sum, one) => sum + one.page.raw.length, 0) / PAGES / 1e6;

type Commit = () => Promise<void>;
const commitTo = (sink: Sink.SinkService, one: PageCommit): Promise<void> =>
  Effect.runPromise(sink.commit(batchOf(one), 1));
const commitsOf = (sink: Sink.SinkService): ReadonlyArray<Commit> =>
  pages.map((one) => () => commitTo(sink, one));

const connections = await Promise.all(
  Array.from({ length: 2 }, () => connect({ servers: cluster.nodes[0]!.url })),
);
const [bareStream, expectingStream] = connections.map((nc) => jetstream(nc)) as [
  JetStreamClient,
  JetStreamClient,
];
const jsm = await bareStream.jetstreamManager();
const times = { fenced: [], bare: [], expecting: [] } as Record<string, Array<number>>;
const timed = async (name: string, work: () => Promise<unknown>) => {
  const begun = performance.now();
  await work();
  times[name]!.push(performance.now() - begun);
};

/**
 * Page by page: our commit, a bare publish, and a bare publish that expects the last sequence. Each
 * has a connection of its own, as ours has, and each is first in a third of the turns: what follows
 * another large publish is slower.
 */
const publishAll = (turn: number) =>
  Effect.gen(function* () {
    const sink = yield* SinkNats.make({ url: cluster.urlOf(`turn${turn}`), keepBytes: 100e6 });
    yield* sink.claim(KEY, 1);
    const commits = commitsOf(sink);
    yield* Effect.promise(async () => {
      for (const name of [`bare${turn}`, `expecting${turn}`]) {
        await jsm.streams.add({ name, subjects: [name], max_bytes: 100e6 });
      }
      let last = 0;
      for (const [index, { page: one }] of pages.entries()) {
        const works = [
          () => timed("fenced", commits[index]!),
          () => timed("bare", () => bareStream.publish(`bare${turn}`, one.wire)),
          () =>
            timed("expecting", async () => {
              const expect = { lastSequence: last };
              last = (await expectingStream.publish(`expecting${turn}`, one.wire, { expect })).seq;
            }),
        ];
        for (const place of works.keys()) await works[(place + index) % works.length]!();
      }
    });
  });
/** Small pages by both ways: a follower runs for weeks, and its code is compiled. */
const warmUp = Effect.gen(function* () {
  const sink = yield* SinkNats.make({ url: cluster.urlOf("warm"), keepBytes: 100e6 });
  yield* sink.claim(KEY, 1);
  yield* Effect.promise(() => jsm.streams.add({ name: "warmBare", subjects: ["warmBare"] }));
  for (let seq = 1n; seq <= WARM_PAGES; seq += 1n) {
    const one = commitOf(makePage({ seq, rows: [], nextId: String(seq) }));
    yield* Effect.promise(() => commitTo(sink, one));
    yield* Effect.promise(() => bareStream.publish("warmBare", one.page.wire));
  }
});
await Effect.runPromise(Effect.scoped(warmUp));
for (let turn = 0; turn < ROUNDS; turn += 1) {
  await Effect.runPromise(Effect.scoped(publishAll(turn)));
}
await Promise.all(connections.map((nc) => nc.close()));
const [fenced, bare, expecting] = ["fenced", "bare", "expecting"].map((name) =>
  median(times[name]!.slice(4)),
) as [number, number, number];
const local = join(folder, "local.db");
await Effect.runPromise(
  Effect.scoped(
    Effect.flatMap(SinkSqlite.make({ path: local }), (sink) =>
      Effect.andThen(sink.claim(KEY, 1), () =>
        Effect.promise(async () => {
          for (const commit of commitsOf(sink)) await commit();
        }),
      ),
    ),
  ),
);

interface Result {
  readonly pages: number;
  readonly millis: number;
}
const CONSUMER = join(import.meta.dirname, "scaleConsumer.ts");
let number = 0;
/** Runs consumers at once; pages per second of the log that all of them together keep up with. */
const consume = async (kind: "raw" | "nats" | "sqlite", consumers: number): Promise<number> => {
  const results = await Promise.all(
    Array.from({ length: consumers }, async (_, index): Promise<Result> => {
      number += 1;
      const mine = Array.from({ length: SHARDS }, (__, shard) => shard).filter(
        (shard) => shard % consumers === index,
      );
      const log = kind === "sqlite" ? local : cluster.urlOf("turn0").replace(/\?.*/u, "");
      const path = join(folder, `c${number}.db`);
      const order = JSON.stringify({ kind, log, path, count: SHARDS, mine, pages: PAGES });
      const child = spawn(
        "taskset",
        ["-c", String(index % cores), process.execPath, CONSUMER, order],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
      await new Promise((resolve) => child.once("exit", resolve));
      return JSON.parse(text) as Result;
    }),
  );
  return Math.min(...results.map((one) => (one.pages / one.millis) * 1000));
};

const rates = new Map<string, Array<number>>();
const measure = async (name: string, kind: "raw" | "nats" | "sqlite", consumers: number) => {
  const rate = await consume(kind, consumers);
  rates.set(name, [...(rates.get(name) ?? []), rate]);
  say(`${name}: ${round(rate)} pages/s`);
};
for (let turn = 0; turn < ROUNDS; turn += 1) {
  await measure("one process, local log", "sqlite", 1);
  await measure("raw NATS, bytes only", "raw", 1);
  for (const consumers of [1, 2, 4]) await measure(`${consumers} consumer(s)`, "nats", consumers);
}
await cluster.close();
rmSync(folder, { recursive: true, force: true });

const figures = [
  {
    name: "publish a page, fenced / bare",
    unit: "ms",
    ours: round(fenced),
    peers: {
      "bare JetStream publish": round(bare),
      "bare publish that expects the last sequence": round(expecting),
    },
    // Throughput, so more is better.
    ratio: round(bare / fenced),
  },
  ...[1, 2, 4].map((consumers) => {
    const ours = median(rates.get(`${consumers} consumer(s)`)!);
    const one = median(rates.get("one process, local log")!);
    const raw = median(rates.get("raw NATS, bytes only")!);
    return {
      name: `log to ${consumers} consumer(s), ${round(megabytes)} MB pages, ${cores} cores`,
      unit: "pages/s",
      ours: round(ours),
      peers: {
        "one process, local log": round(one),
        "raw NATS, bytes only": round(raw),
        "MB/s of ours": round(ours * megabytes),
      },
      ratio: round(ours / one),
    };
  }),
];
for (const figure of figures) process.stdout.write(`${JSON.stringify(figure)}\n`);
process.exit(0);

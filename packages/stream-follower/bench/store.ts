/**
 * What the page log and the state indexer cost, in a process of its own and without HTTP. Pages
 * insert new stashes and update a third of the old ones, so the store grows while it is measured.
 *
 * Usage: node store.ts '{"stashes":10000,"smallPages":5000}'; prints one JSON array of figures.
 */
import { Effect } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Decode, Indexer, type Page, PageDecoder, PageLog, type PageCommit } from "../src/index.ts";
import { SinkSqlite, SqliteState } from "../src/sqlite/index.ts";
import { scanPage } from "../src/core/scanPage.ts";
import { pageText } from "./page.ts";

const order = JSON.parse(process.argv[2] ?? "{}") as {
  readonly stashes?: number;
  readonly smallPages?: number;
};
const STASHES = order.stashes ?? 10_000;
/** Pages that measure the ingest; the first ten warm it up. */
const INGESTED_PAGES = 40;
/** Pages that measure the indexer, at the beginning and at the end. */
const MEASURED_PAGES = 20;
/** Listed stashes that a page adds at least. */
const NEW_STASHES = 174;
const GROWTH_ITEMS = 4;
const SMALL_PAGES = order.smallPages ?? 5000;
const KEY = { source: "stashes", realm: "pc" } as const;

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const cpuOf = (work: () => unknown): number => {
  const begun = cpu();
  work();
  return cpu() - begun;
};
const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const mean = (values: ReadonlyArray<number>) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value: number) => Math.round(value * 100) / 100;
const figures: Array<object> = [];
const figure = (name: string, unit: string, ours: number, peers: Record<string, number>) => {
  const [first] = Object.values(peers);
  const ratio = first === undefined ? ours : ours / first;
  figures.push({ name, unit, ours: round(ours), peers, ratio: round(ratio) });
};

const folder = mkdtempSync(join(tmpdir(), "bench-store-"));
const path = join(folder, "pages.db");

/** Decodes and packs a body as the follower does. */
const commitOf = async (wire: Uint8Array, seq: bigint, encoding: string): Promise<PageCommit> => {
  const decoded = await Effect.runPromise(
    PageDecoder.sameThread.decode({
      wire,
      ownsBuffer: true,
      encoding,
      source: "stashes",
      level: "envelope",
      maxPageBytes: 64 * 1024 * 1024,
      threadsLost: 0,
    }),
  );
  const page: Page = {
    ...decoded,
    key: KEY,
    requestedId: seq === 1n ? undefined : String(seq - 1n),
    seq,
    previousSeq: seq - 1n,
    receivedAt: Date.now(),
    encoding,
    wireBytes: wire.length,
    quarantine: [],
    gaps: [],
    caughtUp: false,
  };
  return { page, stashes: Decode.stashes(page, "envelope").good, markets: [], quarantine: [] };
};

const program = Effect.gen(function* () {
  const store = yield* SinkSqlite.make({ path, keepBytes: 500e6 });
  yield* store.claim(KEY, 1);
  let seq = 0n;
  const append = async (wire: Uint8Array, encoding = "gzip") => {
    seq += 1n;
    const commit = await commitOf(wire, seq, encoding);
    const { checksum, nextId, receivedAt } = commit.page;
    const checkpoint = { nextId, seq, epoch: 1, checksum, receivedAt };
    const batch = { key: KEY, previousSeq: seq - 1n, pages: [commit], checkpoint } as const;
    await Effect.runPromise(store.commit(batch, 1));
  };

  // Scanner, gunzip and ingest of a page, in turn.
  const text = pageText(0);
  const raw = Buffer.from(text);
  const times = { scan: [], parse: [] } as Record<string, Array<number>>;
  const timed = (name: string, work: () => unknown) => {
    const begun = cpu();
    work();
    times[name]!.push(cpu() - begun);
  };
  for (let turn = 0; turn < 25; turn += 1) {
    timed("scan", () => scanPage(raw));
    timed("parse", () => JSON.parse(raw.toString()));
  }
  // The first turns compile the scanner.
  const [scan, parse] = ["scan", "parse"].map((name) => median(times[name]!.slice(5)));
  figure("scanner, 5 MB page", "ms", scan!, { "JSON.parse": round(parse!) });

  const state = yield* SqliteState.make({ path });
  const index = Effect.provideService(
    Indexer.run(state, { key: KEY, until: "caughtUp" }),
    PageLog.PageLog,
    store,
  );
  // By itself, over pages that were made before: beside the indexer, or beside what makes a page,
  // it would also pay for what those leave to the collector.
  const ingest: Array<number> = [];
  const main: Array<number> = [];
  const gunzips: Array<number> = [];
  const wires = Array.from({ length: INGESTED_PAGES }, (_, page) =>
    gzipSync(pageText(page + 1), { level: 1 }),
  );
  globalThis.gc?.();
  for (const wire of wires) {
    const begun = cpu();
    const thread = process.threadCpuUsage();
    yield* Effect.promise(() => append(wire));
    ingest.push(cpu() - begun);
    const { system, user } = process.threadCpuUsage(thread);
    main.push((user + system) / 1000);
    gunzips.push(cpuOf(() => gunzipSync(wire, { chunkSize: 8 * 1024 * 1024 })));
  }
  yield* index;
  let page = INGESTED_PAGES;
  /** Applies live-sized pages; CPU of each. */
  const indexPages = (count: number) =>
    Effect.gen(function* () {
      const spent: Array<number> = [];
      for (const end = page + count; page < end;) {
        page += 1;
        const wire = gzipSync(pageText(page), { level: 1 });
        yield* Effect.promise(() => append(wire));
        const begun = cpu();
        yield* index;
        spent.push(cpu() - begun);
      }
      return spent;
    });
  const first = yield* indexPages(MEASURED_PAGES);
  // The growth in between is not measured: stashes of few items, and bodies that need no inflating.
  const growth = Math.ceil(STASHES / NEW_STASHES) - INGESTED_PAGES - 2 * MEASURED_PAGES;
  for (let grown = 0; grown < growth; grown += 1) {
    page += 1;
    const body = Buffer.from(pageText(page, GROWTH_ITEMS));
    yield* Effect.promise(() => append(body, ""));
    if (grown % 8 === 7) yield* index;
  }
  yield* index;
  const last = yield* indexPages(MEASURED_PAGES);
  figure("ingest CPU per 5 MB page, all threads", "ms", median(ingest.slice(10)), {
    "gunzip of the same pages, in turn": round(median(gunzips.slice(10))),
  });
  // The clock of a thread moves in ticks as long as a page: only the mean of many tells.
  figure("ingest CPU per 5 MB page, main thread", "ms", mean(main.slice(10)), {});
  const status = yield* SinkSqlite.readStatus({ path });
  const listed = status[0]?.rows ?? 0;
  figure(`state indexer at ${listed} stashes`, "pages/s of one core", 1000 / median(last), {
    "pages/s at the beginning": round(1000 / median(first.slice(2))),
  });
  const queries = { status: [], feed: [] } as Record<string, Array<number>>;
  for (let turn = 0; turn < 30; turn += 1) {
    let begun = performance.now();
    yield* store.status;
    queries["status"]!.push(performance.now() - begun);
    begun = performance.now();
    yield* state.changes({ realm: "pc", since: BigInt(Math.floor(page / 2)), limit: 500 });
    queries["feed"]!.push(performance.now() - begun);
  }
  figure(`status at ${listed} stashes`, "ms", median(queries["status"]!), {});
  figure(`change feed of 500 at ${listed} stashes`, "ms", median(queries["feed"]!), {});

  // Small pages, very many of them: a commit must not depend on how many went before.
  const small: Array<number> = [];
  const body = gzipSync(smallText());
  for (let count = 0; count < SMALL_PAGES; count += 1) {
    const begun = cpu();
    yield* Effect.promise(() => append(body));
    small.push(cpu() - begun);
  }
  figure(`ingest of small page ${SMALL_PAGES}`, "ms", mean(small.slice(-500)), {
    "page 1,000": round(mean(small.slice(700, 1200))),
  });
});

const smallText = () =>
  JSON.stringify({
    next_change_id: "x",
    stashes: Array.from({ length: 20 }, (_, index) => ({
      id: String(index).padStart(64, "0"),
      public: true,
      items: [],
    })),
  });

await Effect.runPromise(Effect.scoped(program));
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(figures)}\n`);

/**
 * Benchmark of the page log and the state indexer, in a process of its own and without HTTP. Pages
 * insert new stashes and update a third of the old ones, so the store grows while it is measured.
 *
 * Usage: node store.ts '{"stashes":10000,"smallPages":5000}'; prints one JSON array of figures.
 */
import { Effect } from "effect";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Decode, Indexer, type Page, PageLog, type PageCommit } from "../src/index.ts";
import { decodeBody } from "../src/core/decodeBody.ts";
import { release } from "../src/core/ownedBytes.ts";
import { SinkSqlite, SqliteState } from "../src/sqlite/index.ts";
import { readPage } from "../src/core/readPage.ts";
import { pageText } from "./page.ts";

const order = JSON.parse(process.argv[2] ?? "{}") as {
  readonly stashes?: number;
  readonly smallPages?: number;
};
const STASHES = order.stashes ?? 10_000;
/** Pages that measure the ingest; the first block warms it up. */
const INGESTED_PAGES = 50;
const BLOCK_PAGES = 10;
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
/**
 * CPU of pieces of work, in blocks that take turns: page by page each would also pay for what the
 * others leave to the collector. The first block of each warms it up.
 */
const inBlocks = (...works: ReadonlyArray<() => unknown>): ReadonlyArray<number> => {
  const means = works.map((): Array<number> => []);
  for (let round_ = 0; round_ < 6; round_ += 1) {
    for (const [index, work] of works.entries()) {
      globalThis.gc?.();
      means[index]!.push(mean(Array.from({ length: BLOCK_PAGES }, () => cpuOf(work))));
    }
  }
  return means.map((all) => median(all.slice(1)));
};
const figures: Array<object> = [];
const figure = (name: string, unit: string, ours: number, peers: Record<string, number>) => {
  const [first] = Object.values(peers);
  const ratio = first === undefined ? ours : ours / first;
  figures.push({ name, unit, ours: round(ours), peers, ratio: round(ratio) });
};

const folder = mkdtempSync(join(tmpdir(), "bench-store-"));
const path = join(folder, "pages.db");

/** Decodes and packs a body as the follower does; it releases the text when it is committed. */
const commitOf = async (wire: Uint8Array, seq: bigint, encoding: string): Promise<PageCommit> => {
  const decoded = await Effect.runPromise(
    decodeBody({
      wire,
      encoding,
      source: "stashes",
      level: "envelope",
      maxPageBytes: 64 * 1024 * 1024,
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
    quarantine: [],
    gaps: [],
    tries: 1,
  };
  return Decode.commitOf(page);
};

const program = Effect.gen(function* () {
  const store = yield* SinkSqlite.make({ path, keepBytes: 500e6 });
  yield* store.claim(KEY, 1);
  let seq = 0n;
  const append = async (wire: Uint8Array, encoding = "gzip") => {
    seq += 1n;
    const commit = await commitOf(wire, seq, encoding);
    await Effect.runPromise(store.commit(Decode.batchOf(commit), 1));
    release(commit.page.raw);
  };

  const state = yield* SqliteState.make({ path });
  const index = Effect.provideService(
    Indexer.run(state, { key: KEY, until: "caughtUp" }),
    PageLog.PageLog,
    store,
  );
  // By itself and in blocks, for the same reason.
  const ingest: Array<number> = [];
  const main: Array<number> = [];
  const gunzips: Array<number> = [];
  const made = join(import.meta.dirname, "makePages.ts");
  execFileSync(process.execPath, [made, folder, String(INGESTED_PAGES)]);
  for (let block = 0; block < INGESTED_PAGES; block += BLOCK_PAGES) {
    const wires = Array.from({ length: BLOCK_PAGES }, (_, place) =>
      readFileSync(join(folder, `${block + place + 1}.gz`)),
    );
    globalThis.gc?.();
    for (const wire of wires) {
      const begun = cpu();
      const thread = process.threadCpuUsage();
      yield* Effect.promise(() => append(wire));
      ingest.push(cpu() - begun);
      const { system, user } = process.threadCpuUsage(thread);
      main.push((user + system) / 1000);
    }
    globalThis.gc?.();
    for (const wire of wires) {
      gunzips.push(cpuOf(() => gunzipSync(wire, { chunkSize: 8 * 1024 * 1024 })));
    }
  }
  // Means, since a collection falls on some pages for others; and the clock of a thread moves in
  // ticks as long as a page.
  const [ours, onMain, gunzip] = [ingest, main, gunzips].map((all) =>
    mean(all.slice(BLOCK_PAGES)),
  ) as [number, number, number];
  figure("ingest CPU per 5 MB page, all threads", "ms", ours, {
    "gunzip of the same pages": round(gunzip),
  });
  figure("ingest CPU per 5 MB page, main thread", "ms", onMain, {});

  const raw = Buffer.from(pageText(0));
  const [scan, parse] = inBlocks(
    () => readPage(raw, "stashes", "envelope"),
    () => JSON.parse(raw.toString()),
  );
  figure("scanner, 5 MB page", "ms", scan!, { "JSON.parse": round(parse!) });

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

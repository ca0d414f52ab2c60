/**
 * Whole runs with decoding threads: every sink gets what it gets without, and a thread's end loses
 * no page.
 */
import { describeWithService } from "@game-data/test-support";
import { Effect, Layer, References, Stream } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";

import { DecodeWorker } from "../src/workers/index.ts";
import { Follower, Lease, PageDecoder, PageSource, type QuarantineRecord } from "../src/index.ts";
import { SinkJsonl } from "../src/jsonl/index.ts";
import { SinkMemory } from "../src/memory/index.ts";
import { SinkPostgres } from "../src/postgres/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { keyName } from "../src/Model.ts";
import type { Sink } from "../src/Sink.ts";
import type { Answer, Seen } from "./support/FaultServer.ts";
import { brotli } from "./support/brotli.ts";
import { bodyOf, makeHistory } from "./support/History.ts";
import { differences, realWork, virtually } from "./support/Run.ts";
import { indexed } from "./support/SqliteFile.ts";
import { makeScoped } from "./support/Scoped.ts";
import { type Script, scripted } from "./support/ScriptedSource.ts";

const { scoped, close } = makeScoped();
let folder: string;
let threads: PageDecoder.PageDecoderService;
let dying: PageDecoder.PageDecoderService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "threads-"));
  threads = watched(await scoped(DecodeWorker.make({ threads: 2, timeout: "1 day" })));
  const script = new URL("./support/dyingThread.ts", import.meta.url);
  dying = watched(await scoped(DecodeWorker.make({ script, timeout: "1 day" })));
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

const { during, pending } = realWork();
const watched = ({ decode }: PageDecoder.PageDecoderService): PageDecoder.PageDecoderService => ({
  decode: (body) => during(decode(body)),
});

/** Packed, so that even a small page goes to a thread. */
const packed = (text: string): Answer => ({
  headers: { "content-encoding": "br" },
  body: brotli(text),
});

const quick = {
  until: "caughtUp",
  backoff: { base: 1, cap: 2 },
  badPageRetryDelays: [1, 1, 1],
  pollInterval: { min: 1, max: 1 },
} as const;

type Clocked = <A, E>(effect: Effect.Effect<A, E>) => Promise<A>;
const live: Clocked = (effect) => Effect.runPromise(effect);
const virtual: Clocked = async (effect) => Effect.runPromise(await virtually(effect, { pending }));

const run = (
  decoder: PageDecoder.PageDecoderService,
  script: Script,
  sink: Layer.Layer<Sink, unknown>,
  options: Partial<Follower.StashRun> | Follower.ExchangeRun = {},
  clocked = virtual,
) =>
  clocked(
    Follower.run({ source: "stashes", ...quick, ...options } as Follower.StashRun).pipe(
      Effect.provide(Layer.merge(sink, Lease.none)),
      Effect.provideService(PageSource.PageSource, scripted(script).source),
      Effect.provideService(PageDecoder.PageDecoder, decoder),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  );

const pages = makeHistory({ pages: 12, seed: 3 });
const odd = [
  { id: "e".repeat(64), public: true, items: [{ w: "wide" }] },
  { id: "", public: true },
  7,
];
const lines = (text: string) => text.replaceAll("},{", "},\n{");

/**
 * Pages of every form: usual, with stashes to be quarantined, over several lines, and one that
 * stays malformed.
 */
const stashScript = (hasFaults = true): Script => ({
  answer: ({ id }) => {
    const index = id === undefined ? 0 : pages.findIndex((page) => page.id === id);
    const page = pages[index];
    if (page === undefined) return packed(`{"next_change_id":"${id}","stashes":[]}`);
    if (hasFaults && index === 5) return packed(bodyOf(page).slice(0, -20));
    const stashes = index === 3 ? [...page.stashes, ...odd] : page.stashes;
    const text = JSON.stringify({ next_change_id: page.nextId, stashes });
    return packed(index === 7 ? lines(text) : text);
  },
  fault: ({ index }) => (hasFaults && index % 4 === 1 ? { kind: "wrongLength" } : undefined),
});

const hour = (id: number) => 3_600_000 + id * 3600;
const market = (id: string, at: number) => ({
  league: "Standard",
  market_id: id,
  volume_traded: { chaos: at, divine: 2.5 },
});
const hourScript = (): Script => ({
  answer: ({ id }) => {
    const at = id === undefined ? hour(0) : Number(id);
    if (at >= hour(6)) return packed(`{"next_change_id":${at},"markets":[]}`);
    const markets = [market("chaos|divine", at), { league: 5 }, market("chaos|é", at)];
    return packed(JSON.stringify({ next_change_id: at + 3600, markets }));
  },
});

const both = async (
  name: string,
  life: (decoder: PageDecoder.PageDecoderService, mark: string) => Promise<unknown>,
) => {
  const here = await life(PageDecoder.sameThread, `${name}-here`);
  const there = await life(threads, `${name}-there`);
  expect(there).toEqual(here);
  return here;
};

const streams = async (
  decoder: PageDecoder.PageDecoderService,
  sink: () => Layer.Layer<Sink, unknown>,
  clocked = virtual,
) => {
  const hasFaults = clocked === virtual;
  await run(decoder, stashScript(hasFaults), sink(), { decode: "full" }, clocked);
  const hours = { ...quick, source: "exchange", realm: "game2" } as const;
  await run(decoder, hourScript(), sink(), hours, clocked);
};

/** Counts the rows of every kind, so that two empty stores are no success. */
const counts = (seen: unknown) =>
  Object.values(seen as Record<string, ReadonlyArray<unknown>>).map((rows) => rows.length);

/** Fields that differ between two runs of the same thing: their times. */
const WHEN = new Set([
  "receivedAt",
  "firstSeen",
  "received_at",
  "first_seen",
  "last_event_at",
  "last_seen",
]);
const readable = (record: QuarantineRecord) => ({
  ...record,
  bytes: Buffer.from(record.bytes).toString(),
});
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      WHEN.has(name) ? 0 : typeof member === "bigint" ? String(member) : member,
    ),
  );

it("fills a memory, down to the values of every row", async () => {
  const seen = await both("memory", async (decoder) => {
    const memory = SinkMemory.empty();
    await streams(decoder, () => SinkMemory.layer(memory));
    return timeless({
      stashes: [...memory.stashes].map(([id, { change, seq }]) => ({
        ...{ id, seq, json: change?.json, value: change?.value, items: change?.items },
        columns: change,
      })),
      markets: [...memory.markets].map(([id, one]) => ({ id, ...one })),
      pages: memory.pages,
      quarantine: memory.quarantine.map(readable),
    });
  });
  expect(counts(seen)).toEqual([29, 12, 18, 10]);
});

it("fills a SQLite file", async () => {
  const seen = await both("sqlite", async (decoder, mark) => {
    const path = join(folder, `${mark}.db`);
    await streams(decoder, () => SinkSqlite.layer({ path }));
    await indexed(path);
    const rowsOf = (file: string, tables: ReadonlyArray<string>) => {
      const db = new DatabaseSync(file, { readOnly: true });
      const found = tables.map((table) =>
        (db.prepare(`SELECT * FROM ${table}`).all() as Array<Record<string, unknown>>).map((row) =>
          row["bytes_zstd"] instanceof Uint8Array
            ? { ...row, bytes_zstd: zstdDecompressSync(row["bytes_zstd"]).toString() }
            : { ...row, last_polled_at: 0 },
        ),
      );
      db.close();
      return found;
    };
    return timeless([
      ...rowsOf(path, ["checkpoint", "page", "gap", "quarantine"]),
      ...rowsOf(`${path}.index`, ["stash", "stash_doc", "market", "indexer"]),
    ]);
  });
  expect(counts(seen)).toEqual([2, 18, 0, 10, 29, 26, 12, 2]);
});

it("fills files of JSON lines", async () => {
  const seen = await both("jsonl", async (decoder, mark) => {
    const directory = join(folder, mark);
    await streams(decoder, () => SinkJsonl.layer({ directory }));
    const rows: Array<unknown> = [];
    for (const key of [
      { source: "stashes", realm: "pc" },
      { source: "exchange", realm: "game2" },
    ] as const) {
      await Effect.runPromise(
        SinkJsonl.read(directory, key, (row) => rows.push([keyName(key), row])),
      );
    }
    return timeless(rows);
  });
  expect(counts([seen])).toEqual([95]);
});

describeWithService("postgres", "with decoding threads", (url) => {
  it("fills a PostgreSQL schema", async () => {
    const { connect } = await import("../src/postgres/schema.ts");
    const seen = await both("postgres", async (decoder, mark) => {
      const schema = `${mark.replace("-", "_")}_${crypto.randomUUID().slice(0, 8)}`;
      await streams(decoder, () => SinkPostgres.layer({ url, schema }), live);
      return Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const sql = yield* connect({ url, schema });
            const stash = yield* sql<{ doc: Uint8Array | null }>`SELECT * FROM stash ORDER BY id`;
            const docs = stash.map((row) => ({
              ...row,
              doc: row.doc === null ? null : SinkPostgres.decodeDocument(row.doc),
            }));
            const market_ = yield* sql`SELECT * FROM market ORDER BY hour, market_id`;
            const aside = yield* sql`SELECT seq, kind, message, encode(bytes_zstd, 'hex') AS bytes
              FROM quarantine ORDER BY id`;
            const rows = timeless([docs, market_, aside]);
            yield* sql.unsafe(`DROP SCHEMA ${schema} CASCADE`);
            return rows;
          }),
        ),
      );
    });
    expect(counts(seen)).toEqual([29, 12, 9]);
  });
});

it("gives bare streams the same pages, and counts their bytes as they came", async () => {
  await both("stream", async (decoder) => {
    const found = await virtual(
      Stream.runCollect(Follower.stashes({ ...quick })).pipe(
        Effect.provideService(PageSource.PageSource, scripted(stashScript()).source),
        Effect.provideService(PageDecoder.PageDecoder, decoder),
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
    );
    const shown = [...found].map(({ raw, rows, wire, ...page }) => ({
      ...page,
      wire: Buffer.from(wire).toString("hex"),
      raw: Buffer.from(raw).toString(),
      quarantine: page.quarantine.map(readable),
      rows: rows.map(({ error, json }) => ({ error, json })),
    }));
    expect(shown.filter(({ wireBytes }) => wireBytes > 0)).toHaveLength(11);
    return timeless(shown);
  });
});

const deadly = (text: string) => text.replace('"next_change_id"', '"x":"the thread exits",$&');
const dyingScript = (isDeadly: (seen: Seen, earlier: number) => boolean): Script => {
  const asked = new Map<string | undefined, number>();
  return {
    answer: (seen) => {
      const earlier = asked.get(seen.id) ?? 0;
      asked.set(seen.id, earlier + 1);
      const index = seen.id === undefined ? 0 : pages.findIndex((page) => page.id === seen.id);
      const page = pages[index];
      const text = page === undefined ? "" : bodyOf(page);
      if (page === undefined) return packed(`{"next_change_id":"${seen.id}","stashes":[]}`);
      return packed(isDeadly(seen, earlier) ? deadly(text) : text);
    },
  };
};

it("loses no page to threads that end: each is asked for again and applied once", async () => {
  const memory = SinkMemory.empty();
  const script = dyingScript((seen, earlier) => earlier === 0 && seen.index % 3 === 0);
  // Without tries to spare: one thread that ends over each of several pages makes none of them
  // badPage.
  const summary = await run(dying, script, SinkMemory.layer(memory), { badPageRetryDelays: [] });
  expect(summary).toMatchObject({ pages: pages.length, ended: "caughtUp" });
  expect(differences(memory, pages)).toEqual([]);
  expect(memory.pages.map(({ seq }) => Number(seq))).toEqual(pages.map((_, index) => index + 1));
  expect(memory.quarantine).toEqual([]);
});

it("sets a page aside that ends every thread, after two of them and three more tries, and reads on", async () => {
  const memory = SinkMemory.empty();
  const poison = pages[4]!;
  const seen: Array<Seen> = [];
  const script = dyingScript((one) => {
    seen.push(one);
    return one.id === poison.id;
  });
  await run(dying, script, SinkMemory.layer(memory));
  expect(seen.filter(({ id }) => id === poison.id)).toHaveLength(5);
  expect(memory.quarantine).toMatchObject([
    { kind: "page", errorTag: "MalformedPage", nextId: poison.nextId, tries: 4 },
  ]);
  expect(Buffer.from(memory.quarantine[0]!.bytes).toString()).toBe(deadly(bodyOf(poison)));
  const others = pages.filter((page) => page !== poison);
  expect(differences(memory, others)).toEqual([]);
});

/** Contract of page logs and indexers, tested on each driver. */
import { describeWithService } from "@game-data/test-support";
import { Effect, Stream } from "effect";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Batch, Changes, Indexer, PageLog, Parts, type Sink, Verify } from "../src/index.ts";
import { SinkNats } from "../src/nats/index.ts";
import { PostgresIndexer, SinkPostgres } from "../src/postgres/index.ts";
import { SinkSqlite, SqliteIndexer, SqliteState } from "../src/sqlite/index.ts";
import { useCleanups, useCluster, useSchemas, newFolder } from "./support/hooks.ts";
import { batchOf as batchOfPages, commitOf, makePage } from "../src/testing/index.ts";
import { KEY, run, tagOf } from "./support/Run.ts";
import { listed } from "./support/Stores.ts";

const { scoped } = useCleanups();
type Log = Sink.SinkService & Sink.StoreService & PageLog.PageLogService;
const withLog = <A, E>(log: Log, effect: Effect.Effect<A, E, PageLog.PageLog>) =>
  run(Effect.provideService(effect, PageLog.PageLog, log));

const stash = (id: string, name = "tab") => listed(id, name, [{ id: `item of ${id}` }]);

const batchOf = (seq: bigint, rows: ReadonlyArray<unknown>, text?: string): Batch => {
  const page = makePage({ seq, ...(text === undefined ? { rows } : { text }), level: "envelope" });
  return batchOfPages(commitOf(page));
};

/** Ten pages of two stashes. */
const fill = async (log: Log, pages = 10) => {
  await run(log.claim(KEY, 1));
  for (let seq = 1n; seq <= BigInt(pages); seq += 1n) {
    await run(log.commit(batchOf(seq, [stash(`${seq}`), stash("ff", `of ${seq}`)]), 1));
  }
};

const readAll = async (log: Log, from: bigint): Promise<ReadonlyArray<PageLog.LoggedPage>> => {
  const pages = await run(log.read(KEY, from, { maxPages: 100 }));
  const last = pages.at(-1);
  return last === undefined ? [] : [...pages, ...(await readAll(log, last.seq))];
};

/** How an effect over a log ends: the tag of its error. */
const endOf = async <E>(log: Log, effect: Effect.Effect<unknown, E, PageLog.PageLog>) =>
  tagOf(await withLog(log, Effect.exit(effect)));
/** All of a log that an indexer has not applied. */
const once = (log: Log, indexer: Indexer.Indexer, more: Partial<Indexer.IndexOptions> = {}) =>
  withLog(log, Indexer.run(indexer, { key: KEY, until: "caughtUp", ...more }));

const logContract = (open: () => Promise<Log>) => {
  it("gives the pages after a position, in order, as many as are asked for", async () => {
    const log = await open();
    expect(await run(log.read(KEY, 0n))).toEqual([]);
    await fill(log);
    const all = await readAll(log, 0n);
    expect(all.map(({ nextId }) => nextId)).toEqual("1 2 3 4 5 6 7 8 9 10".split(" "));
    expect(all[0]).toMatchObject({ requestedId: undefined, state: "ok", rows: 2 });
    // A read may give fewer than it could, and none only at the end.
    const middle = await run(log.read(KEY, all[3]!.seq, { maxPages: 2 }));
    expect(["5", "5 6"]).toContain(middle.map(({ nextId }) => nextId).join(" "));
    expect(await run(log.read(KEY, all[9]!.seq))).toEqual([]);
    // The first page comes however large it is.
    expect(await run(log.read(KEY, 0n, { maxBytes: 1 }))).toHaveLength(1);
    const [position] = await run(log.positions);
    expect(position).toMatchObject({ key: KEY, nextId: "10", seq: all[9]!.seq });
    expect(position!.bytes).toBeGreaterThan(0);
  });

  it("is whole while it is written, up to where it stood when the check began", async () => {
    const log = await open();
    await fill(log, 3);
    let seq = 3n;
    const next = Effect.suspend(() =>
      Effect.orDie(log.commit(batchOf((seq += 1n), [stash("4")]), 1)),
    );
    // Another page right after each look at the position.
    const busy = { ...log, positions: Effect.tap(log.positions, next) };
    const checked = await withLog(busy, Verify.verify(KEY, { deep: true }));
    expect(checked).toMatchObject({ problems: [], pages: 3 });
    const [status] = await run(log.status);
    expect(status).toMatchObject({ pages: Number(seq), oldestSeq: checked.first });
  });

  it("gives the body and the bounds of each change as they came", async () => {
    const log = await open();
    await fill(log, 1);
    const [page] = await run(log.read(KEY, 0n));
    const raw = await run(PageLog.jsonOf(page!));
    const texts = [...PageLog.changes(page!, raw)].map(({ json }) => JSON.parse(json) as unknown);
    expect(texts).toEqual([stash("1"), stash("ff", "of 1")]);
    expect(page!.bounds.map(({ isListed }) => isListed)).toEqual([true, true]);
  });

  it("feeds changes by shards, from a stored version on, and ends at the end", async () => {
    const log = await open();
    await fill(log, 4);
    const read = (options: Partial<Changes.SubscribeOptions>) =>
      withLog(
        log,
        Stream.runCollect(Changes.subscribe({ key: KEY, until: "caughtUp", ...options })),
      );
    const all = await read({});
    expect(all.map(({ changes }) => changes.map(({ name }) => name))).toEqual(
      [1, 2, 3, 4].map((seq) => ["tab", `of ${seq}`]),
    );
    expect(await read({ after: all[2]!.version })).toHaveLength(1);
    expect(await read({ after: all[2]! })).toHaveLength(1);
    // The same number in a log that was made anew.
    for (const version of [all[2]!.version, all[3]!.version]) {
      const options = { key: KEY, until: "caughtUp", after: { version, nextId: "other" } } as const;
      expect(await endOf(log, Stream.runDrain(Changes.subscribe(options)))).toBe("ChainBroken");
    }
    const shard = Changes.shardOf("ff".padStart(64, "0"), 4);
    const mine = await read({ shards: { count: 4, mine: new Set([shard]) } });
    const others = await read({
      shards: { count: 4, mine: new Set([0, 1, 2, 3].filter((each) => each !== shard)) },
    });
    const idsOf = (batches: typeof all) =>
      batches.flatMap(({ changes }) => changes.map(({ id }) => id));
    expect([...idsOf(mine), ...idsOf(others)].toSorted()).toEqual(idsOf(all).toSorted());
    expect(mine).toHaveLength(4);
  });
};

/** A log whose pages are pruned on demand. */
const pruneContract = (open: () => Promise<Log>) => {
  it("is not read from a position beyond its end, which a log that was made anew has", async () => {
    const log = await open();
    await fill(log, 2);
    const options = { key: KEY, after: 9999n, until: "caughtUp" } as const;
    const reading = Changes.run({ ...options, apply: () => Effect.void });
    expect(await endOf(log, reading)).toBe("SinkError");
  });

  it("says so where pages after a position were pruned, and waits for readers before", async () => {
    const log = await open();
    await fill(log);
    const [position] = await run(log.positions);
    const keep = { bytes: Math.ceil(position!.bytes * 0.55) };
    await run(log.acknowledge("slow", KEY, 2n));
    expect((await run(log.prune(KEY, keep, { dryRun: true }))).pages).toBe(2);
    expect((await run(log.prune(KEY, keep))).pages).toBe(2);
    expect(tagOf(await Effect.runPromiseExit(log.read(KEY, 1n)))).toBe("HistoryExpired");
    expect((await run(log.read(KEY, 2n))).length).toBe(8);
    // A log that should keep next to nothing waits for it as well.
    expect((await run(log.prune(KEY, { bytes: 1 }))).pages).toBe(0);
    const forced = await run(log.prune(KEY, keep, { force: true }));
    expect(forced.isAheadOfReaders).toBe(true);
    expect(tagOf(await Effect.runPromiseExit(log.read(KEY, 2n)))).toBe("HistoryExpired");
    const [after] = await run(log.positions);
    expect(after!.bytes).toBeLessThanOrEqual(keep.bytes);
    const behind = Stream.runDrain(Changes.subscribe({ key: KEY, after: 1n }));
    expect(await endOf(log, behind)).toBe("HistoryExpired");
  });
};

interface OpenIndexer {
  readonly indexer: Indexer.Indexer & { readonly reset: Effect.Effect<void, unknown> };
  /** Stash names by id. */
  readonly rows: () => Promise<ReadonlyArray<string>>;
}

const indexerContract = (
  open: () => Promise<{
    readonly log: Log;
    readonly index: (version?: number) => Promise<OpenIndexer>;
  }>,
) => {
  it("applies each page once, from its own position, and keeps what cannot be applied", async () => {
    const { index, log } = await open();
    await fill(log, 3);
    const { indexer, rows } = await index();
    expect(await once(log, indexer, { batchPages: 2 })).toEqual({ pages: 3, seq: 3n });
    expect(await once(log, indexer)).toEqual({ pages: 0, seq: 3n });
    expect(await rows()).toEqual(["1 tab 1", "2 tab 1", "3 tab 1", "ff of 3 3"]);
    await run(log.commit(batchOf(4n, [stash("refused"), stash("ff", "of 4")]), 1));
    expect(await once(log, indexer)).toEqual({ pages: 1, seq: 4n });
    expect(await rows()).toContain("ff of 4 4");
    const records = await run(log.quarantine);
    expect(records.map(({ errorTag, indexer: by, place }) => [errorTag, by, place])).toEqual([
      ["Refused", "names", 0],
    ]);
  });

  it("goes on with no log that ends before its position: it was made anew", async () => {
    const { index, log } = await open();
    await fill(log, 3);
    const { indexer } = await index();
    await once(log, indexer);
    const shorter = Effect.map(log.positions, (all) => all.map((one) => ({ ...one, seq: 1n })));
    const anew = Indexer.run(indexer, { key: KEY, until: "caughtUp" });
    expect(await endOf({ ...log, positions: shorter }, anew)).toBe("SinkError");
  });

  it("is fenced where another process has moved its position", async () => {
    const { index, log } = await open();
    await fill(log, 2);
    const { indexer } = await index();
    const { indexer: other } = await index();
    const pages = await run(log.read(KEY, 0n));
    const [first, second] = pages;
    await run(other.apply(KEY, [first!], 0n));
    expect(tagOf(await Effect.runPromiseExit(indexer.apply(KEY, [first!], 0n)))).toBe("Fenced");
    await run(indexer.apply(KEY, [second!], 1n));
    expect(await run(other.position(KEY))).toBe(2n);
  });

  it("goes on where another process has moved its position, and that is no failure", async () => {
    const { index, log } = await open();
    await fill(log, 3);
    const [{ indexer }, { indexer: other, rows }] = [await index(), await index()];
    let asked = 0;
    const raced: Indexer.Indexer = {
      ...indexer,
      apply: (key, pages, after) =>
        Effect.andThen(
          (asked += 1) === 1 ? other.apply(key, pages, after) : Effect.void,
          indexer.apply(key, pages, after),
        ) as Effect.Effect<void, never>,
    };
    const parts: Map<string, Parts.StreamCell> = new Map();
    const options = { key: KEY, until: "caughtUp", batchPages: 1 } as const;
    const racing = Effect.provideService(Indexer.run(raced, options), Parts.Parts, parts);
    const done = await withLog(log, racing);
    expect(done).toEqual({ pages: 2, seq: 3n });
    const told = parts.get("stashes/pc")?.parts.get(`indexer ${indexer.name}`)?.now;
    expect([told?.failures, told?.lastError]).toEqual([0, undefined]);
    expect((await rows()).length).toBeGreaterThan(0);
  });

  it("sets aside the page that it is told to skip, with its text, and goes on", async () => {
    const { index, log } = await open();
    await fill(log, 4);
    const { indexer, rows } = await index();
    const skip = { after: 2n, detail: "no memory" };
    expect(await once(log, indexer, { batchPages: 1, skip })).toEqual({ pages: 4, seq: 4n });
    expect(await rows()).toEqual(["1 tab 1", "2 tab 1", "4 tab 1", "ff of 4 3"]);
    const [record, ...others] = await run(log.quarantine);
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      ...{ kind: "page", seq: 3n, indexer: "names", errorTag: "PoisonPage", message: "no memory" },
    });
    expect(record).not.toHaveProperty("place");
    const [page] = await run(log.read(KEY, 2n, { maxPages: 1 }));
    expect(Buffer.from(record!.bytes)).toEqual(Buffer.from(await run(PageLog.jsonOf(page!))));
  });

  it("begins again when it is reset, and when its version changes", async () => {
    const { index, log } = await open();
    await fill(log, 2);
    const { indexer, rows } = await index();
    await once(log, indexer);
    await run(indexer.reset as Effect.Effect<void, never>);
    expect(await run(indexer.position(KEY))).toBe(0n);
    expect(await rows()).toEqual([]);
    expect((await once(log, indexer)).pages).toBe(2);
    const next = await index(2);
    expect(await run(next.indexer.position(KEY))).toBe(0n);
    expect((await once(log, next.indexer)).pages).toBe(2);
  });
};

/** The rows of the indexer that these tests bring: `id`, name, number of applications. */
const TABLE = "CREATE TABLE name (id TEXT PRIMARY KEY, name TEXT NOT NULL, times INTEGER NOT NULL)";
const UPSERT = `INSERT INTO name AS n (id, name, times) VALUES (?, ?, 1)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, times = n.times + 1`;
const valuesOf = (json: string): readonly [string, string] => {
  const { id, stash: name } = JSON.parse(json) as { id: string; stash: string };
  return [id.replace(/^0+/u, ""), name];
};

describe("the change feed of the state", () => {
  it("is in the order of pages, also past page 9", async () => {
    const path = join(newFolder(), "log.db");
    const log = await scoped(SinkSqlite.make({ path }));
    await fill(log, 12);
    const state = await scoped(SqliteState.make({ path }));
    await once(log, state, { batchPages: 3 });
    const feed = await run(state.changes({ realm: "pc", since: 0n }));
    expect(feed.map(({ seq }) => Number(seq))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12]);
    expect(await run(state.changes({ realm: "pc", since: 10n, limit: 1 }))).toMatchObject([
      { seq: 11n },
    ]);
  });
});

describe("sqlite", () => {
  const open = (path = join(newFolder(), "log.db")) => scoped(SinkSqlite.make({ path }));
  logContract(open);
  pruneContract(open);
  indexerContract(async () => {
    const path = join(newFolder(), "log.db");
    const tables = { path: `${path}.index`, name: "names", tables: { name: TABLE } };
    return {
      log: await open(path),
      index: async (version = 1) => {
        const prepare: SqliteIndexer.SqliteIndexerOptions["prepare"] = ({ db, reject }) => {
          const upsert = db.prepare(UPSERT);
          return {
            apply: (page) => {
              for (const change of page.changes) {
                const [id, name] = valuesOf(change.json);
                if (id === "refused") reject(page, change, "Refused", "by its id");
                else upsert.run(id, name);
              }
            },
          };
        };
        const indexer = await scoped(SqliteIndexer.make({ ...tables, version, prepare }));
        const all = indexer.db.prepare(
          "SELECT id || ' ' || name || ' ' || times AS t FROM name ORDER BY id",
        );
        return { indexer, rows: async () => all.all().map((row) => (row as { t: string }).t) };
      },
    };
  });
});

describeWithService("postgres", "postgres", (database) => {
  const nextUrl = useSchemas(database);
  const store = async (keep: { readonly keepPages?: number } = {}) => {
    const url = nextUrl();
    return { url, log: await scoped(SinkPostgres.make({ url, ...keep })) };
  };
  logContract(async () => (await store()).log);
  pruneContract(async () => (await store()).log);
  it("waits for the slowest reader of the stream, until it has twice its pages", async () => {
    const { log } = await store({ keepPages: 2 });
    await run(log.acknowledge("another", { ...KEY, realm: "console_a" }, 0n));
    await run(log.acknowledge("slow", KEY, 1n));
    await run(log.acknowledge("quick", KEY, 4n));
    const first = async () => (await run(log.positions))[0]!.oldestSeq;
    const firsts: Array<unknown> = [];
    await run(log.claim(KEY, 1));
    for (let seq = 1n; seq <= 6n; seq += 1n) {
      await run(log.commit(batchOf(seq, [stash(`${seq}`)]), 1));
      firsts.push(await first());
    }
    await run(log.acknowledge("slow", KEY, 6n));
    await run(log.commit(batchOf(7n, [stash("7")]), 1));
    expect([...firsts, await first()]).toEqual([1n, 1n, 2n, 2n, 2n, 3n, 5n]);
  });
  it("tells a counter of pages that was changed by hand", async () => {
    const { connect } = await import("../src/postgres/schema.ts");
    const { log, url } = await store();
    await fill(log, 3);
    const sql = await scoped(connect({ url }));
    await run(sql`UPDATE checkpoint SET pages = pages + 7`);
    expect((await withLog(log, Verify.verify(KEY))).problems).toEqual([
      "The database: the checkpoint of stashes/pc says pages 10, its tables say 3.",
    ]);
  });
  indexerContract(async () => {
    const { log, url } = await store();
    return {
      log,
      index: async (version = 1) => {
        const indexer = await scoped(
          PostgresIndexer.make({
            url,
            name: "names",
            version,
            tables: { name: TABLE },
            apply: (page, { reject, sql }) =>
              Effect.gen(function* () {
                for (const change of page.changes) {
                  const [id, name] = valuesOf(change.json);
                  if (id === "refused") yield* reject(page, change, "Refused", "by its id");
                  else yield* sql.unsafe(UPSERT.replace("?", "$1").replace("?", "$2"), [id, name]);
                }
              }),
          }),
        );
        return {
          indexer,
          rows: async () => {
            const rows = await run(
              indexer.sql<{ t: string }>`
                SELECT id || ' ' || name || ' ' || times AS t FROM name ORDER BY id COLLATE "C"`,
            );
            return rows.map(({ t }) => t);
          },
        };
      },
    };
  });
});

describeWithService("nats", "nats", (program) => {
  const cluster = useCluster(program);
  logContract(() => {
    return scoped(SinkNats.make({ url: cluster.nextUrl(), keepBytes: 100e6 }));
  });
});

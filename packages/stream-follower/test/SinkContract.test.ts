/** Contract of sinks, tested on each of them. */
import { describeWithService } from "@game-data/test-support";
import { type Array as Arr, Effect, Exit, Scope, Redacted } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Batch,
  Changes,
  type PageCommit,
  PageLog,
  type QuarantineRecord,
  type Sink,
  type StreamKey,
} from "../src/index.ts";
import { SinkMemory } from "../src/memory/index.ts";
import { SinkNats } from "../src/nats/index.ts";
import { SinkPostgres } from "../src/postgres/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { type NatsCluster, startCluster } from "./support/NatsCluster.ts";
import { commitOf, makePage } from "./support/Pages.ts";
import { tagOf } from "./support/Run.ts";
import { indexed, indexedAt, stashesOf } from "./support/SqliteFile.ts";

const KEY: StreamKey = { source: "stashes", realm: "pc" };
const HOURS: StreamKey = { source: "exchange", realm: "game2" };
const stashId = (name: string) => name.padStart(64, "0");

interface Opened {
  readonly sink: Sink.SinkService;
  /** Stash id to document, `null` for a tombstone. */
  readonly stashes: () => Promise<Map<string, string | null>>;
  readonly markets: () => Promise<number>;
  /** Stashes in the table, where ids as text may look alike. */
  readonly count?: () => Promise<number>;
}

const page = (seq: bigint, rows: ReadonlyArray<unknown>, key = KEY): PageCommit =>
  commitOf(makePage({ key, seq, rows, checksum: `hash of ${seq}` }));

const batch = (...pages: Arr.NonEmptyArray<PageCommit>): Batch => {
  const first = pages[0].page;
  const last = pages.at(-1)!.page;
  const { nextId, seq, checksum, receivedAt } = last;
  return {
    key: first.key,
    previousSeq: first.previousSeq,
    pages,
    checkpoint: { nextId, seq, epoch: 0, checksum, receivedAt },
  };
};

const listed = (id: string, name: string) => ({
  id: stashId(id),
  public: true,
  accountName: "Exile#1",
  stash: name,
  stashType: "PremiumStash",
  league: "Standard",
  items: [{ id: "i1" }, { id: "i2" }],
});

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect);
const exitOf = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromiseExit(effect);

const contract = (open: () => Promise<Opened>) => {
  it("stands nowhere at first, and where the last batch ended afterwards", async () => {
    const { sink } = await open();
    expect(await run(sink.claim(KEY, 1))).toBe(undefined);
    await run(sink.commit(batch(page(1n, []), page(2n, [])), 1));
    const standing = { nextId: "2", seq: 2n, epoch: 1, checksum: "hash of 2", receivedAt: 1000 };
    expect(await run(sink.claim(KEY, 1))).toEqual(standing);
    expect(await run(sink.claim(KEY, 4))).toEqual({ ...standing, epoch: 4 });
  });

  it("keeps streams apart: a commit of one leaves the other where it stands", async () => {
    const { sink } = await open();
    await run(sink.claim(KEY, 1));
    await run(sink.claim(HOURS, 7));
    await run(sink.commit(batch(page(1n, [])), 1));
    expect(await run(sink.claim(HOURS, 7))).toBe(undefined);
  });

  it("replaces a stash by its later appearance, also within one batch, and keeps tombstones [ST-07] [ST-08]", async () => {
    const { sink, stashes } = await open();
    await run(sink.claim(KEY, 1));
    const first = page(1n, [listed("a", "old"), listed("b", "gone"), listed("a", "new")]);
    const second = page(2n, [listed("c", "one"), { id: stashId("b"), public: false }]);
    await run(sink.commit(batch(first, second), 1));
    const state = await stashes();
    expect(JSON.parse(state.get(stashId("a"))!)).toEqual(listed("a", "new"));
    expect(JSON.parse(state.get(stashId("c"))!)).toEqual(listed("c", "one"));
    expect(state.get(stashId("b"))).toBe(null);
    await run(sink.commit(batch(page(3n, [{ id: stashId("a"), public: false }])), 1));
    expect((await stashes()).get(stashId("a"))).toBe(null);
  });

  it("refuses an older epoch, in claim and in commit, and writes nothing", async () => {
    const { sink, stashes } = await open();
    await run(sink.claim(KEY, 2));
    await run(sink.claim(KEY, 3));
    const stale = batch(page(1n, [listed("z", "stale")]));
    expect(tagOf(await exitOf(sink.commit(stale, 2)))).toBe("Fenced");
    expect(tagOf(await exitOf(sink.claim(KEY, 2)))).toBe("Fenced");
    expect((await stashes()).size).toBe(0);
    expect(tagOf(await exitOf(sink.commit(stale, 3)))).toBe(undefined);
  });

  it("refuses a batch that does not begin where it stands: nothing is applied twice, nothing left out", async () => {
    const { sink, stashes } = await open();
    await run(sink.claim(KEY, 1));
    await run(sink.commit(batch(page(1n, [listed("a", "first")])), 1));
    const again = batch(page(1n, [listed("a", "again")]));
    const ahead = batch(page(3n, [listed("a", "ahead")]));
    expect(tagOf(await exitOf(sink.commit(again, 1)))).toBe("Fenced");
    expect(tagOf(await exitOf(sink.commit(ahead, 1)))).toBe("Fenced");
    expect(JSON.parse((await stashes()).get(stashId("a"))!).stash).toBe("first");
  });

  it("lets one of two writers through when both begin at the same page", async () => {
    const { sink } = await open();
    await run(sink.claim(KEY, 1));
    const exits = await Promise.all(
      ["one", "two"].map((name) => exitOf(sink.commit(batch(page(1n, [listed("a", name)])), 1))),
    );
    expect(exits.map(tagOf).toSorted()).toEqual(["Fenced", undefined]);
  });

  it("stores markets by hour, league and pair", async () => {
    const { sink, markets } = await open();
    await run(sink.claim(HOURS, 1));
    const market = (id: string) => ({ league: "Standard", market_id: id, volume_traded: {} });
    const rows = [market("chaos|divine"), market("chaos|exalted"), market("chaos|divine")];
    await run(sink.commit(batch(page(1n, rows, HOURS)), 1));
    expect(await markets()).toBe(2);
  });

  it("keeps ids that text columns cannot hold: they are the ids to go on from", async () => {
    for (const [index, nextId] of ["a\u0000b", "\ud800", 'json:"x"', "plain"].entries()) {
      const { sink } = await open();
      await run(sink.claim(KEY, 1));
      const one = commitOf(makePage({ seq: 1n, nextId, checksum: "c" }));
      const again = commitOf(makePage({ seq: 2n, requestedId: nextId, nextId, checksum: "d" }));
      await run(sink.commit(batch(one), 1));
      await run(sink.commit(batch(again), 1));
      expect([index, (await run(sink.claim(KEY, 1)))?.nextId]).toEqual([index, nextId]);
    }
  });

  it("stores every row that could be poison, and the good ones beside it", async () => {
    // Incompressible, so that no index hides its length by compressing it.
    let state = 1;
    const random = (length: number) =>
      Array.from({ length }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return String.fromCharCode(33 + ((state >>> 16) % 90)).replace(/["\\]/u, "x");
      }).join("");
    const odd = (id: string, more: Record<string, unknown> = {}) => ({
      ...listed("x", "odd"),
      ...more,
      id,
    });
    const poison = [
      odd("nul\u0000id"),
      odd(random(9000)),
      odd("\ud800 lone"),
      odd("\ud801 lone"),
      odd(stashId("1"), { accountName: "nul\u0000", league: "\udfff" }),
      odd(stashId("2"), { accountName: random(9000), league: random(9000) }),
      odd(stashId("3"), { stash: random(100_000) }),
    ];
    const good = Array.from({ length: 300 - poison.length }, (_, index) =>
      listed(`${index + 10}`, "good"),
    );
    for (const rows of [...poison.map((one) => [one]), [...poison, ...good]]) {
      const { count, sink, stashes } = await open();
      await run(sink.claim(KEY, 1));
      await run(sink.commit(batch(page(1n, rows)), 1));
      const all = await stashes();
      expect(count === undefined ? all.size : await count()).toBe(rows.length);
    }
  });

  it("keeps text as it came: quotes, line ends, other scripts, U+0000", async () => {
    const { sink, stashes } = await open();
    await run(sink.claim(KEY, 1));
    const odd = { ...listed("a", '"\r\n\u2028 이름 \u0000 \ud83d\ude00'), accountName: "é\u0000" };
    await run(sink.commit(batch(page(1n, [odd])), 1));
    expect(JSON.parse((await stashes()).get(stashId("a"))!)).toEqual(odd);
  });
};

/** Tests the guarantees that the stores of this package give besides those of a sink. */
const storeContract = (
  open: (keepPages: number) => Promise<{
    readonly store: Sink.SinkService & Sink.StoreService;
    /** Numbers of the pages that the journal holds, and documents of the markets, in order. */
    readonly journal?: () => Promise<ReadonlyArray<string>>;
    readonly marketDocs: () => Promise<ReadonlyArray<string>>;
  }>,
) => {
  /** The hour `requestedId` as page `seq`. */
  const hour = (seq: bigint, requestedId: string, values: ReadonlyArray<string> = []) => {
    const rows = values.map((value) => ({ league: "Standard", market_id: "a|b", value }));
    return commitOf(makePage({ key: HOURS, seq, rows, requestedId, previousSeq: seq - 3600n }));
  };

  it("lets no replay of an old record replace a newer market, and lets it replace an older one", async () => {
    const { store, marketDocs } = await open(10);
    await run(store.claim(HOURS, 1));
    const aside: QuarantineRecord = {
      kind: "row",
      requestedId: "3600",
      nextId: "7200",
      errorTag: "MalformedRow",
      message: "",
      bytes: Buffer.from("{}"),
      tries: 1,
    };
    // The same hour comes twice, as it may after starting over; both times with a quarantined row.
    for (const [seq, value] of [
      [3600n, "first"],
      [7200n, "second"],
    ] as const) {
      const one = { ...hour(seq, "3600", [value]), quarantine: [aside] };
      await run(store.commit(batch(one), 1));
    }
    const [older, newer] = await run(store.quarantine);
    const won = (value: string) => ({
      stashes: [],
      markets: hour(3600n, "3600", [value]).markets,
    });
    await run(store.resolve(older!, won("too late")));
    expect((await marketDocs()).map((doc) => JSON.parse(doc).value)).toEqual(["second"]);
    await run(store.resolve(newer!, won("mended")));
    expect((await marketDocs()).map((doc) => JSON.parse(doc).value)).toEqual(["mended"]);
  });

  it("keeps so many pages in its journal, of the exchange so many hours", async () => {
    const { store, journal } = await open(2);
    if (journal === undefined) return expect(await run(store.status)).toEqual([]);
    await run(store.claim(HOURS, 1));
    await run(store.claim(KEY, 1));
    for (const seq of [3600n, 7200n, 10_800n, 14_400n]) {
      await run(store.commit(batch(hour(seq, String(seq))), 1));
    }
    for (const seq of [1n, 2n, 3n, 4n]) await run(store.commit(batch(page(seq, [])), 1));
    expect(await journal()).toEqual(["10800", "14400", "3", "4"]);
  });
};

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "follower-"));
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const scoped = async <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => {
  const scope = Effect.runSync(Scope.make());
  cleanups.push(() => run(Scope.close(scope, Exit.void)));
  return run(Effect.provideService(effect, Scope.Scope, scope));
};

describe("SinkMemory", () => {
  contract(async () => {
    const memory = SinkMemory.empty();
    return {
      sink: SinkMemory.make(memory),
      stashes: async () =>
        new Map(
          [...memory.stashes].map(([id, { change }]) => [
            id,
            change === undefined ? null : JSON.stringify(change.value),
          ]),
        ),
      markets: async () => memory.markets.size,
    };
  });
});

describe("SinkSqlite", () => {
  contract(async () => {
    const path = join(folder(), "store.db");
    const sink = await scoped(SinkSqlite.make({ path }));
    await indexed(path);
    const db = new DatabaseSync(`${path}.index`, { readOnly: true });
    cleanups.push(() => db.close());
    return {
      sink,
      stashes: () => stashesOf(path),
      markets: async () => {
        await indexed(path);
        return db.prepare("SELECT 1 FROM market").all().length;
      },
      count: async () => db.prepare("SELECT 1 FROM stash").all().length,
    };
  });
  storeContract(async (keepPages) => {
    const path = join(folder(), "store.db");
    // Pages of these tests are some 60 bytes on the wire.
    const store = await scoped(SinkSqlite.make({ path, keepBytes: keepPages * 75 }));
    await indexed(path);
    const all = (db: DatabaseSync, sql: string) =>
      (db.prepare(sql).all() as Array<{ text: string }>).map(({ text }) => text);
    const open = (file: string) => {
      const db = new DatabaseSync(file, { readOnly: true });
      cleanups.push(() => db.close());
      return db;
    };
    const log = open(path);
    const index = open(`${path}.index`);
    return {
      store,
      journal: async () =>
        all(log, "SELECT CAST(seq AS TEXT) AS text FROM page ORDER BY source, seq"),
      marketDocs: async () => {
        await indexed(path);
        return all(index, "SELECT doc AS text FROM market");
      },
    };
  });
});

describeWithService("nats", "SinkNats", (program) => {
  let cluster: NatsCluster;
  let number = 0;
  beforeAll(async () => {
    cluster = await startCluster(program);
  });
  afterAll(() => cluster.close());
  contract(async () => {
    number += 1;
    const url = cluster.urlOf(`contract${number}`);
    const service = await scoped(SinkNats.make({ url, maxBytes: 200e6 }));
    const latest = new Map<string, string | null>();
    const markets = new Set<string>();
    const read = async (key: StreamKey) => {
      const options = { key, until: "caughtUp" } as const;
      await run(
        Changes.run({
          ...options,
          apply: (one) =>
            Effect.sync(() => {
              for (const { id, isPublic, json } of one.changes) {
                latest.set(id, isPublic ? json : null);
              }
              for (const { league, marketId } of one.markets) markets.add(`${league} ${marketId}`);
            }),
        }).pipe(Effect.provideService(PageLog.PageLog, service)),
      );
    };
    return {
      sink: service,
      stashes: async () => {
        await read(KEY);
        return latest;
      },
      markets: async () => {
        await read(HOURS);
        return markets.size;
      },
    };
  });
});

describeWithService("postgres", "rows that PostgreSQL can never take", (url) => {
  it("are found by halving, quarantined with their SQLSTATE, and the others are stored", async () => {
    const schema = `contract_${crypto.randomUUID().slice(0, 8)}`;
    const store = await scoped(SinkPostgres.make({ url, schema }));
    const { connect } = await import("../src/postgres/schema.ts");
    const sql = await scoped(connect({ url, schema, maxConnections: 1 }));
    cleanups.push(() => run(sql.unsafe(`DROP SCHEMA ${schema} CASCADE`)));
    // A market is indexed by its names: one that no index row can hold.
    let state = 7;
    const long = Array.from({ length: 20_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return String.fromCharCode(97 + ((state >>> 16) % 26));
    }).join("");
    const rows = Array.from({ length: 40 }, (_, index) => ({
      league: index % 20 === 3 ? `${index} ${long}` : "Standard",
      market_id: `a|${index}`,
    }));
    await run(store.claim(HOURS, 1));
    await run(store.commit(batch(page(1n, rows, HOURS)), 1));
    await indexedAt({ kind: "postgres", url: Redacted.make(url) }, schema);
    const [counted] = await run(sql<{ n: bigint }>`SELECT count(*) AS n FROM market`);
    expect(Number(counted?.n)).toBe(38);
    const records = await run(store.quarantine);
    expect(records.map(({ errorTag, message }) => [errorTag, message.slice(0, 14)])).toEqual([
      ["RowRejected", "SQLSTATE 54000"],
      ["RowRejected", "SQLSTATE 54000"],
    ]);
    expect(JSON.parse(Buffer.from(records[0]!.bytes).toString())).toMatchObject({
      market_id: "a|3",
    });
    expect((await run(store.claim(HOURS, 1)))?.seq).toBe(1n);
  });
});

describe("the SQLSTATE of an error", () => {
  it("tells what passes from what does not", async () => {
    const { kindOf } = await import("../src/postgres/schema.ts");
    const of = (code: string | undefined) =>
      kindOf({ reason: { _tag: "UnknownError", cause: { code } } } as never);
    const states = {
      rowRejected: ["22021", "22P05", "22003", "23502", "23514", "54000"],
      diskFull: ["53100"],
      unavailable: [
        "08006",
        "40001",
        "40P01",
        "53300",
        "55P03",
        "57014",
        "57P01",
        "57P05",
        "25006",
      ],
      corrupt: ["XX001", "XX002"],
      internal: ["21000", "23505", "28P01", "3D000", "42P01", "XX000"],
    };
    for (const [kind, codes] of Object.entries(states)) {
      expect(codes.map(of)).toEqual(codes.map(() => kind));
    }
    expect(of(undefined)).toBe("unavailable");
  });
});

describeWithService("postgres", "SinkPostgres", (url) => {
  contract(async () => {
    const schema = `contract_${crypto.randomUUID().slice(0, 8)}`;
    const sink = await scoped(SinkPostgres.make({ url, schema }));
    const { connect } = await import("../src/postgres/schema.ts");
    const sql = await scoped(connect({ url, schema, maxConnections: 1 }));
    const derived = () => indexedAt({ kind: "postgres", url: Redacted.make(url) }, schema);
    cleanups.push(() => run(sql.unsafe(`DROP SCHEMA ${schema} CASCADE`)));
    return {
      sink,
      stashes: async () => {
        await derived();
        const rows = await run(
          sql<{ id: string; doc: Uint8Array | null }>`SELECT id, doc FROM stash`,
        );
        return new Map(
          rows.map((row) => [
            row.id,
            row.doc === null ? null : SinkPostgres.decodeDocument(row.doc),
          ]),
        );
      },
      markets: async () => {
        await derived();
        return (await run(sql`SELECT 1 FROM market`)).length;
      },
      count: async () => {
        await derived();
        return (await run(sql`SELECT 1 FROM stash`)).length;
      },
    };
  });
  storeContract(async (keepPages) => {
    const schema = `contract_${crypto.randomUUID().slice(0, 8)}`;
    const store = await scoped(SinkPostgres.make({ url, schema, keepPages }));
    const { connect } = await import("../src/postgres/schema.ts");
    const sql = await scoped(connect({ url, schema, maxConnections: 1 }));
    cleanups.push(() => run(sql.unsafe(`DROP SCHEMA ${schema} CASCADE`)));
    const texts = async (rows: Effect.Effect<ReadonlyArray<{ text: string }>, unknown>) =>
      (await run(rows)).map(({ text }) => text);
    return {
      store,
      journal: () => texts(sql`SELECT seq::text AS text FROM page ORDER BY source, page.seq`),
      marketDocs: async () => {
        await indexedAt({ kind: "postgres", url: Redacted.make(url) }, schema);
        return texts(sql`SELECT doc AS text FROM market`);
      },
    };
  });
});

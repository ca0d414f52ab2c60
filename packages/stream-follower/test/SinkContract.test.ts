/** The laws of sinks, and those of the stores of this package besides. */
import { describeWithService } from "@game-data/test-support";
import { Effect, Redacted } from "effect";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  Changes,
  type PageCommit,
  PageLog,
  type QuarantineRecord,
  type Sink,
} from "../src/index.ts";
import type { StreamKey } from "../src/index.ts";
import { SinkNats } from "../src/nats/index.ts";
import { SinkPostgres } from "../src/postgres/index.ts";
import { SinkSqlite, SqliteState } from "../src/sqlite/index.ts";
import { batchOf, commitOf, makePage, sinkLaws, type SinkUnderTest } from "../src/testing/index.ts";
import { useCleanups, useCluster, useSchemas, newFolder } from "./support/hooks.ts";
import { random } from "./support/History.ts";
import { HOURS, KEY, run } from "./support/Run.ts";
import { indexed, indexedAt, stashesOf } from "./support/Stores.ts";

const page = (seq: bigint, rows: ReadonlyArray<unknown>, key: StreamKey = KEY): PageCommit =>
  commitOf(makePage({ key, seq, rows, checksum: `hash of ${seq}` }));

const obeys = (open: () => Promise<SinkUnderTest>) =>
  it.each(sinkLaws(open).map(({ name, run: law }) => [name, law] as const))(
    "%s",
    async (_, law) => {
      expect(await law()).toBe(undefined);
    },
  );

/** Tests the guarantees that the stores of this package give besides those of a sink. */
const storeContract = (
  open: (keepPages: number) => Promise<{
    readonly store: Sink.SinkService & Sink.StoreService;
    /** Numbers of the pages that the journal holds, and documents of the markets, in order. */
    readonly journal: () => Promise<ReadonlyArray<string>>;
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
      ...{ kind: "row", requestedId: "3600", nextId: "7200", errorTag: "MalformedRow" },
      ...{ message: "", bytes: Buffer.from("{}"), tries: 1 },
    };
    // The same hour comes twice, as it may after starting over; both times with a quarantined row.
    for (const [seq, value] of [
      [3600n, "first"],
      [7200n, "second"],
    ] as const) {
      const one = { ...hour(seq, "3600", [value]), quarantine: [aside] };
      await run(store.commit(batchOf(one), 1));
    }
    const [older, newer] = await run(store.quarantine);
    const won = (value: string) => hour(3600n, "3600", [value]);
    const values = async () => (await marketDocs()).map((doc) => JSON.parse(doc).value as string);
    await run(store.retried!(older!));
    expect((await run(store.quarantine)).map(({ tries }) => tries)).toEqual([2, 1]);
    await run(store.resolve(older!, won("too late")));
    expect(await values()).toEqual(["second"]);
    await run(store.resolve(newer!, won("mended")));
    expect(await values()).toEqual(["mended"]);
  });

  it("keeps so many pages in its journal, of the exchange so many hours", async () => {
    const { store, journal } = await open(2);
    await run(store.claim(HOURS, 1));
    await run(store.claim(KEY, 1));
    for (const seq of [3600n, 7200n, 10_800n, 14_400n]) {
      await run(store.commit(batchOf(hour(seq, String(seq))), 1));
    }
    for (const seq of [1n, 2n, 3n, 4n]) await run(store.commit(batchOf(page(seq, [])), 1));
    expect(await journal()).toEqual(["10800", "14400", "3", "4"]);
  });
};

const { cleanups, scoped } = useCleanups();

describe("SinkSqlite", () => {
  obeys(async () => {
    const path = join(newFolder(), "store.db");
    const again = () => scoped(SinkSqlite.make({ path }));
    const sink = await again();
    await indexed(path);
    const db = new DatabaseSync(`${path}.index`, { readOnly: true });
    cleanups.push(() => db.close());
    const count = async (table: string) => {
      await indexed(path);
      return db.prepare(`SELECT 1 FROM ${table}`).all().length;
    };
    return {
      ...{ sink, again, stashes: () => stashesOf(path) },
      ...{ markets: () => count("market"), count: () => count("stash") },
    };
  });
  storeContract(async (keepPages) => {
    const path = join(newFolder(), "store.db");
    // Pages of these tests are some 60 bytes on the wire, and less than 100 MB is not kept.
    const store = await scoped(SinkSqlite.make({ path, keepBytes: 1e8 + keepPages * 75 }));
    const filled = new DatabaseSync(path);
    for (const stream of ["'stashes', 'pc'", "'exchange', 'game2'"])
      filled.exec(
        `INSERT INTO checkpoint (source, realm, epoch, log_bytes) VALUES (${stream}, 0, 1e8)`,
      );
    filled.close();
    // The tables of the index, without a reader whom pruning would wait for.
    await scoped(SqliteState.make({ path }));
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
  const cluster = useCluster(program);
  obeys(async () => {
    const url = cluster.nextUrl();
    const again = () => scoped(SinkNats.make({ url, keepBytes: 200e6 }));
    const service = await again();
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
      again,
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

describeWithService("postgres", "rows that PostgreSQL can never take", (database) => {
  const nextUrl = useSchemas(database);
  it("are found by halving, quarantined with their SQLSTATE, and the others are stored", async () => {
    const url = nextUrl();
    const store = await scoped(SinkPostgres.make({ url }));
    const { connect } = await import("../src/postgres/schema.ts");
    const sql = await scoped(connect({ url, maxConnections: 1 }));
    // A market is indexed by its names: one that no index row can hold.
    const dice = random(7);
    const letters = Array.from({ length: 20_000 }, () => 97 + Math.floor(dice() * 26));
    const long = String.fromCharCode(...letters);
    const rows = Array.from({ length: 40 }, (_, index) => ({
      league: index % 20 === 3 ? `${index} ${long}` : "Standard",
      market_id: `a|${index}`,
    }));
    await run(store.claim(HOURS, 1));
    await run(store.commit(batchOf(page(1n, rows, HOURS)), 1));
    await indexedAt({ kind: "postgres", url: Redacted.make(url) });
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
      unavailable: "08006 40001 40P01 53300 55P03 57014 57P01 57P05 25006".split(" "),
      corrupt: ["XX001", "XX002"],
      internal: ["21000", "23505", "28P01", "3D000", "42P01", "XX000"],
    };
    for (const [kind, codes] of Object.entries(states)) {
      expect(codes.map(of)).toEqual(codes.map(() => kind));
    }
    expect(of(undefined)).toBe("unavailable");
  });
});

describeWithService("postgres", "SinkPostgres", (database) => {
  const nextUrl = useSchemas(database);
  const open = async (keep: { readonly keepPages?: number } = {}) => {
    const url = nextUrl();
    const again = () => scoped(SinkPostgres.make({ url, ...keep }));
    const sink = await again();
    const { connect } = await import("../src/postgres/schema.ts");
    const sql = await scoped(connect({ url, maxConnections: 1 }));
    const indexing = () => indexedAt({ kind: "postgres", url: Redacted.make(url) });
    /** Rows of the derived tables. */
    const rows = async <A>(statement: string): Promise<ReadonlyArray<A>> => {
      await indexing();
      return run(sql.unsafe<A & object>(statement));
    };
    return { again, rows, sink, sql };
  };
  obeys(async () => {
    const { again, rows, sink } = await open();
    return {
      sink,
      again,
      stashes: async () => {
        const found = await rows<{ id: string; doc: Uint8Array | null }>(
          "SELECT id, doc FROM stash",
        );
        return new Map(
          found.map(({ doc, id }) => [id, doc && SinkPostgres.decodeDocument(doc)] as const),
        );
      },
      markets: async () => (await rows("SELECT 1 FROM market")).length,
      count: async () => (await rows("SELECT 1 FROM stash")).length,
    };
  });
  storeContract(async (keepPages) => {
    const { rows, sink: store, sql } = await open({ keepPages });
    const pages = sql<{ text: string }>`
      SELECT seq::text AS text FROM page ORDER BY source, page.seq`;
    return {
      store,
      journal: async () => (await run(pages)).map(({ text }) => text),
      marketDocs: async () =>
        (await rows<{ text: string }>("SELECT doc AS text FROM market")).map(({ text }) => text),
    };
  });
});

/** Tests of a store's operations besides following, run on each store that has them. */
import { DuckDBInstance } from "@duckdb/node-api";
import { describeWithService } from "@game-data/test-support";
import { Effect, Stream } from "effect";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import * as Export from "../src/Export.ts";
import { jump, Lease, PageLog, Verify } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory, type Seen } from "./support/FaultServer.ts";
import type { MadePage } from "./support/History.ts";
import { useCluster, useSchemas, newFolder } from "./support/hooks.ts";
import { KEY, tagOf, quietly as run } from "./support/Run.ts";
import type { Script } from "./support/ScriptedSource.ts";
import { derived, followedInto, listed as stash, sqliteAt } from "./support/Stores.ts";

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const item = (id: string, note?: string) => ({
  ...{ id, name: "", typeLine: 'Ring, "gilded"', baseType: "Ring", rarity: "Rare", ilvl: 84 },
  ...{ frameType: 2, ...(note === undefined ? {} : { note }) },
});
/** Three pages, and one that is reached by a jump alone. */
const pages: ReadonlyArray<MadePage> = [
  { id: "p0", nextId: "p1", stashes: [stash("a", "old", [item("1")])] },
  {
    ...{ id: "p1", nextId: "p2" },
    stashes: [stash("a", "new", [item("1", "~price 1 exa"), item("2")]), stash("b", "two", [])],
  },
  {
    ...{ id: "p2", nextId: "p3" },
    stashes: [
      stash("c", "three", [item("3")], { league: "Hardcore" }),
      { id: "d".repeat(64), public: false },
    ],
  },
];
const later: ReadonlyArray<MadePage> = [
  { id: "q0", nextId: "q1", stashes: [stash("e", "after the jump", [item("4")])] },
];

interface Opened {
  readonly url: StoreUrl.StoreUrl;
  readonly options?: { readonly keepBytes?: number };
}

const followed = async ({ options, url }: Opened, script: Script) => {
  await run(followedInto(url, script, {}, options));
  await run(derived(url));
};
const follow = (store: Opened, served: ReadonlyArray<MadePage>) =>
  followed(store, { answer: answerHistory(served) });

/** Asked of every store. */
const jumps = (open: () => Opened | Promise<Opened>) => {
  it("moves its checkpoint, records the gap, and is followed from there", async () => {
    const store = await open();
    const { options, url } = store;
    const layer = StoreUrl.layer(url, options);
    await follow(store, pages);
    const before = await run(StoreUrl.statusOf(KEY, url));
    const moved = await run(Effect.provide(jump(KEY, "q0"), layer));
    expect(moved).toMatchObject({ nextId: "q0", seq: before.seq + 1n });
    expect(moved.epoch).toBeGreaterThan(before.epoch);
    expect(await run(StoreUrl.statusOf(KEY, url))).toMatchObject({
      nextId: "q0",
      receivedAt: before.receivedAt,
      ...(url.kind === "nats" ? {} : { gaps: 1 }),
    });
    // The same id again changes nothing.
    expect((await run(Effect.provide(jump(KEY, "q0"), layer))).seq).toBe(moved.seq);
    await follow(store, later);
    const after = await run(StoreUrl.statusOf(KEY, url));
    expect(after).toMatchObject({ nextId: "q1", seq: before.seq + 2n });
    if (url.kind !== "nats") expect(after.rows).toBe(before.rows + 1);
    const report = await run(
      Effect.provide(Verify.verify(KEY, { deep: true }), StoreUrl.logLayer(url)),
    );
    expect(report).toMatchObject({ pages: 5, problems: [] });
  });

  it("does not move while another process follows the stream", async () => {
    const store = await open();
    await follow(store, pages);
    const layer = StoreUrl.layer(store.url, store.options);
    const busy = Effect.scoped(
      Effect.andThen(
        Effect.flatMap(Lease.Lease, (lease) => lease.hold(KEY)),
        Effect.provide(Effect.exit(jump(KEY, "q0", { wait: "100 millis" })), layer),
      ),
    );
    expect(tagOf(await run(Effect.provide(busy, layer)))).toBe("StreamInUse");
    const status = await run(StoreUrl.statusOf(KEY, store.url));
    expect(status.nextId).toBe("p3");
  });
};

/** Asked of every store that has rows of its own. */
const operates = (open: () => Opened) => {
  const rowsOf = ({ url }: Opened, kind: Export.ExportKind, filter = {}) =>
    run(Stream.runCollect(Export.rows(url, kind, { realm: "pc", ...filter })));

  it("exports its stashes and items, by league and by page", async () => {
    const store = open();
    await follow(store, pages);
    const stashes = await rowsOf(store, "stashes");
    const { firstSeen, lastSeen, ...first } = stashes[0]!;
    expect(first).toEqual({
      ...{ id: "a".padStart(64, "0"), realm: "pc", seq: 2, account: "Exile#1", name: "new" },
      ...{ type: "PremiumStash", league: "Standard", items: 2 },
    });
    expect(Math.abs(Date.now() - Number(lastSeen))).toBeLessThan(60_000);
    expect(Number(firstSeen)).toBeLessThanOrEqual(Number(lastSeen));
    expect(stashes.map(({ name }) => name)).toEqual(["new", "two", "three"]);
    const items = await rowsOf(store, "items");
    expect(items.map(({ id, ilvl, note }) => [id, ilvl, note])).toEqual([
      ["1", 84, "~price 1 exa"],
      ["2", 84, null],
      ["3", 84, null],
    ]);
    expect((await rowsOf(store, "items", { league: "Hardcore" })).map(({ id }) => id)).toEqual([
      "3",
    ]);
    expect((await rowsOf(store, "stashes", { since: 2n })).map(({ name }) => name)).toEqual([
      "three",
    ]);
    expect(await rowsOf(store, "markets")).toEqual([]);
  });

  it("writes numbers to the digit, which a JavaScript number would change", async () => {
    const store = open();
    const odd = '"ilvl":-1e400,"frameType":123456789012345678901234567890,"note":1.0';
    const body = JSON.stringify({
      next_change_id: "p1",
      stashes: [stash("a", "digits", [{ id: "1", mark: true }])],
    }).replace('"mark":true', odd);
    const served = ({ id }: Seen) => ({
      body: Buffer.from(id === undefined ? body : '{"next_change_id":"p1","stashes":[]}'),
    });
    await followed(store, { answer: served });
    const rows = Export.rows(store.url, "items", { realm: "pc" });
    const texts = async (format: "ndjson" | "csv") =>
      (await run(Stream.runCollect(Export.text("items", format, rows)))).join("");
    expect(await texts("csv")).toContain("-1e400,123456789012345678901234567890,1.0,1");
    expect(await texts("ndjson")).toContain(
      '"ilvl":-1e400,"frameType":123456789012345678901234567890,"note":1.0,',
    );
  });

  it.each(["ndjson", "csv", "parquet"] as const)(
    "writes %s files, whole or not",
    async (format) => {
      const store = open();
      await follow(store, pages);
      const out = join(folder, `it's.${format}`);
      const rows = Export.rows(store.url, "items", { realm: "pc" });
      expect(await run(Export.write(out, "items", format, rows))).toBe(3);
      expect(statSync(out).mode & 0o777).toBe(0o600);
      expect(await readBack(out)).toEqual([
        ["1", 'Ring, "gilded"', 84, "~price 1 exa", 2],
        ["2", 'Ring, "gilded"', 84, null, 2],
        ["3", 'Ring, "gilded"', 84, null, 3],
      ]);
      const broken = Stream.concat(rows, Stream.fail("broken"));
      const other = join(folder, "other");
      const exit = await Effect.runPromiseExit(Export.write(other, "items", format, broken));
      expect(String(exit)).toContain("broken");
      expect(readdirSync(folder).filter((name) => /other|\.part|\.parquet-/u.test(name))).toEqual(
        [],
      );
    },
  );

  it("rebuilds its rows from the log, and refuses where that would lose some", async () => {
    const store = open();
    const { url } = store;
    await follow(store, pages);
    const before = await rowsOf(store, "stashes");
    await run(StoreUrl.rebuild(url, KEY));
    expect(await rowsOf(store, "stashes")).toEqual(before);
    expect(await run(StoreUrl.statusOf(KEY, url))).toMatchObject({ rows: 3, items: 3 });
    // It is followed as before.
    await follow(store, [...pages, { id: "p3", nextId: "p4", stashes: [stash("f", "new", [])] }]);
    expect((await run(StoreUrl.statusOf(KEY, url))).rows).toBe(4);
    const log = StoreUrl.logLayer(url);
    const prune = Effect.flatMap(PageLog.PageLog, (each) =>
      each.prune(KEY, { bytes: 0 }, { force: true }),
    );
    expect(await run(Effect.provide(prune, log))).toMatchObject({ pages: 4 });
    const exit = await Effect.runPromiseExit(StoreUrl.rebuild(url, KEY));
    expect(tagOf(exit)).toBe("HistoryExpired");
    expect(await rowsOf(store, "stashes")).toHaveLength(4);
  });
};

/** What a file holds for a program that knows its format. */
const readBack = async (file: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(
    `SELECT id::VARCHAR, typeLine, ilvl::INTEGER, note, seq::INTEGER FROM '${file.replaceAll("'", "''")}'`,
  );
  connection.closeSync();
  instance.closeSync();
  return result.getRows();
};

const sqlite = (): Opened => ({ url: sqliteAt(join(folder, "pages.db")) });
describe("a SQLite store", () => {
  jumps(sqlite);
  operates(sqlite);
});

describeWithService("postgres", "a PostgreSQL store", (address) => {
  const nextUrl = useSchemas(address);
  const postgres = (): Opened => ({ url: Effect.runSync(StoreUrl.parse(nextUrl())) });
  jumps(postgres);
  operates(postgres);
});

describeWithService("nats", "a NATS store", (program) => {
  const cluster = useCluster(program, 1);
  jumps(() => {
    const url = Effect.runSync(StoreUrl.parse(cluster.nextUrl()));
    return { url, options: { keepBytes: 100e6 } };
  });
});

describe("an optional driver", () => {
  it("that is not installed is named with the command that installs it", async () => {
    const missing = "@duckdb/not-installed";
    const load = StoreUrl.loadOptional(missing, () => import(missing));
    const error = await run(Effect.flip(load));
    expect(error).toMatchObject({
      _tag: "DriverMissing",
      package: missing,
      install: `npm install ${missing}`,
    });
  });
});

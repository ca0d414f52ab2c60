/** StoreUrl by address: the same life in each of them, looked at without a trace. */
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { Quarantine } from "../src/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { useSchemas, newFolder } from "./support/hooks.ts";
import { answerHistory } from "./support/FaultServer.ts";
import type { MadePage } from "./support/History.ts";
import { batchOf, commitOf, makePage } from "../src/testing/index.ts";
import { HOURS, KEY, tagOf, quietly as run } from "./support/Run.ts";
import { derived, followedInto, listed, sqliteAt } from "./support/Stores.ts";

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const exitOf = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromiseExit(effect);

const stash = (id: string, name: string, items: ReadonlyArray<Record<string, unknown>>) => {
  const { league: _, ...row } = listed(id, name, items, { accountName: null });
  return row as unknown as MadePage["stashes"][number];
};
const item = (id: string) => ({
  ...{
    verified: false,
    w: 1,
    h: 1,
    icon: "https://static.invalid/i.png",
    id,
    name: "",
    x: 0,
    y: 0,
  },
  ...{ typeLine: "Ring", baseType: "Ring", identified: true, ilvl: 1, frameType: 0 },
});

/**
 * Two listed stashes with three items, one unlisted, and two that only a laxer level takes: one of
 * them superseded later.
 */
const pages: ReadonlyArray<MadePage> = [
  { id: "p0", nextId: "p1", stashes: [stash("a", "old", []), stash("d", "odd", [{ w: "wide" }])] },
  {
    id: "p1",
    nextId: "p2",
    stashes: [
      stash("a", "new", [item("1"), item("2")]),
      stash("b", "two", [item("3")]),
      stash("c", "odd", [{ w: "wide" }]),
    ],
  },
  { id: "p2", nextId: "p3", stashes: [{ id: "d".padStart(64, "0"), public: false }] },
];

const follow = async (address: StoreUrl.StoreUrl) => {
  await run(followedInto(address, { answer: answerHistory(pages) }, { decode: "full" }));
  await run(derived(address));
};

const life = (open: () => StoreUrl.StoreUrl) => {
  it("follows, tells where it stands, and replays its quarantine", async () => {
    const address = open();
    expect(tagOf(await exitOf(StoreUrl.statusOf(KEY, address)))).toBe("StreamNotFound");
    await follow(address);
    const before = await run(StoreUrl.statusOf(KEY, address));
    expect(before).toMatchObject({
      ...{ key: KEY, nextId: "p3", seq: 3n, epoch: 1, pages: 3, rows: 2, items: 3 },
      ...{ quarantined: 2, gaps: 0 },
    });
    expect(before.lagSeconds).toBeGreaterThanOrEqual(0);
    expect(before.lagSeconds).toBeLessThan(30);
    const report = await run(Effect.provide(Quarantine.replay("items"), StoreUrl.layer(address)));
    expect(report).toEqual({ replayed: 2, remaining: 0, rows: 2 });
    // The stash "c" comes back with its item; "d" is unlisted since, and stays so.
    const after = await run(StoreUrl.statusOf(KEY, address));
    expect(after).toMatchObject({ seq: 3n, rows: 3, items: 4, quarantined: 0 });
    const exit = await exitOf(StoreUrl.statusOf(HOURS, address));
    expect(tagOf(exit)).toBe("StreamNotFound");
    expect(String(exit)).toContain("exchange/game2");
  });
};

describe("a SQLite address", () => {
  life(sqlite);
});
describeWithService("postgres", "a PostgreSQL address", (database) => {
  const nextUrl = useSchemas(database);
  life(() => ({ kind: "postgres", url: Redacted.make(nextUrl()) }));

  it("is looked at without making a schema", async () => {
    const url = nextUrl();
    expect(await run(StoreUrl.statuses({ kind: "postgres", url: Redacted.make(url) }))).toEqual([]);
    // Made by a look, the tables would now be found and empty; made by a run, they are.
    const { connectToRead } = await import("../src/postgres/schema.ts");
    const look = Effect.scoped(Effect.map(connectToRead({ url }), (sql) => sql === undefined));
    expect(await run(look)).toBe(true);
  });
});

const sqlite = () => sqliteAt(join(folder, "store.db"));

describe("an address", () => {
  it("is a file, a database or a broker", async () => {
    expect(await run(StoreUrl.parse("sqlite:/a b/s.db"))).toEqual(sqliteAt("/a b/s.db"));
    for (const url of ["postgres://u:p@h/d", "postgresql://h:5433/d?sslmode=require"]) {
      const address = await run(StoreUrl.parse(url));
      expect(address.kind === "postgres" && Redacted.value(address.url)).toBe(url);
    }
    for (const query of ["", "?replicas=3", "?replicas=3&passwordFile=/run/a", "?passwordFile=b"]) {
      const address = await run(StoreUrl.parse(`nats://u@h:1,i:2/gd${query}`));
      expect(address.kind).toBe("nats");
    }
  });

  it.each([
    "",
    "sqlite:",
    "jsonl:log",
    "postgres://",
    "postgres:u:secret@h",
    "mysql://u:secret@h/d",
    "nats://u:secret@h/gd?replcias=3",
    "nats://u:secret@h/gd?replicas=9",
    "nats://u:secret@h/gd?passwordFile=",
    "xpostgres://u:secret@h/d",
    "store.db",
  ])("is refused without being repeated: %s", async (text) => {
    const exit = await exitOf(StoreUrl.parse(text));
    expect(tagOf(exit)).toBe("InvalidStoreUrl");
    expect(String(exit)).not.toContain("secret");
  });

  it("may have any name that a file can have", async () => {
    for (const name of ["a b", "c%20d", "file:e", "f?mode=memory", "ö#g"]) {
      const address = await run(StoreUrl.parse(`sqlite:${join(folder, name)}`));
      await follow(address);
      expect(existsSync(join(folder, name))).toBe(true);
    }
    const before = process.cwd();
    process.chdir(folder);
    try {
      const address = await run(StoreUrl.parse("sqlite:file:h?mode=memory"));
      await follow(address);
      expect(existsSync(join(folder, "file:h?mode=memory"))).toBe(true);
      expect((await run(StoreUrl.statusOf(KEY, address))).pages).toBe(pages.length);
    } finally {
      process.chdir(before);
    }
  });

  it("is shown without its password", async () => {
    const address = await run(
      StoreUrl.parse("postgres://me:secret@db.invalid:5433/d?token=secret"),
    );
    expect(StoreUrl.format(address)).toBe("postgres://db.invalid:5433/d");
    expect(JSON.stringify(address)).not.toContain("secret");
    expect(StoreUrl.format(sqlite())).toBe(`sqlite:${folder}/store.db`);
  });
});

describe("looking at a store", () => {
  it("makes neither file nor folder", async () => {
    const address = sqlite();
    expect(await run(StoreUrl.statuses(address))).toEqual([]);
    expect(tagOf(await exitOf(StoreUrl.statusOf(KEY, address)))).toBe("StreamNotFound");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves the bytes of a store as they are", async () => {
    const address = sqlite();
    const { path } = address;
    await follow(address);
    const [bytes, { mtimeMs }] = [readFileSync(path), statSync(path)];
    await run(StoreUrl.statusOf(KEY, address));
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  it("refuses another program's database, and leaves it as it is", async () => {
    const { path } = sqlite();
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE other (x)");
    db.close();
    const bytes = readFileSync(path);
    expect(await exitOf(StoreUrl.statuses(sqlite()))).toMatchObject({
      cause: { reasons: [{ error: { _tag: "SinkError", kind: "incompatible" } }] },
    });
    expect(tagOf(await exitOf(Effect.scoped(SinkSqlite.make({ path }))))).toBe("SinkError");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it("counts the lag from the last page or poll, whichever was later", async () => {
    const address = sqlite();
    const lags = Effect.gen(function* () {
      const sink = yield* SinkSqlite.make(address);
      yield* sink.claim(KEY, 1);
      yield* sink.commit(batchOf(commitOf(makePage({ seq: 1n, receivedAt: 5000 }))), 1);
      yield* TestClock.setTime(20_000);
      const first = yield* StoreUrl.statusOf(KEY, address);
      yield* sink.polled!(KEY, 12_500);
      const second = yield* StoreUrl.statusOf(KEY, address);
      yield* TestClock.setTime(10_000);
      return [first, second, yield* StoreUrl.statusOf(KEY, address)].map(
        ({ lagSeconds }) => lagSeconds,
      );
    });
    const exit = await exitOf(Effect.scoped(lags).pipe(Effect.provide(TestClock.layer())));
    expect(exit).toEqual(Exit.succeed([15, 7.5, 0]));
  });
});

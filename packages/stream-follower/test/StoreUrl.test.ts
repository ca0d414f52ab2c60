/** A store by its address: the same life on each database, and looks that leave no trace. */
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Fiber, Redacted, References, Schedule, type Scope } from "effect";
import { TestClock } from "effect/testing";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { inSchema } from "../chaos/Postgres.ts";
import { Follower, Indexer, PageSource, Quarantine, Status } from "../src/index.ts";
import { connect, loadOptional } from "../src/sql/Database.ts";
import { openToRead, StashState } from "../src/sql/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { makePage } from "../src/testing/index.ts";
import { newFolder, onEachDatabase, useCleanups } from "./support/hooks.ts";
import { HOURS, KEY, run, tagOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";
import { derived, listed, openStore, setBytes, sqliteAt } from "./support/Stores.ts";

const { close, scoped } = useCleanups();

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const exitOf = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromiseExit(effect);
const sqlite = () => sqliteAt(join(folder, "store.db"));

const broken = (id: string) => ({ ...listed(id, "broken"), items: "none" });

/** Pages with two listed stashes of three items, one unlisted, and two broken ones. */
const PAGES = [
  [listed("a", "old"), broken("d")],
  [listed("a", "new", [{ id: "1" }, { id: "2" }]), listed("b", "two", [{ id: "3" }]), broken("c")],
  [{ id: "d".padStart(64, "0"), public: false }],
];

/** Writes the pages, and derives their state. */
const fill = async (url: StoreUrl.StoreUrl) => {
  const { sink } = await scoped(openStore(url));
  await run(sink.claim(KEY, 1));
  for (const [index, rows] of PAGES.entries()) {
    const page = makePage({ seq: BigInt(index + 1), rows, receivedAt: Date.now() });
    await run(sink.commit(page, 1));
  }
  await run(derived(url));
};

onEachDatabase((newStore) => {
  it("a store reports the status of its streams, and replays its quarantine", async () => {
    const url = newStore();
    expect(await run(Effect.flip(StoreUrl.statusOf(KEY, url)))).toMatchObject({
      _tag: "StreamNotFound",
      reason: "store",
    });
    await fill(url);
    const before = await run(StoreUrl.statusOf(KEY, url));
    expect(before).toMatchObject({ key: KEY, nextId: "3", seq: 3n, epoch: 1, pages: 3 });
    expect(before).toMatchObject({ rows: 2, items: 3, quarantined: 2, gaps: 0 });
    expect(before.lagSeconds).toBeGreaterThanOrEqual(0);
    expect(before.lagSeconds).toBeLessThan(30);

    // This version cannot read the rows either, so they stay.
    const first = await run(Quarantine.replay(url, { key: KEY }));
    expect(first).toMatchObject({ replayed: 0, remaining: 2, rows: 0 });
    // A version that can read them applies them, except the stash that was unlisted since.
    for (const { bytes, id } of await run(Quarantine.list(url))) {
      const row = JSON.parse(Buffer.from(bytes).toString()) as { readonly id: string };
      await setBytes(url, "skipped", id, JSON.stringify(listed(row.id, "fixed")));
    }
    const second = await run(Quarantine.replay(url));
    expect(second).toMatchObject({ replayed: 2, remaining: 0, rows: 2 });
    const after = await run(StoreUrl.statusOf(KEY, url));
    expect(after).toMatchObject({ seq: 3n, rows: 3, quarantined: 0 });
    expect(await run(Effect.flip(StoreUrl.statusOf(HOURS, url)))).toMatchObject({
      reason: "stream",
      stream: "exchange/game2",
    });
  });

  it("StoreUrl.statuses reads a store that does not exist as empty, and does not create it", async () => {
    const url = newStore();
    expect(await run(StoreUrl.statuses(url))).toEqual([]);
    expect(await scoped(openToRead(url, "log"))).toBe(undefined);
    expect(url.kind === "sqlite" && existsSync(url.path)).toBe(false);
  });

  it("programs that start together create a store once", async () => {
    const url = newStore();
    const stores = await Promise.all([1, 2, 3].map(() => scoped(openStore(url))));
    for (const { sink } of stores) expect(await run(sink.claim(KEY, 1))).toBe(undefined);
  });

  it("a store is refused if a newer version or another program made its tables", async () => {
    const [newer, foreign] = [newStore(), newStore()];
    await scoped(openStore(newer));
    const sql = await scoped(connect(newer, "log"));
    await run(sql`INSERT INTO follower_log_steps (migration_id, name) VALUES (99, 'next')`);
    const other = await scoped(connect(foreign, "log"));
    await run(other`CREATE TABLE page (x integer)`);
    for (const url of [newer, foreign]) {
      const refused = { _tag: "SinkError", reason: "incompatible", isRetryable: false };
      await expect(scoped(openStore(url))).rejects.toMatchObject(refused);
      expect(await run(Effect.flip(StoreUrl.statuses(url)))).toMatchObject(refused);
    }
  });

  it("a failed attempt to open a store closes its connections before the scope closes", async () => {
    const url = newStore();
    await fill(url);
    for (const part of ["log", "index"] as const) {
      const sql = await scoped(connect(url, part));
      const steps = sql(`follower_${part}_steps`);
      await run(sql`INSERT INTO ${steps} (migration_id, name) VALUES (99, 'next')`);
    }
    await close();
    const isOpen = await openFiles(url);
    const opens: ReadonlyArray<Effect.Effect<unknown, unknown, Scope.Scope>> = [
      openStore(url),
      Indexer.open(url, StashState.definition),
    ];
    for (const open of opens) {
      await expect(scoped(open)).rejects.toMatchObject({ reason: "incompatible" });
      await expect.poll(isOpen).toBe(false);
    }
  });

  it("StoreUrl.statusOf reports who holds the lease of a stream, and the state of its follower", async () => {
    const url = newStore();
    await fill(url);
    const { source } = scripted({
      answer: () => ({ body: "" }),
      fault: () => ({ kind: "status", status: 503, headers: { "retry-after": "60" } }),
    });
    const follower = Follower.run({ source: "stashes" }).pipe(
      Effect.provide(StoreUrl.layer(url, { lease: { renewInterval: "20 millis" } })),
      Effect.provideService(PageSource.PageSource, source),
      Effect.provideService(Status.Streams, new Map()),
      Effect.provideService(References.MinimumLogLevel, "None"),
    );
    const fiber = Effect.runFork(follower);
    const status = Effect.map(StoreUrl.statusOf(KEY, url), ({ holder }) => holder);
    const holder = await run(
      Effect.repeat(status, {
        // On a busy machine a renewal may be late first, which is another reason.
        until: (known) => known?.state === "retrying",
        schedule: Schedule.spaced("50 millis"),
      }),
    );
    expect(holder).toMatchObject({
      owner: expect.any(String),
      state: "retrying",
      reason: expect.stringContaining("source retrying: The service responded with HTTP 503."),
    });
    expect(holder!.until).toBeGreaterThan(Date.now());
    expect(holder!.nextAttemptAt).toBeGreaterThan(Date.now() + 30_000);
    await run(Fiber.interrupt(fiber));
    expect(await run(status)).toBe(undefined);
  });
});

/** Returns whether somebody has the store open, besides the connections of now. */
const openFiles = async (url: StoreUrl.StoreUrl): Promise<() => Promise<boolean>> => {
  // SQLite removes the journal with the last connection.
  if (url.kind === "sqlite")
    return async () => existsSync(`${url.path}-wal`) || existsSync(`${url.path}.index-wal`);
  const sql = await scoped(connect(url, "log"));
  const count = async () => {
    const rows = await run(sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
      WHERE application_name = 'game-data stream-follower' AND datname = current_database()`);
    return rows.length;
  };
  const before = await count();
  return async () => (await count()) > before;
};

describe("an address", () => {
  it("StoreUrl.parse reads the address of a SQLite file or a PostgreSQL database", async () => {
    expect(await run(StoreUrl.parse("sqlite:/a b/s.db"))).toEqual(sqliteAt("/a b/s.db"));
    for (const text of [
      "postgres://u:p@h/d",
      "postgresql://h:5433/d?sslmode=require",
      "postgres://u@h/d?passwordFile=/run/secrets/follower",
    ]) {
      const url = await run(StoreUrl.parse(text));
      expect(url.kind === "postgres" && Redacted.value(url.url)).toBe(text);
    }
  });

  it.each([
    "",
    "sqlite:",
    "jsonl:log",
    "postgres://",
    "postgres:u:secret@h",
    "mysql://u:secret@h/d",
    "nats://u:secret@h/gd",
    "postgres://u:secret@h/d?passwordFile=",
    "postgres://u:secret@h/d?passwordfile=password",
    "postgres://u@h/d?password=very&secret",
    "xpostgres://u:secret@h/d",
    "store.db",
  ])("StoreUrl.parse refuses an address without repeating it: %s", async (text) => {
    const exit = await exitOf(StoreUrl.parse(text));
    expect(tagOf(exit)).toBe("InvalidStoreUrl");
    expect(String(exit)).not.toContain("secret");
  });

  it("a store opens a SQLite file of any name", async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const name of ["a b", "c%20d", "file:e", "f?mode=memory", "ö#g", "file:h?mode=memory"]) {
        const url = await run(StoreUrl.parse(`sqlite:${name}`));
        await fill(url);
        expect(existsSync(name)).toBe(true);
        expect((await run(StoreUrl.statusOf(KEY, url))).pages).toBe(PAGES.length);
      }
    } finally {
      await close();
      process.chdir(before);
    }
  });

  it("StoreUrl.format returns the address of a store without its password", async () => {
    const url = await run(StoreUrl.parse("postgres://me:secret@db.invalid:5433/d?options=secret"));
    expect(StoreUrl.format(url)).toBe("postgres://db.invalid:5433/d");
    expect(JSON.stringify(url)).not.toContain("secret");
    expect(StoreUrl.format(sqlite())).toBe(`sqlite:${folder}/store.db`);
  });

  it.each([{ keepBytes: 99_999_999 }, { keepBytes: -1 }, { keepBytes: NaN }, { keepMillis: 0 }])(
    "a store refuses a retention that would prune unread pages: %j",
    async (options) => {
      await expect(scoped(openStore(sqlite(), options))).rejects.toMatchObject({
        _tag: "ConfigurationInvalid",
        option: Object.keys(options)[0],
      });
    },
  );

  it("StoreUrl.statuses fails if the passwordFile of the address cannot be read, or is empty", async () => {
    const url = await run(StoreUrl.parse("postgres://u@127.0.0.1:1/d?passwordFile=/none/secret"));
    const error = await run(Effect.flip(StoreUrl.statuses(url)));
    expect(error).toMatchObject({ operation: "read passwordFile", reason: "internal" });
    const file = join(folder, "empty");
    writeFileSync(file, "\n");
    const empty = await run(StoreUrl.parse(`postgres://u@127.0.0.1:1/d?passwordFile=${file}`));
    const { message } = await run(Effect.flip(StoreUrl.statuses(empty)));
    expect(message).toContain(`${file} is empty`);
  });
});

describeWithService("postgres", "the password of a database", (address) => {
  it("a store reads the password of PostgreSQL from a file or from the environment", async () => {
    const admin = await scoped(connect({ kind: "postgres", url: Redacted.make(address) }, "log"));
    await run(admin.unsafe("DROP ROLE IF EXISTS follower_test"));
    await run(admin.unsafe("CREATE ROLE follower_test LOGIN PASSWORD 'right'"));
    const file = join(folder, "password");
    writeFileSync(file, "right\n");
    const url = new URL(inSchema(address, "none"));
    url.username = "follower_test";
    url.searchParams.set("passwordFile", file);
    const login = `postgres://${url.host}${url.pathname}`;
    expect(login).not.toContain("right");
    expect(await run(StoreUrl.statuses(await run(StoreUrl.parse(url.href))))).toEqual([]);
    url.searchParams.delete("passwordFile");
    process.env["PGPASSWORD"] = "right";
    try {
      expect(await run(StoreUrl.statuses(await run(StoreUrl.parse(url.href))))).toEqual([]);
    } finally {
      delete process.env["PGPASSWORD"];
      await run(admin.unsafe("DROP ROLE follower_test"));
    }
  });
});

describe("a look at a SQLite store", () => {
  it("StoreUrl.statusOf does not change the bytes of a SQLite file", async () => {
    const { path } = sqlite();
    await fill(sqlite());
    await close();
    const [bytes, { mtimeMs }] = [readFileSync(path), statSync(path)];
    await run(StoreUrl.statusOf(KEY, sqlite()));
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  it.runIf(process.getuid?.() === 0)(
    "statuses and verify read a SQLite store in a folder without write permission",
    async () => {
      await fill(sqlite());
      await close();
      const shown = join(folder, "shown");
      mkdirSync(shown);
      for (const name of ["store.db", "store.db.index"]) {
        copyFileSync(join(folder, name), join(shown, name));
        chmodSync(join(shown, name), 0o444);
      }
      chmodSync(folder, 0o755);
      chmodSync(shown, 0o555);
      const entry = new URL("../src/StoreUrl.ts", import.meta.url).href;
      const program = `
      const StoreUrl = await import(${JSON.stringify(entry)});
      const { Effect } = await import("effect");
      const { Verify } = await import(${JSON.stringify(new URL("index.ts", entry).href)});
      const statuses = (path) => Effect.runPromise(StoreUrl.statuses({ kind: "sqlite", path }));
      // Root may write everywhere. Load the modules before the rights go.
      await statuses(${JSON.stringify(sqlite().path)});
      process.setegid(65_534);
      process.seteuid(65_534);
      const [status] = await statuses(${JSON.stringify(join(shown, "store.db"))});
      const log = StoreUrl.logLayer({ kind: "sqlite", path: ${JSON.stringify(join(shown, "store.db"))} }, { isReadOnly: true });
      const { problems } = await Effect.runPromise(Effect.provide(Verify.verify(status.key, { deep: true }), log));
      console.log(String(status.seq), status.indexers.length, problems.length);`;
      const options = { encoding: "utf8", cwd: import.meta.dirname } as const;
      const child = spawnSync(process.execPath, ["--input-type=module", "-e", program], options);
      expect([child.stdout, child.stderr]).toEqual(["3 1 0\n", ""]);
    },
  );
});

it("StoreUrl.statusOf counts the lag from the last page or the last poll, whichever was later", async () => {
  const lags = Effect.gen(function* () {
    const { sink } = yield* openStore(sqlite());
    yield* sink.claim(KEY, 1);
    yield* sink.commit(makePage({ seq: 1n, receivedAt: 5000 }), 1);
    yield* TestClock.setTime(20_000);
    const first = yield* StoreUrl.statusOf(KEY, sqlite());
    yield* sink.polled!(KEY, 12_500);
    const second = yield* StoreUrl.statusOf(KEY, sqlite());
    yield* TestClock.setTime(10_000);
    const third = yield* StoreUrl.statusOf(KEY, sqlite());
    return [first, second, third].map(({ lagSeconds }) => lagSeconds);
  });
  const exit = await exitOf(Effect.scoped(lags).pipe(Effect.provide(TestClock.layer())));
  expect(exit).toEqual(Exit.succeed([15, 7.5, 0]));
});

it("DriverMissing names a driver that is not installed, and the command that installs it", async () => {
  const missing = "@duckdb/not-installed";
  const load = loadOptional(missing, () => import(missing));
  expect(await run(Effect.flip(load))).toMatchObject({
    _tag: "DriverMissing",
    package: missing,
    install: `npm install ${missing}`,
  });
});

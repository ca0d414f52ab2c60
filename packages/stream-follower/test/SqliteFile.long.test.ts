/** A file after a crash, and one that is deleted, replaced, damaged or full under a follower. */
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, renameSync } from "node:fs";
import { rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import { Follower, PageLog, Verify } from "../src/index.ts";
import type { SinkService } from "../src/Sink.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { SinkNats } from "../src/nats/index.ts";
import { batchOf, commitOf, makePage } from "../src/testing/index.ts";
import { newFolder, useCleanups } from "./support/hooks.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { differencesOf, KEY, over, run, tagOf, virtually } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";
import { stashesOf } from "./support/Stores.ts";

let folder: string;
let path: string;
const { cleanups, scoped } = useCleanups();
const close = async () => {
  for (const each of cleanups.splice(0)) await each();
};
beforeEach(() => {
  folder = newFolder();
  path = join(folder, "pages.db");
});

const open = () => scoped(SinkSqlite.make({ path }));
const commit = (sink: SinkSqlite.SqliteService, seq: bigint, item?: string) => {
  const note = item ?? JSON.stringify({ note: crypto.randomUUID().repeat(2000) });
  const text = `{"next_change_id":"${seq}","stashes":[{"id":"a","public":true,"items":[${note}]}]}`;
  const page = makePage({ seq, text, level: "envelope" });
  return sink.commit(batchOf(commitOf(page)), 1);
};
const filled = async (pages: number) => {
  const sink = await open();
  await run(sink.claim(KEY, 1));
  for (let seq = 1; seq <= pages; seq += 1) await run(commit(sink, BigInt(seq)));
  return sink;
};

it.each([99_999_999, -1, Number.NaN, "1"])(
  "a log that would keep %s bytes is refused by name",
  async (keepBytes) => {
    const keep = { keepBytes } as { keepBytes: number };
    for (const made of [
      Effect.asVoid(SinkSqlite.make({ path, ...keep })),
      Effect.asVoid(SinkNats.make({ url: "nats://127.0.0.1:1/pages", ...keep })),
    ]) {
      await expect(scoped(made)).rejects.toMatchObject({
        _tag: "ConfigurationInvalid",
        option: "keepBytes",
      });
    }
  },
);

it("a file is its owner's alone, and what is no database is refused", async () => {
  await run((await open()).claim(KEY, 3));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  path = join(folder, "other.db");
  writeFileSync(path, "no database, and longer than its header ".repeat(9));
  await expect(open()).rejects.toMatchObject({ _tag: "SinkError" });
});

const history = makeHistory({ pages: 8, itemsPerStash: 1, stashesPerPage: 3 });
const follow = (sink: SinkService, visible = history.length) => {
  const { source } = scripted({ answer: answerHistory(history, () => visible) });
  const following = Follower.run({ source: "stashes", until: "caughtUp", batchPages: 1 });
  return virtually(Effect.provide(following, over(source, sink)));
};

it("a copy of the file and its log at any moment, as a power cut leaves them, holds whole pages only", async () => {
  const sink = await open();
  const copies: Array<string> = [];
  const spying = {
    ...sink,
    commit: (...[batch, epoch]: Parameters<typeof sink.commit>) =>
      Effect.tap(sink.commit(batch, epoch), () =>
        Effect.sync(() => {
          const copy = join(newFolder(), "copy.db");
          for (const suffix of ["", "-wal"]) {
            if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
          }
          // The log's last pages were not on the disk yet.
          const log = readFileSync(`${copy}-wal`);
          writeFileSync(`${copy}-wal`, log.subarray(0, log.length - 5000));
          copies.push(copy);
        }),
      ),
  };
  expect(tagOf(await follow(spying))).toBe(undefined);
  await close();
  expect(copies.length).toBe(8);
  for (const copy of copies) {
    const db = new DatabaseSync(copy);
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    const { seq } = (db.prepare("SELECT seq FROM checkpoint").get() ?? { seq: 0 }) as {
      seq: number;
    };
    const state = await stashesOf(copy);
    expect(differencesOf(state, history.slice(0, seq))).toEqual([]);
    db.close();
  }
});

it("a file on a full disk says diskFull, and keeps the checkpoint", async () => {
  expect(tagOf(await follow(await open(), 3))).toBe(undefined);
  await close();
  const db = new DatabaseSync(path);
  const { page_count: count } = db.prepare("PRAGMA page_count").get() as { page_count: number };
  db.close();
  const exit = await Effect.runPromiseExit(
    Effect.scoped(
      Effect.gen(function* () {
        const { LOG, openFile, transact, attempt } = yield* Effect.promise(
          () => import("../src/sqlite/schema.ts"),
        );
        const full = yield* openFile(path, LOG);
        full.exec(`PRAGMA max_page_count = ${count}`);
        yield* attempt("commit", () =>
          transact(full, () => {
            full.exec("UPDATE checkpoint SET seq = 99");
            const insert = full.prepare(
              "INSERT INTO gap (source, realm, seq, kind, from_id, to_id) VALUES (?, 'pc', 9, 'x', 'x', ?)",
            );
            for (let row = 0; row < 100; row += 1) insert.run(`x${row}`, "y".repeat(5000));
          }),
        );
      }),
    ),
  );
  expect(String(exit)).toContain("diskFull");
  const after = new DatabaseSync(path);
  expect(after.prepare("SELECT seq FROM checkpoint").get()).toEqual({ seq: 3 });
  after.close();
});

it("a folder is told of at once: waiting makes no file of it", async () => {
  path = folder;
  await expect(open()).rejects.toMatchObject({ kind: "internal", isRetryable: false });
  await expect(open()).rejects.toThrow("is a folder");
});

it.each([
  ["deleted", () => rmSync(path)],
  ["moved away", () => renameSync(path, `${path}.old`)],
  [
    "replaced by another store",
    () => {
      renameSync(path, `${path}.old`);
      new DatabaseSync(path).close();
      closeSync(openSync(path, "a"));
    },
  ],
])("a file that was %s is written no more: the commit fails for good", async (_, change) => {
  const sink = await filled(2);
  change();
  const error = await run(Effect.flip(commit(sink, 3n)));
  expect(error).toMatchObject({ _tag: "SinkError", kind: "replaced", isRetryable: false });
  expect(String(error.message)).toContain(path);
});

it("a file that was deleted is told at the end of the stream too, where nothing is written", async () => {
  const sink = await filled(1);
  expect(await run(sink.polled!(KEY, 1))).toBe(undefined);
  rmSync(path);
  const error = await run(Effect.flip(sink.polled!(KEY, 2)));
  expect(error).toMatchObject({ _tag: "SinkError", kind: "replaced" });
});

it("an indexer's acknowledgement moves the journal into the file, and the follower's commit waits for no disk", async () => {
  const sink = await filled(1);
  const before = statSync(path).size;
  // More than the 1,000 frames at which a connection of SQLite moves them by itself.
  for (let seq = 2n; seq <= 18n; seq += 1n) {
    const text = JSON.stringify({ note: randomBytes(900_000).toString("base64") });
    await run(commit(sink, seq, text));
  }
  expect(statSync(path).size).toBe(before);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(1000 * 16_384);
  const indexer = await open();
  await run(indexer.acknowledge("state", KEY, 18n));
  expect(statSync(path).size).toBeGreaterThan(15_000_000);
});

/** Overwrites pages of the file, as a bad disk does. */
const damage = (page: number) => {
  const size = 16_384;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, 0xaa), 0, size, page * size);
  closeSync(file);
};

const verify = (deep: boolean) =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* SinkSqlite.make({ path });
        return yield* Effect.provideService(Verify.verify(KEY, { deep }), PageLog.PageLog, log);
      }),
    ),
  );

it.each([false, true])(
  "one page that is overwritten is told by verify (deep: %s)",
  async (deep) => {
    await filled(12);
    await close();
    expect((await verify(deep)).problems).toEqual([]);
    const whole = readFileSync(path);
    const pages = whole.length / 16_384;
    // Any but the first, which holds the header: a file without it is not opened at all.
    const found: Array<number> = [];
    for (let page = 1; page < pages; page += 1) {
      damage(page);
      const problems = await verify(deep).then(
        ({ problems: each }) => each.length,
        () => 1,
      );
      if (problems > 0) found.push(page);
      writeFileSync(path, whole);
    }
    expect(found).toHaveLength(pages - 1);
  },
);

it.each([
  ["UPDATE checkpoint SET seq = seq - 2", "Page 3 lies behind the checkpoint"],
  ["UPDATE page SET bounds = CAST(substr(bounds, 1, 8) || x'00' AS BLOB)", "has false flags"],
  ["UPDATE page SET bounds = CAST(substr(bounds, 1, 8) || x'03' AS BLOB)", "has false flags"],
  ["UPDATE page SET changes = changes + 1", "counts 2 changes and has bounds of 1"],
  ["UPDATE checkpoint SET pages = pages + 7", "says pages 11, its tables say 4"],
  ["UPDATE checkpoint SET changes = changes + 100", "says changes 104, its tables say 4"],
  ["UPDATE checkpoint SET log_bytes = 1", "says log_bytes 1, its tables say"],
  ["UPDATE checkpoint SET gaps = 2", "says gaps 2, its tables say 0"],
  ["UPDATE checkpoint SET quarantined = 3", "says quarantined 3, its tables say 0"],
  ["DELETE FROM page", "says log_bytes"],
])("a change of the file by hand is told by verify: %s", async (statement, problem) => {
  await filled(4);
  await close();
  expect((await verify(true)).problems).toEqual([]);
  const db = new DatabaseSync(path);
  db.exec(statement);
  db.close();
  expect((await verify(true)).problems.join()).toContain(problem);
});

it("a log of which everything was pruned is read as empty", async () => {
  const sink = await filled(2);
  await run(sink.prune(KEY, { bytes: 0 }, { force: true }));
  expect(await verify(true)).toMatchObject({ pages: 0, problems: [] });
});

it("an item that the service sent broken is no damage of the log", async () => {
  const sink = await filled(1);
  await run(commit(sink, 2n, '{"w":tru}'));
  expect(await verify(true)).toMatchObject({ pages: 2, problems: [] });
});

it("a file that another program locks holds the thread, and so the health, for less than a second", async () => {
  const sink = await filled(2);
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  // The wait sleeps: a busy machine adds little to it. The shortest of three counts.
  const waits: Array<number> = [];
  for (let tries = 0; tries < 3; tries += 1) {
    const begun = performance.now();
    const error = await run(Effect.flip(commit(sink, 3n)));
    waits.push(performance.now() - begun);
    expect(error).toMatchObject({ _tag: "SinkError", kind: "unavailable" });
  }
  expect(Math.min(...waits)).toBeLessThan(1000);
  other.close();
  expect(await run(commit(sink, 3n))).toBe(undefined);
});

/** A SQLite file after a crash, and one that is deleted, replaced, damaged, full or locked. */
import { Effect } from "effect";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { closeSync, copyFileSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import { Follower, PageLog, Verify } from "../src/index.ts";
import type { SinkService } from "../src/Sink.ts";
import { makePage } from "../src/testing/index.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { newFolder, useCleanups } from "./support/hooks.ts";
import { differencesOf, KEY, over, run, tagOf, virtually } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";
import { openStore, sqliteAt, stashesOf } from "./support/Stores.ts";

const { close, scoped } = useCleanups();

let folder: string;
let path: string;
beforeEach(() => {
  folder = newFolder();
  path = join(folder, "pages.db");
});

const open = async () => (await scoped(openStore(sqliteAt(path)))).sink;

const commit = (sink: SinkService, seq: bigint, item?: string) => {
  const note = item ?? JSON.stringify({ note: crypto.randomUUID().repeat(2000) });
  const text = `{"next_change_id":"${seq}","stashes":[{"id":"a","public":true,"items":[${note}]}]}`;
  return sink.commit(makePage({ seq, text }), 1);
};

const filled = async (pages: number) => {
  const sink = await open();
  await run(sink.claim(KEY, 1));
  for (let seq = 1n; seq <= BigInt(pages); seq += 1n) await run(commit(sink, seq));
  return sink;
};

it("a SQLite store creates a file that only its owner can read, and refuses other files", async () => {
  await run((await open()).claim(KEY, 3));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  path = join(folder, "other.db");
  writeFileSync(path, "no database, and longer than its header ".repeat(9));
  await expect(open()).rejects.toMatchObject({ _tag: "SinkError", reason: "corrupt" });
});

const history = makeHistory({ pages: 8, itemsPerStash: 1, stashesPerPage: 3 });
const follow = (sink: SinkService) => {
  const { source } = scripted({ answer: answerHistory(history) });
  const following = Follower.run({ source: "stashes", until: "caughtUp" });
  return virtually(Effect.provide(following, over(source, sink)));
};

it("any copy of a SQLite store and its journal, as after a power loss, has only whole pages", async () => {
  const sink = await open();
  const copies: Array<string> = [];
  const spying: SinkService = {
    ...sink,
    commit: (page, epoch) =>
      Effect.tap(sink.commit(page, epoch), () =>
        Effect.sync(() => {
          const copy = join(newFolder(), "copy.db");
          for (const suffix of ["", "-wal"]) {
            if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
          }
          // The last pages of the journal were not on the disk yet.
          const journal = readFileSync(`${copy}-wal`);
          writeFileSync(`${copy}-wal`, journal.subarray(0, journal.length - 5000));
          copies.push(copy);
        }),
      ),
  };
  expect(tagOf(await follow(spying))).toBe(undefined);
  await close();
  expect(copies.length).toBeGreaterThan(1);
  for (const copy of copies) {
    const db = new DatabaseSync(copy);
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    const { seq } = db.prepare("SELECT coalesce(max(seq), 0) AS seq FROM stream").get() as {
      seq: number;
    };
    db.close();
    const state = await stashesOf(sqliteAt(copy));
    expect(differencesOf(state, history.slice(0, seq))).toEqual([]);
  }
});

it("a commit to SQLite fails with diskFull on a full disk, and keeps the checkpoint", async () => {
  await filled(3);
  await close();
  const { make } = await import("../src/sql/SqliteClient.ts");
  const { makeSink } = await import("../src/sql/Store.ts");
  const sql = await scoped(make({ path }));
  const [{ page_count: count }] = (await run(sql`PRAGMA page_count`)) as [{ page_count: bigint }];
  await run(sql.unsafe(`PRAGMA max_page_count = ${count}`));
  const sink = makeSink(sql, {});
  await run(sink.claim(KEY, 1));
  const large = JSON.stringify({
    note: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64"),
  });
  const error = await run(Effect.flip(commit(sink, 4n, large)));
  expect(error).toMatchObject({ _tag: "SinkError", reason: "diskFull", isRetryable: true });
  expect((await run(sink.claim(KEY, 1)))?.seq).toBe(3n);
  await run(sql.unsafe(`PRAGMA max_page_count = 1000000`));
  expect(await run(commit(sink, 4n, large))).toBe(undefined);
});

it("a SQLite store fails to open with `internal` if its path is a folder", async () => {
  path = folder;
  await expect(open()).rejects.toMatchObject({ reason: "internal", isRetryable: false });
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
])("a SQLite store fails with `replaced` after its file was %s", async (_, change) => {
  const sink = await filled(2);
  expect(await run(sink.polled!(KEY, 1))).toBe(undefined);
  change();
  for (const write of [commit(sink, 3n), sink.polled!(KEY, 2)]) {
    const error = await run(Effect.flip(write));
    expect(error).toMatchObject({ _tag: "SinkError", reason: "replaced", isRetryable: false });
    expect(error.message).toContain(path);
  }
});

it("a SQLite store flushes every commit to the disk if `synchronous` is `full`", async () => {
  const { connect } = await import("../src/sql/Database.ts");
  const levels = { normal: 1n, full: 2n } as const;
  for (const synchronous of ["normal", "full"] as const) {
    const sql = await scoped(connect(sqliteAt(path), "log", { synchronous }));
    expect(await run(sql`PRAGMA synchronous`)).toEqual([{ synchronous: levels[synchronous] }]);
  }
  await close();
  const { sink } = await scoped(openStore(sqliteAt(path), { synchronous: "full" }));
  await run(sink.claim(KEY, 1));
  expect(await run(commit(sink, 1n))).toBe(undefined);
});

const verify = (deep: boolean) =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const { log } = yield* openStore(sqliteAt(path));
        return yield* Effect.provideService(Verify.verify(KEY, { deep }), PageLog.PageLog, log);
      }),
    ),
  );

it.each([false, true])(
  "verify reports any page of the SQLite file that is overwritten (deep: %s)",
  async (deep) => {
    await filled(12);
    await close();
    expect((await verify(deep)).problems).toEqual([]);
    const whole = readFileSync(path);
    const size = 16_384;
    const pages = whole.length / size;
    const reported: Array<number> = [];
    // The first page has the header, without which the file is not opened at all.
    for (let page = 1; page < pages; page += 1) {
      const file = openSync(path, "r+");
      writeSync(file, Buffer.alloc(size, 0xaa), 0, size, page * size);
      closeSync(file);
      const isReported = await verify(deep).then(
        ({ problems }) => problems.length > 0,
        () => true,
      );
      if (isReported) reported.push(page);
      for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
      writeFileSync(path, whole);
    }
    expect(reported).toHaveLength(pages - 1);
  },
);

it.each([
  ["UPDATE stream SET seq = seq - 2", "The next id is 4, and the last page leads to 2."],
  ["UPDATE stream SET seq = seq + 2", "The stream is at page 6, and its last page is 4."],
  ["UPDATE stream SET next_id = 'x'", "The next id is x, and the last page leads to 4."],
  ["UPDATE page SET row_count = row_count + 1", "has 1 rows, not 2"],
  ["UPDATE page SET checksum = 'x' WHERE seq = 2", "Page 2 does not match its checksum"],
  ["UPDATE page SET next_id = 'x' WHERE seq = 2", "Page 3 does not continue page 2"],
  ["UPDATE page SET encoding = 'br'", "cannot be inflated"],
  ["UPDATE stream SET pages = pages + 7", "says pages 11, but is at page 4"],
  ["UPDATE stream SET log_bytes = 1", "The log has 1 bytes, and its pages "],
  ["DELETE FROM page", " bytes, and its pages 0."],
])("verify reports a change of the log by hand: %s", async (statement, problem) => {
  await filled(4);
  await close();
  expect((await verify(true)).problems).toEqual([]);
  const db = new DatabaseSync(path);
  db.exec(statement);
  db.close();
  expect((await verify(true)).problems.join("\n")).toContain(problem);
});

it("verify finds no problem in a log with a row that is not valid JSON", async () => {
  const sink = await filled(1);
  await run(commit(sink, 2n, '{"w":tru}'));
  expect(await verify(true)).toMatchObject({ pages: 2, problems: [] });
});

it("a SQLite store blocks the thread for less than 200 ms while another program locks the file", async () => {
  const sink = await filled(2);
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const error = await run(Effect.flip(commit(sink, 3n)));
  clearInterval(timer);
  expect(error).toMatchObject({ _tag: "SinkError", reason: "unavailable" });
  // SQLite does not wait on the thread; the statement is retried every 20 ms.
  expect(longest).toBeLessThan(200);
  // A statement that is retried succeeds as soon as the lock is released.
  setTimeout(() => other.close(), 100);
  expect(await run(commit(sink, 3n))).toBe(undefined);
});

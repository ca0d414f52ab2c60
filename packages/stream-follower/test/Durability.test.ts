/** Files after a crash: torn tails, half-copied databases, older and newer schemas. */
import { Effect, Exit, Scope } from "effect";
import { copyFileSync, existsSync, readFileSync, writeFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Follower } from "../src/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import type { Sink, SinkService } from "../src/Sink.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { differencesOf, KEY, tagOf, virtually, over } from "./support/Run.ts";
import { stashesOf } from "./support/Stores.ts";
import { scripted } from "./support/ScriptedSource.ts";
import { newFolder } from "./support/hooks.ts";

const pages = makeHistory({ pages: 8, itemsPerStash: 1, stashesPerPage: 3 });

const follow = (sink: SinkService, visible = pages.length) => {
  const { source } = scripted({ answer: answerHistory(pages, () => visible) });
  const run = Follower.run({ source: "stashes", until: "caughtUp", batchPages: 1 });
  return virtually(Effect.provide(run, over(source, sink)));
};

const open = <A, E>(use: (sink: Sink["Service"]) => Effect.Effect<A, E>, path: string) =>
  Effect.runPromiseExit(Effect.scoped(Effect.flatMap(SinkSqlite.make({ path }), use)));

describe("SinkSqlite", () => {
  it("survives a power cut: a copy of the file and its log taken at any moment holds whole pages only", async () => {
    const path = join(newFolder(), "store.db");
    const scope = Effect.runSync(Scope.make());
    const sink = await Effect.runPromise(
      Effect.provideService(SinkSqlite.make({ path }), Scope.Scope, scope),
    );
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
    await Effect.runPromise(Scope.close(scope, Exit.void));
    expect(copies.length).toBe(8);
    for (const copy of copies) {
      const db = new DatabaseSync(copy);
      expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      const { seq } = (db.prepare("SELECT seq FROM checkpoint").get() ?? { seq: 0 }) as {
        seq: number;
      };
      const state = await stashesOf(copy);
      expect(differencesOf(state, pages.slice(0, seq))).toEqual([]);
      db.close();
    }
  });

  it("makes its file readable for its owner alone", async () => {
    const path = join(newFolder(), "new.db");
    await open((sink) => sink.claim(KEY, 3), path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("refuses a file that is no database", async () => {
    const path = join(newFolder(), "new.db");
    writeFileSync(path, "no database, and longer than its header ".repeat(9));
    expect(tagOf(await open((sink) => sink.claim(KEY, 1), path))).toBe("SinkError");
  });

  it("says diskFull when the disk is full, and keeps the checkpoint", async () => {
    const path = join(newFolder(), "full.db");
    const setup = await open((sink) => Effect.promise(() => follow(sink, 3)), path);
    expect(tagOf(setup)).toBe(undefined);
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
});

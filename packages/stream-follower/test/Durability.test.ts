/** Files after a crash: torn tails, half-copied databases, older and newer schemas. */
import { Effect, Exit, type Layer, Scope } from "effect";
import { copyFileSync, existsSync, readFileSync, writeFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Follower, Lease, PageSource, type SinkError } from "../src/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { Sink } from "../src/Sink.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { differencesOf, realWork, tagOf, virtually, over } from "./support/Run.ts";
import { stashesOf } from "./support/SqliteFile.ts";
import { scripted } from "./support/ScriptedSource.ts";
import { newFolder } from "./support/hooks.ts";

const KEY = { source: "stashes", realm: "pc" } as const;
const pages = makeHistory({ pages: 8, itemsPerStash: 1, stashesPerPage: 3 });

const { during, pending } = realWork();

const follow = (layer: Layer.Layer<Sink, SinkError>, visible = pages.length) =>
  virtually(
    Follower.run({ source: "stashes", until: "caughtUp", batchPages: 1 }).pipe(
      Effect.updateService(Sink, ({ claim, commit, ...sink }) => ({
        ...sink,
        claim: (...of) => during(claim(...of)),
        commit: (...of) => during(commit(...of)),
      })),
      Effect.provide(layer),
      Effect.provide(Lease.none),
      Effect.provideService(
        PageSource.PageSource,
        scripted({ answer: answerHistory(pages, () => visible) }).source,
      ),
    ),
    { pending },
  );

const open = <A>(
  use: (sink: (typeof Sink)["Service"]) => Effect.Effect<A, unknown>,
  path: string,
) => Effect.runPromiseExit(Effect.scoped(Effect.flatMap(SinkSqlite.make({ path }), use)));

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
    const exit = await virtually(
      Follower.run({ source: "stashes", until: "caughtUp", batchPages: 1 }).pipe(
        Effect.provide(over(scripted({ answer: answerHistory(pages) }).source, spying)),
      ),
    );
    expect(tagOf(exit)).toBe(undefined);
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
    writeFileSync(
      path,
      "this is no database, and longer than a header of one hundred bytes ".repeat(9),
    );
    expect(tagOf(await open((sink) => sink.claim(KEY, 1), path))).toBe("SinkError");
  });

  it("says diskFull when the disk is full, and keeps the checkpoint", async () => {
    const path = join(newFolder(), "full.db");
    const setup = await follow(SinkSqlite.layer({ path }), 3);
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

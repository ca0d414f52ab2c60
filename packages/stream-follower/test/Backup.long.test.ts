/** A store is copied while it is written, and the copy is a whole store. */
import { Effect, Fiber } from "effect";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import { Verify } from "../src/index.ts";
import { SqliteBackup } from "../src/sqlite/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { KEY, tagOf, quietly as run } from "./support/Run.ts";
import { derived, followedInto, sqliteAt as sqlite } from "./support/Stores.ts";
import { newFolder } from "./support/hooks.ts";

const pages = makeHistory({ pages: 20 });

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const follow = (path: string, onCommitted: () => void = () => undefined) => {
  const script = { answer: answerHistory(pages) };
  return followedInto(sqlite(path), script, { batchPages: 1, onCommitted });
};
const index = (path: string) => derived(sqlite(path));

it("copies a store that is written meanwhile; its index is never ahead, and it goes on from there", async () => {
  const [path, copy, back] = ["pages.db", "copy.db", "back.db"].map((name) => join(folder, name));
  await run(follow(path!).pipe(Effect.timeoutOption("1 millis"), Effect.andThen(index(path!))));
  await run(
    Effect.gen(function* () {
      const begun = Promise.withResolvers<void>();
      const fiber = yield* Effect.forkChild(follow(path!, begun.resolve));
      yield* Effect.promise(() => begun.promise);
      yield* SqliteBackup.backup(path!, copy!);
      yield* Fiber.join(fiber);
    }),
  );
  expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
  expect(statSync(copy!).mode & 0o777).toBe(0o600);
  await run(SqliteBackup.restore(copy!, back!));
  const status = await run(StoreUrl.statusOf(KEY, sqlite(back!)));
  const [state] = status.indexers ?? [];
  expect(state?.seq ?? 0n).toBeLessThanOrEqual(status.seq);
  const verified = Effect.provide(
    Verify.verify(KEY, { deep: true }),
    StoreUrl.logLayer(sqlite(back!)),
  );
  expect(await run(verified)).toMatchObject({ problems: [], pages: Number(status.seq) });
  await run(Effect.andThen(follow(back!), index(back!)));
  expect(await run(StoreUrl.statusOf(KEY, sqlite(back!)))).toMatchObject({ seq: 20n });
});

it("replaces nothing, and refuses what is no store and what is damaged", async () => {
  const [path, copy] = ["pages.db", "copy.db"].map((name) => join(folder, name));
  await run(Effect.andThen(follow(path!), index(path!)));
  await run(SqliteBackup.backup(path!, copy!));
  const refusals = [
    SqliteBackup.backup(path!, copy!),
    SqliteBackup.restore(copy!, path!),
    SqliteBackup.backup(join(folder, "none.db"), join(folder, "other.db")),
  ];
  for (const refusal of refusals) expect(tagOf(await run(Effect.exit(refusal)))).toBe("SinkError");
  // A page that is gone, and one with a wrong bit, which SQLite cannot know of.
  for (const planted of ["DELETE FROM page WHERE seq = 9", "UPDATE page SET checksum = 'x'"]) {
    rmSync(copy!);
    rmSync(`${copy}.index`);
    await run(SqliteBackup.backup(path!, copy!));
    const db = new DatabaseSync(copy!);
    db.exec(planted);
    db.close();
    const found = await run(Effect.flip(SqliteBackup.restore(copy!, join(folder, "back.db"))));
    expect(found).toMatchObject({ kind: "corrupt" });
  }
  // A copy without its log.
  copyFileSync(`${copy}.index`, join(folder, "half.db.index"));
  await run(Effect.flip(SqliteBackup.restore(join(folder, "half.db"), join(folder, "back.db"))));
  // Nothing is left of what failed.
  expect(readdirSync(folder).filter((name) => /^(?:back|other)/u.test(name))).toEqual([]);
  const file = openSync(copy!, "r+");
  writeSync(file, Buffer.alloc(16_384, 0x5a), 0, 16_384, 32_768);
  const target = join(folder, "restored.db");
  const damaged = await run(Effect.flip(SqliteBackup.restore(copy!, target)));
  expect(damaged).toMatchObject({ _tag: "SinkError", kind: "corrupt" });
  expect(existsSync(target)).toBe(false);
});

it.runIf(process.getuid?.() === 0)(
  "tells the status of a store that it may only read",
  async () => {
    const path = join(folder, "pages.db");
    await run(Effect.andThen(follow(path), index(path)));
    const shown = join(folder, "shown");
    const entry = new URL("../src/StoreUrl.ts", import.meta.url).href;
    const program = `
    const StoreUrl = await import(${JSON.stringify(entry)});
    const { Effect } = await import("effect");
    const statuses = (path) => Effect.runPromise(StoreUrl.statuses({ kind: "sqlite", path }));
    // Root may write everywhere. Everything is loaded when the rights go: nobody may not read it.
    await statuses(${JSON.stringify(path)});
    process.setegid(65_534);
    process.seteuid(65_534);
    const [status] = await statuses(${JSON.stringify(join(shown, "pages.db"))});
    console.log(String(status.seq), status.indexers.length);`;
    spawnSync("mkdir", [shown]);
    for (const name of ["pages.db", "pages.db.index"]) {
      copyFileSync(join(folder, name), join(shown, name));
      chmodSync(join(shown, name), 0o444);
    }
    chmodSync(folder, 0o755);
    chmodSync(shown, 0o555);
    const here = { encoding: "utf8", cwd: import.meta.dirname } as const;
    const told = spawnSync(process.execPath, ["--input-type=module", "-e", program], here);
    expect([told.stdout, told.stderr]).toEqual(["20 1\n", ""]);
  },
);

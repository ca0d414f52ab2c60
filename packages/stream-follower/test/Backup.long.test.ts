/** A SQLite store is copied while it is written, and the copy is a whole store. */
import { Effect, Fiber } from "effect";
import {
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
import { Backup } from "../src/sql/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { newFolder } from "./support/hooks.ts";
import { KEY, quietly as run, tagOf } from "./support/Run.ts";
import { derived, followedInto, sqliteAt } from "./support/Stores.ts";

const pages = makeHistory({ pages: 20 });

let folder: string;
let path: string;
let copy: string;
beforeEach(() => {
  folder = newFolder();
  path = join(folder, "pages.db");
  copy = join(folder, "copy.db");
});

const follow = (file: string, onCommitted: () => void = () => undefined) =>
  followedInto(sqliteAt(file), { answer: answerHistory(pages) }, { onCommitted });

it("backup copies a store that is being written, with an index that is never ahead of its log", async () => {
  const back = join(folder, "back.db");
  await run(
    Effect.gen(function* () {
      const begun = Promise.withResolvers<void>();
      const fiber = yield* Effect.forkChild(follow(path, begun.resolve));
      yield* Effect.promise(() => begun.promise);
      yield* derived(sqliteAt(path));
      yield* Backup.backup(path, copy);
      yield* Fiber.join(fiber);
    }),
  );
  expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await run(Backup.restore(copy, back));
  const status = await run(StoreUrl.statusOf(KEY, sqliteAt(back)));
  expect(status.holder).toBe(undefined);
  expect(status.indexers[0]!.seq).toBeLessThanOrEqual(status.seq);
  const verified = Effect.provide(
    Verify.verify(KEY, { deep: true }),
    StoreUrl.logLayer(sqliteAt(back)),
  );
  expect(await run(verified)).toMatchObject({ problems: [], pages: Number(status.seq) });
  await run(Effect.andThen(follow(back), derived(sqliteAt(back))));
  expect(await run(StoreUrl.statusOf(KEY, sqliteAt(back)))).toMatchObject({ seq: 20n });
});

it("backup and restore replace no existing file, and refuse a file that is damaged or is not a store", async () => {
  await run(Effect.andThen(follow(path), derived(sqliteAt(path))));
  await run(Backup.backup(path, copy));
  for (const refused of [
    Backup.backup(path, copy),
    Backup.restore(copy, path),
    Backup.backup(join(folder, "none.db"), join(folder, "other.db")),
  ]) {
    expect(tagOf(await run(Effect.exit(refused)))).toBe("SinkError");
  }
  // A page that is missing, a wrong bit, and an index of a later log, which SQLite cannot know of.
  for (const [suffix, fault] of [
    ["", "DELETE FROM page WHERE seq = 9"],
    ["", "UPDATE page SET checksum = 'x'"],
    [".index", "UPDATE indexer SET seq = 99 WHERE source = 'stashes'"],
  ] as const) {
    for (const file of [copy, `${copy}.index`]) rmSync(file);
    await run(Backup.backup(path, copy));
    const db = new DatabaseSync(`${copy}${suffix}`);
    db.exec(fault);
    db.close();
    const error = await run(Effect.flip(Backup.restore(copy, join(folder, "back.db"))));
    expect(error).toMatchObject({ reason: "corrupt" });
  }
  copyFileSync(`${copy}.index`, join(folder, "half.db.index"));
  await run(Effect.flip(Backup.restore(join(folder, "half.db"), join(folder, "back.db"))));
  expect(readdirSync(folder).filter((name) => /^(?:back|other)/u.test(name))).toEqual([]);
  const file = openSync(copy, "r+");
  writeSync(file, Buffer.alloc(16_384, 0x5a), 0, 16_384, 32_768);
  const target = join(folder, "restored.db");
  const damaged = await run(Effect.flip(Backup.restore(copy, target)));
  expect(damaged).toMatchObject({ _tag: "SinkError", reason: "corrupt" });
  expect(existsSync(target)).toBe(false);
});

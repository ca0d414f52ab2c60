/** A file that follows a log, cut anywhere, equals one that was written at once. */
import { Effect } from "effect";
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import * as Export from "../src/Export.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { batchOf, commitOf, makePage } from "../src/testing/index.ts";
import { HOURS, KEY, tagOf, quietly as run } from "./support/Run.ts";
import { newFolder } from "./support/hooks.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "changes.ndjson");
});

const log = () => SinkSqlite.layer({ path: join(folder, "pages.db") });

/** Pages with 3, 0, 1 and 2 changes; one is pretty-printed and has a number of 30 digits. */
const TEXTS = [
  '[{"id":"a","public":true,"items":[],\r\n "n":123456789012345678901234567890},{"id":"b","public":false},{"id":"a","public":true,"items":[],"stash":"\\n 이름"}]',
  "[]",
  '[{"id":"c","public":true,"items":[{"d":1e400}]}]',
  '[{"id":"a","public":false},{"id":"e","public":true,"items":[]}]',
];
const write = (pages: ReadonlyArray<string>, before = 0) =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const sink = yield* SinkSqlite.make({ path: join(folder, "pages.db") });
        yield* sink.claim(KEY, 1);
        for (const [index, list] of pages.entries()) {
          const seq = BigInt(before + index + 1);
          const text = `{"next_change_id":"${seq}","stashes":${list}}`;
          yield* sink.commit(batchOf(commitOf(makePage({ seq, text, level: "envelope" }))), 1);
        }
      }),
    ),
  );
const follow = (more: Partial<Parameters<typeof Export.followFile>[1]> = {}) =>
  run(Effect.provide(Export.followFile(file, { key: KEY, until: "caughtUp", ...more }), log()));

it("writes every change in order, as it came, and goes on where it ended", async () => {
  await write(TEXTS.slice(0, 2));
  expect(await follow()).toEqual({ pages: 2, rows: 3, seq: 2n });
  expect(await follow()).toEqual({ pages: 1, rows: 0, seq: 2n });
  await write(TEXTS.slice(2), 2);
  expect(await follow()).toMatchObject({ rows: 3, seq: 4n });
  const text = readFileSync(file, "utf8");
  expect(text).toContain('"n":123456789012345678901234567890');
  expect(text).toContain('{"d":1e400}');
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ of, place, seq, stash }) => [seq, place, of, stash.id])).toEqual([
    [1, 0, 3, "a"],
    [1, 1, 3, "b"],
    [1, 2, 3, "a"],
    [3, 0, 1, "c"],
    [4, 0, 2, "a"],
    [4, 1, 2, "e"],
  ]);
  expect(lines[2].stash.stash).toBe("\n 이름");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("is the same whatever byte a killed run ended at", async () => {
  await write(TEXTS);
  await follow();
  const whole = readFileSync(file);
  // A prime, so that the cuts fall everywhere in the lines.
  for (let size = 0; size < whole.length; size += 11) {
    writeFileSync(file, whole.subarray(0, size));
    await follow();
    expect([size, readFileSync(file).equals(whole)]).toEqual([size, true]);
  }
});

it("finds the end of a file whose last line is longer than its first look", async () => {
  const row = (id: string, more = "") => `{"id":"${id}","public":true,"items":[]${more}}`;
  await write([`[${row("a")},${row("b", `,"x":"${"y".repeat(700_000)}"`)}]`]);
  await follow();
  const whole = readFileSync(file);
  for (const size of [whole.length, whole.length - 1, 300_000]) {
    truncateSync(file, size);
    await follow();
    expect(readFileSync(file).equals(whole)).toBe(true);
  }
});

it("begins after a page, for a new file only", async () => {
  await write(TEXTS);
  expect(await follow({ after: 2n })).toEqual({ pages: 2, rows: 3, seq: 4n });
  expect(await follow({ after: 0n })).toEqual({ pages: 0, rows: 0, seq: 4n });
});

it("appends nothing to a file that holds something else", async () => {
  await write(TEXTS);
  for (const other of ["a,b\n1,2\n", '{"seq":1}\n', "[1]\n", "null\n", "no line"]) {
    writeFileSync(file, other);
    const attempt = Export.followFile(file, { key: KEY, until: "caughtUp" });
    const exit = await Effect.runPromiseExit(Effect.provide(attempt, log()));
    expect(tagOf(exit)).toBe("SinkError");
    expect(String(exit)).toContain("incompatible");
    expect(readFileSync(file, "utf8")).toBe(other);
  }
  rmSync(file);
  await follow();
  const markets = Export.followFile(file, { key: HOURS, until: "caughtUp" });
  const exit = await Effect.runPromiseExit(Effect.provide(markets, log()));
  expect(tagOf(exit)).toBe("SinkError");
});

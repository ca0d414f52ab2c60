/** A file that follows a log, cut anywhere, equals one that was written at once. */
import { Effect, Layer } from "effect";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import * as Export from "../src/Export.ts";
import type { Page } from "../src/Model.ts";
import { type LoggedPage, PageLog } from "../src/PageLog.ts";
import { packBounds, unpackBounds } from "../src/core/bounds.ts";
import { makePage } from "../src/testing/index.ts";
import { HOURS, KEY, quietly as run } from "./support/Run.ts";
import { newFolder } from "./support/hooks.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "changes.ndjson");
});

/** Pages with 3, 0, 1 and 2 changes; one is pretty-printed and has a number of 30 digits. */
const TEXTS = [
  '[{"id":"a","public":true,"items":[],\r\n "n":123456789012345678901234567890},{"id":"b","public":false},{"id":"a","public":true,"items":[],"stash":"\\n 이름"}]',
  "[]",
  '[{"id":"c","public":true,"items":[{"d":1e400}]}]',
  '[{"id":"a","public":false},{"id":"e","public":true,"items":[]}]',
];
let pages: ReadonlyArray<LoggedPage> = [];
const logged = (page: Page): LoggedPage => ({
  ...{ ...page, followsGap: false, state: "ok", body: page.wire, rows: page.rows.length },
  ...{ rawBytes: page.raw.length, bounds: unpackBounds(packBounds(page.bounds, page.rows)) },
});
const write = (texts: ReadonlyArray<string>, before = 0) => {
  const more = texts.map((list, index) => {
    const text = `{"next_change_id":"${before + index + 1}","stashes":${list}}`;
    return logged(makePage({ seq: BigInt(before + index + 1), text, level: "envelope" }));
  });
  pages = [...pages.slice(0, before), ...more];
};
/** The pages as a log that is read one by one. */
const log = () =>
  Layer.succeed(PageLog, {
    positions: Effect.sync(() => {
      const { key, nextId, seq } = pages.at(-1)!;
      return [{ key, nextId, seq, oldestSeq: 1n, bytes: 0 }];
    }),
    read: (_, after) => Effect.sync(() => pages.filter(({ seq }) => seq > after).slice(0, 1)),
    acknowledge: () => Effect.void,
    prune: () => Effect.never,
  });
const follow = (more: Partial<Parameters<typeof Export.followFile>[1]> = {}) =>
  run(Effect.provide(Export.followFile(file, { key: KEY, until: "caughtUp", ...more }), log()));

it("writes every change in order, as it came, and goes on where it ended", async () => {
  write(TEXTS.slice(0, 2));
  expect(await follow()).toEqual({ pages: 2, rows: 3, seq: 2n });
  expect(await follow()).toEqual({ pages: 1, rows: 0, seq: 2n });
  write(TEXTS.slice(2), 2);
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
  write(TEXTS);
  await follow();
  const whole = readFileSync(file);
  // A prime, so that the cuts fall everywhere in the lines.
  const sizes = Array.from({ length: Math.ceil(whole.length / 29) }, (_, index) => index * 29);
  for (const size of [1, 8, 15, ...sizes]) {
    writeFileSync(file, whole.subarray(0, size));
    await follow();
    expect([size, readFileSync(file).equals(whole)]).toEqual([size, true]);
  }
});

it("finds the end of a file whose last line is longer than its first look", async () => {
  const row = (id: string, more = "") => `{"id":"${id}","public":true,"items":[]${more}}`;
  write([`[${row("a")},${row("b", `,"x":"${"y".repeat(700_000)}"`)}]`]);
  await follow();
  const whole = readFileSync(file);
  for (const size of [whole.length, whole.length - 1, 300_000]) {
    truncateSync(file, size);
    await follow();
    expect(readFileSync(file).equals(whole)).toBe(true);
  }
});

it("begins after a page, for a new file only", async () => {
  write(TEXTS);
  expect(await follow({ after: 2n })).toEqual({ pages: 2, rows: 3, seq: 4n });
  expect(await follow({ after: 0n })).toEqual({ pages: 0, rows: 0, seq: 4n });
});

it("has a line for each market of an hour", async () => {
  const markets = ["a|b", "c|d"].map((market_id) => ({ league: "L", market_id }));
  pages = [
    logged(
      makePage({ key: HOURS, seq: 3600n, requestedId: "3600", nextId: "7200", rows: markets }),
    ),
  ];
  expect(await follow({ key: HOURS })).toEqual({ pages: 1, rows: 2, seq: 3600n });
  const lines = markets.map((market, place) =>
    JSON.stringify({ realm: "game2", seq: 3600, place, of: 2, receivedAt: 1000, market }),
  );
  const whole = `${lines.join("\n")}\n`;
  expect(readFileSync(file, "utf8")).toBe(whole);
  truncateSync(file, lines[0]!.length + 1);
  expect(await follow({ key: HOURS })).toEqual({ pages: 1, rows: 1, seq: 3600n });
  expect(readFileSync(file, "utf8")).toBe(whole);
});

const line = (more: object) =>
  `${JSON.stringify({ realm: "pc", seq: 1, place: 0, of: 1, stash: {}, ...more })}\n`;

it.each([
  ...["a,b\n1,2\n", "[1]\n", "null\n", "7\n", line({ realm: "console_a" }), line({ seq: 1.5 })],
  ...[line({ stash: undefined, market: {} }), line({ of: "1" }), line({ place: null })],
  ...["no line", '{"realm":"pd","seq"'],
])("appends nothing to a file that holds something else: %j", async (other) => {
  write(TEXTS);
  writeFileSync(file, other);
  const following = Export.followFile(file, { key: KEY, until: "caughtUp" });
  const error = await run(Effect.flip(Effect.provide(following, log())));
  expect(error).toMatchObject({ _tag: "SinkError", kind: "incompatible" });
  expect(error.message).toContain(
    other.endsWith("\n") ? "its last line is no stash of pc" : "it has no line",
  );
  expect(readFileSync(file, "utf8")).toBe(other);
});

/** A file of JSON lines that follows a log: its own checkpoint, whatever byte a run ended at. */
import { Effect, References } from "effect";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import * as Export from "../src/Export.ts";
import type { StreamKey } from "../src/Model.ts";
import type { LoggedPage } from "../src/PageLog.ts";
import { givenLog, loggedPage } from "./support/givenLog.ts";
import { newFolder } from "./support/hooks.ts";

const KEY = { source: "stashes", realm: "pc" } as const;
const HOURS = { source: "exchange", realm: "game2" } as const;

let file: string;
beforeEach(() => {
  file = join(newFolder(), "changes.ndjson");
});

/** Pages with 3, 0, 1 and 2 changes; one is pretty-printed and has a number of 30 digits. */
const LISTS = [
  '[{"id":"a","public":true,"items":[],\r\n "n":123456789012345678901234567890},{"id":"b","public":false},{"id":"a","public":true,"items":[],"stash":"\\n 이름"}]',
  "[]",
  '[{"id":"c","public":true,"items":[{"d":1e400}]}]',
  '[{"id":"a","public":false},{"id":"e","public":true,"items":[]}]',
];

const logged = (key: StreamKey, seq: number, nextId: string, text: string): LoggedPage =>
  loggedPage(
    { key, seq: BigInt(seq), requestedId: seq === 1 ? undefined : String(seq), nextId },
    text,
  );

const stashPages = (lists: ReadonlyArray<string>) =>
  lists.map((list, index) => {
    const nextId = String(index + 2);
    return logged(KEY, index + 1, nextId, `{"next_change_id":"${nextId}","stashes":${list}}`);
  });

/** Follows a log of these pages. */
const follow = (
  pages: ReadonlyArray<LoggedPage>,
  more: Partial<Parameters<typeof Export.followFile>[1]> = {},
) => {
  return Export.followFile(file, { key: pages[0]!.key, until: "caughtUp", ...more }).pipe(
    Effect.provide(givenLog(pages)),
    Effect.provideService(References.MinimumLogLevel, "None"),
  );
};
const run = Effect.runPromise;

it("followFile appends every change in order, unchanged, and continues where the file ends", async () => {
  const pages = stashPages(LISTS);
  expect(await run(follow(pages.slice(0, 2)))).toEqual({ pages: 2, rows: 3, seq: 2n });
  expect(await run(follow(pages))).toMatchObject({ rows: 3, seq: 4n });
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

it("followFile completes a file to the same bytes, whichever byte a killed run ended at", async () => {
  const pages = stashPages(LISTS);
  await run(follow(pages));
  const whole = readFileSync(file);
  // A prime, so that the cuts are everywhere in the lines.
  const sizes = Array.from({ length: Math.ceil(whole.length / 29) }, (_, index) => index * 29);
  for (const size of [1, 8, 15, ...sizes]) {
    writeFileSync(file, whole.subarray(0, size));
    await run(follow(pages));
    expect([size, readFileSync(file).equals(whole)]).toEqual([size, true]);
  }
});

it("followFile continues a file whose last line is longer than the first read", async () => {
  const row = (id: string, more = "") => `{"id":"${id}","public":true,"items":[]${more}}`;
  const pages = stashPages([`[${row("a")},${row("b", `,"x":"${"y".repeat(700_000)}"`)}]`]);
  await run(follow(pages));
  const whole = readFileSync(file);
  for (const size of [whole.length, whole.length - 1, 300_000]) {
    truncateSync(file, size);
    await run(follow(pages));
    expect(readFileSync(file).equals(whole)).toBe(true);
  }
});

it("followFile begins a new file after the page that the caller names", async () => {
  const pages = stashPages(LISTS);
  expect(await run(follow(pages, { after: 2n }))).toEqual({ pages: 2, rows: 3, seq: 4n });
  expect(await run(follow(pages, { after: 0n }))).toEqual({ pages: 0, rows: 0, seq: 4n });
});

it("followFile appends a line for each market of an hour", async () => {
  const markets = ["a|b", "c|d"].map((market_id) => ({ league: "L", market_id }));
  const text = JSON.stringify({ next_change_id: 7200, markets });
  const hours = [logged(HOURS, 3600, "7200", text)];
  expect(await run(follow(hours))).toEqual({ pages: 1, rows: 2, seq: 3600n });
  const lines = markets.map((market, place) =>
    JSON.stringify({
      ...{ realm: "game2", seq: 3600, nextId: "7200", receivedAt: 1000 },
      ...{ place, of: 2, market },
    }),
  );
  const whole = `${lines.join("\n")}\n`;
  expect(readFileSync(file, "utf8")).toBe(whole);
  truncateSync(file, lines[0]!.length + 1);
  expect(await run(follow(hours))).toEqual({ pages: 1, rows: 1, seq: 3600n });
  expect(readFileSync(file, "utf8")).toBe(whole);
});

it("followFile appends nothing to the file of another log, whether its last page is whole or not", async () => {
  const pages = stashPages(LISTS);
  const others = pages.map((page) => ({ ...page, nextId: `other ${page.nextId}` }));
  const continued = others.map((page, index) => ({
    ...page,
    requestedId: others[index - 1]?.nextId,
  }));
  await run(follow(pages.slice(0, 1)));
  const whole = readFileSync(file);
  const broken = { _tag: "ChainBroken", reason: "replaced", version: 1n };
  expect(await run(Effect.flip(follow(continued)))).toMatchObject(broken);
  expect(readFileSync(file).equals(whole)).toBe(true);
  truncateSync(file, whole.length - 1);
  const error = await run(Effect.flip(follow(continued)));
  expect(error).toMatchObject({ _tag: "SinkError", reason: "incompatible" });
  expect(error.message).toContain("its last page is not page 1 of the log");
});

const line = (more: object) =>
  `${JSON.stringify({ realm: "pc", seq: 1, nextId: "2", place: 0, of: 1, stash: {}, ...more })}\n`;

it.each([
  ...["a,b\n1,2\n", "[1]\n", "null\n", "7\n", line({ realm: "console_a" }), line({ seq: 1.5 })],
  ...[line({ stash: undefined, market: {} }), line({ of: "1" }), line({ place: null })],
  line({ nextId: undefined }),
  ...["no line", '{"realm":"pd","seq"'],
])("followFile appends nothing to a file with other content: %j", async (other) => {
  writeFileSync(file, other);
  const error = await run(Effect.flip(follow(stashPages(LISTS))));
  expect(error).toMatchObject({ _tag: "SinkError", reason: "incompatible" });
  expect(error.message).toContain(
    other.endsWith("\n") ? "its last line is not a stash of pc" : "it has no line",
  );
  expect(readFileSync(file, "utf8")).toBe(other);
});

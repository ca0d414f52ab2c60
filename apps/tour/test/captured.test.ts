/** Folders of captured responses, made here, so that every figure is known beforehand. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readCaptured, recordsIn } from "../src/replay/captured.ts";
import { openReplay } from "../src/replay/openReplay.ts";
import { expectedOf } from "../src/steps/capturedLinks.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "game-data-captured-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (files: Readonly<Record<string, unknown>>) => {
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof value === "string" ? value : JSON.stringify(value));
  }
};
const open = () =>
  openReplay(folder, join(folder, "recording"), { streamHistoryPages: 1, streamStashes: 1 });

const league = (id: string) => ({ id });
const entries = (length: number) => Array.from({ length }, (_, rank) => ({ rank }));
const change = (id: string, items: number, isPublic = true) => ({
  ...{ id, public: isPublic },
  items: entries(items),
});

it("counts what was put in, a stash as its last change left it", async () => {
  put({
    "leagues.json": { leagues: [league("S"), { ...league("E"), event: true }, league("H")] },
    "ladder.json": { league: { id: "S", entries: entries(7) } },
    "exchange/1.json": { next_change_id: 7200, markets: entries(2) },
    "exchange/2.json": { next_change_id: 10_800, markets: [] },
    "exchange/3.json": { next_change_id: 7200, markets: [] },
    "stream/1.json": { next_change_id: "b", stashes: [change("x", 9), change("y", 1)] },
    "stream/2-part-1.json": { next_change_id: "c", stashes: [change("x", 2)] },
    "stream/2-part-2.json": {
      next_change_id: "c",
      stashes: [change("y", 0, false), change("z", 3)],
    },
    "game2/characters.json": { characters: entries(3) },
    "tree-links.json": [
      { payload: "a", version: 4, status: "exact" },
      { payload: "b", version: 2, status: "exact", outside_specification: true },
      { payload: "c", version: 6, status: "malformed" },
    ],
  });
  const { counts, notServed } = await open();
  expect(counts).toEqual({
    leagues: 2,
    "entries of the ladder": 7,
    hours: 2,
    markets: 2,
    pages: 2,
    changes: 5,
    "stashes listed": 2,
    "items in stashes": 5,
    "links read exactly": 1,
    "links rejected": 2,
  });
  expect(notServed).toEqual([["a response for the realm game2", 1]]);
});

it("takes order and number of records from a manifest, and trees from bare lists", async () => {
  const list = { leagues: [league("S")] };
  const trees = [{ hashes: [1], character: 4 }, { hashes: [] }];
  put({
    "a.json": list,
    "b.json": { kind: "Character.passives", records: trees },
    "left-out.json": list,
    "headers.json": {},
    "manifest.json": [
      { file: "b.json", kind: "Character.passives", records: 2 },
      { file: "a.json", kind: "League", records: 1 },
      { file: "headers.json", kind: "RateLimitHeaders", records: 5 },
    ],
  });
  const { counts, files, trees: found } = await open();
  expect(files.map(({ path }) => path)).toEqual(["b.json", "a.json", "headers.json"]);
  expect(counts).toEqual({ leagues: 1, records: 3 });
  expect(found).toMatchObject([
    { of: "b", class: 4, passives: { hashes: [1] } },
    { of: "b", class: undefined },
  ]);
  put({ "b.json": { kind: "Character.passives", records: [{}] } });
  await expect(open()).rejects.toThrow("b.json holds no passives");
});

it.each([
  ["no.json", "no JSON", /no\.json: /u],
  ["tree-links.json", "{}", /tree-links\.json holds no list/u],
  ["list.json", "[]", /holds no captured responses/u],
])("says what is wrong with a folder with %s: %s", (file, text, message) => {
  put({ [file]: text });
  expect(() => readCaptured(folder)).toThrow(message);
  expect(() => readCaptured(join(folder, file))).toThrow("is not a folder");
});

it.each([
  [{ characters: [1, 2] }, "Character", 2],
  [{ character: {} }, "Character", 1],
  [{ stash: {} }, "StashTab", 1],
  [{ stashes: [1] }, "StashTab", 1],
  [{ next_change_id: "a", stashes: [1] }, "PublicStashChange", 1],
  [{ next_change_id: 0, markets: [] }, "Market", 0],
  [{ leagues: [1] }, "League", 1],
  [{ league: { entries: [1, 2, 3] } }, "LadderEntry", 3],
  [{ matches: [1] }, "PvPMatch", 1],
  [{ filter: {} }, "ItemFilter", 1],
  [{ uuid: "" }, "Profile", 1],
  [{ kind: "Item", records: [1, 2] }, "Item", 2],
  [{ error: {} }, undefined, 0],
  [{ kind: "Item" }, undefined, 0],
  [{ league: {} }, undefined, 0],
])("finds the records of %j: %s", (body, kind, count) => {
  const found = recordsIn(body);
  expect([found.kind, found.records.length]).toEqual([kind, count]);
});

it.each([
  [4, { fullscreen: true, extended: [] }, { fullscreen: true }],
  [5, { extended: [4], masteries: [] }, { extendedHashes: [4] }],
  [
    6,
    { extended: [4], masteries: [{ node: 5, effect: 6 }], second_ascendancy: 2 },
    { extendedHashes: [4], masteries: [{ node: 5, effect: 6 }], alternateAscendancy: 2 },
  ],
])("expects the fields of version %i of a link", (version, more, named) => {
  const fields = { class: 1, ascendancy: 2, hashes: [3] };
  const link = { payload: "", version, status: "exact", expected: { ...fields, ...more } } as const;
  expect(expectedOf(link)).toEqual({ version, ...fields, ...named });
});

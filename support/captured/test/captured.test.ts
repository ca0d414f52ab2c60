/** Folders made here, so that every figure is known beforehand. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  CapturedError,
  countRecords,
  compareCounts,
  expectedOf,
  countLinks,
  readCaptured,
  recordsIn,
} from "../src/index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "game-data-captured-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = async (files: Readonly<Record<string, unknown>>) => {
  for (const [path, value] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(value));
  }
};

const items = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `${index}` }));
const change = (id: string, count: number, isPublic = true) => ({
  id,
  public: isPublic,
  items: items(count),
});

describe("counts", () => {
  it("are those that were put in", async () => {
    await put({
      "characters.json": { characters: items(3) },
      "character/a.json": { character: { name: "A", equipment: items(2) } },
      "character/console_a-b.json": { character: { name: "B", equipment: items(4) } },
      "stash/list.json": { stashes: [{ id: "1", children: [{ id: "2" }] }, { id: "3" }] },
      "stash/1.json": { stash: { id: "1", items: items(5), children: [{ items: items(6) }] } },
      "leagues.json": { leagues: [{ id: "S" }, { id: "E", event: true }, { id: "H" }] },
      "ladder.json": { league: { id: "S", entries: items(7) } },
      "exchange/1.json": { next_change_id: 7200, markets: items(2) },
      "exchange/2.json": { next_change_id: 10_800, markets: [] },
    });
    expect(readCaptured(folder).counts).toEqual({
      "characters listed": 3,
      "items of single characters": 6,
      "tabs listed": 3,
      "tabs with items": 2,
      "items in tabs": 11,
      leagues: 2,
      "entries of the ladder": 7,
      hours: 2,
      markets: 2,
    });
  });

  it("count a stash as its last change left it", async () => {
    await put({
      "1.json": { next_change_id: "b", stashes: [change("x", 9), change("y", 1)] },
      "2-part-1.json": { next_change_id: "c", stashes: [change("x", 2)] },
      "2-part-2.json": { next_change_id: "c", stashes: [change("y", 0, false), change("z", 3)] },
    });
    expect(readCaptured(folder).counts).toEqual({
      pages: 2,
      changes: 5,
      "stashes listed": 2,
      "items in stashes": 5,
    });
  });

  it("are compared with those of a program", () => {
    expect(compareCounts({ a: 1, b: 2, c: 0 }, { a: 1, b: 3, d: 4 })).toEqual({
      rows: [
        ["a", 1, 1],
        ["b", 2, 3],
      ],
      differing: ["b"],
      notCaptured: ["c"],
    });
  });

  it("leave out what is not captured, and other realms", async () => {
    await put({ "game2/characters.json": { characters: items(3) } });
    expect(readCaptured(folder).counts).toEqual({});
  });

  it("take order and number of records from a manifest", async () => {
    const stash = (id: string) => ({ stash: { id } });
    await put({
      "a.json": stash("a"),
      "b.json": stash("b"),
      "left-out.json": stash("c"),
      "headers.json": {},
      "manifest.json": [
        { file: "b.json", kind: "StashTab", records: 1 },
        { file: "a.json", kind: "StashTab", records: 1 },
        { file: "headers.json", kind: "RateLimitHeaders", records: 5 },
      ],
    });
    const { counts, tabIds } = readCaptured(folder);
    expect(tabIds).toEqual(["b", "a"]);
    expect(counts["records"]).toBe(2);
  });
});

describe("what is captured one by one", () => {
  it("is told by name and realm", async () => {
    await put({
      "game2/c.json": { character: { name: "C" } },
      "profile.json": { uuid: "1-2-3" },
      "tree.json": {
        kind: "Character.passives",
        records: [{ hashes: [1], character: 4 }, { hashes: [] }],
      },
    });
    const { characters, trees, uuid } = readCaptured(folder);
    expect(uuid).toBe("1-2-3");
    expect(characters).toMatchObject([{ name: "C", realm: "game2" }]);
    expect(trees).toMatchObject([
      { of: "tree", class: 4, passives: { hashes: [1] } },
      { of: "tree", class: undefined },
    ]);
  });

  it("is rejected when it is no tree", async () => {
    await put({ "tree.json": { kind: "Character.passives", records: [{}] } });
    expect(() => readCaptured(folder)).toThrow("tree.json holds no passives");
  });
});

describe("a folder that holds something else", () => {
  it.each([
    ["no.json", "no JSON", /no\.json: /u],
    ["tree-links.json", "{}", /tree-links\.json holds no list/u],
    ["list.json", "[]", /holds no captured responses/u],
  ])("%s with %s: says so", async (file, text, message) => {
    await writeFile(join(folder, file), text);
    expect(() => readCaptured(folder)).toThrow(message);
  });

  it("is none when it is a file, or is not there", async () => {
    await put({ "a.json": {} });
    expect(() => readCaptured(join(folder, "a.json"))).toThrow(CapturedError);
    expect(() => readCaptured(join(folder, "nowhere"))).toThrow("is not a folder");
  });
});

describe("records", () => {
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
  ])("%j: %s", (body, kind, count) => {
    const found = recordsIn(body);
    expect(found?.kind).toBe(kind);
    expect(found?.records).toHaveLength(count);
  });

  it.each([{ error: {} }, { kind: "Item" }, { league: {} }])("%j: none", (body) => {
    expect(recordsIn(body)).toBeUndefined();
  });

  it("are counted by kind, with what a check says of each", async () => {
    await put({
      "1.json": { kind: "Item", records: [1, 2, 3] },
      "2.json": { kind: "Item", records: [4] },
      "3.json": { uuid: "" },
      "4.json": { error: {} },
      "5.json": { next_change_id: 0, markets: [] },
    });
    const checkers: Readonly<Record<string, Parameters<typeof countRecords>[1]>> = {
      Item: () => (record) => ({ accepted: record !== 2, drift: Number(record) > 2 }),
      Market: () => () => ({ accepted: false, drift: false }),
    };
    expect(countRecords(readCaptured(folder), (kind) => checkers[kind]?.(kind))).toEqual({
      rows: [
        { kind: "Item", files: 2, records: 4, accepted: 3, rejected: 1, drift: 2 },
        { kind: "Market", files: 1, records: 0, accepted: 0, rejected: 0, drift: 0 },
      ],
      total: { records: 4, accepted: 3 },
      others: ["3.json", "4.json"],
    });
  });
});

describe("links", () => {
  const fields = { class: 1, ascendancy: 2, hashes: [3] };

  it("are counted as a codec must check them", async () => {
    await put({
      "tree-links.json": [
        { payload: "a", version: 4, status: "exact", expected: fields },
        { payload: "b", version: 2, status: "exact", outside_specification: true },
        { payload: "c", version: 6, status: "malformed" },
      ],
    });
    const { counts, links } = readCaptured(folder);
    expect(counts).toEqual({ "links read exactly": 1, "links rejected": 2 });
    expect(links.map(expectedOf).map((expected) => expected?.["class"])).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });

  it("are counted by version, with what a check says of each", () => {
    const versions = [6, null, 4, 6, 6];
    const results = ["exact", "rejected", "exact", "rejected", "different"] as const;
    const links = versions.map((version) => ({ payload: "", version, status: "exact" as const }));
    let index = 0;
    expect(countLinks(links, () => results[index++]!)).toEqual({
      rows: [
        { version: "none", links: 1, exact: 0, rejected: 1 },
        { version: "4", links: 1, exact: 1, rejected: 0 },
        { version: "6", links: 3, exact: 1, rejected: 1 },
      ],
      total: { "links read exactly": 2, "links rejected": 2 },
    });
  });

  it.each([
    [4, { fullscreen: true, extended: [] }, { fullscreen: true }],
    [5, { extended: [4], masteries: [] }, { extendedHashes: [4] }],
    [
      6,
      { extended: [4], masteries: [{ node: 5, effect: 6 }], second_ascendancy: 2 },
      { extendedHashes: [4], masteries: [{ node: 5, effect: 6 }], alternateAscendancy: 2 },
    ],
  ])("of version %i have the fields of that version", (version, more, named) => {
    const link = { payload: "", version, status: "exact", expected: { ...fields, ...more } };
    expect(expectedOf(link as Parameters<typeof expectedOf>[0])).toEqual({
      version,
      ...fields,
      ...named,
    });
  });
});

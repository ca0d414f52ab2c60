/** What a stash becomes in an export: its columns, and its items with their numbers as they came. */
import { zstdCompressSync } from "node:zlib";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { SinkError } from "../src/Errors.ts";
import { attempt, foreignFile } from "../src/core/exportAttempt.ts";
import { COLUMNS, rowsOfStash } from "../src/core/exportRows.ts";
import { run } from "./support/Run.ts";

const stash = (json: string) => ({
  ...{ id: "a", realm: "pc", seq: 2, account: "A", name: "n", type: "t", league: "L", items: 1 },
  ...{ firstSeen: 3, lastSeen: 4, doc: zstdCompressSync(json) },
});

it("is itself, without its document", () => {
  const [row, ...others] = rowsOfStash("stashes", stash("{}"));
  expect(others).toEqual([]);
  expect(Object.keys(row!).toSorted()).toEqual(COLUMNS.stashes.toSorted());
  expect(row).toMatchObject({ id: "a", lastSeen: 4 });
});

const none = { name: null, typeLine: null, baseType: null, rarity: null, ilvl: null };
const item = { ...{ id: null, ...none, frameType: null, note: null } };

it.each([
  ["no items", "{}", []],
  ["none in its list", '{"items":null}', []],
  [
    "the members that have a column",
    '{"items":[{"id":"i","ilvl":8,"x":1}]}',
    [{ id: "i", ilvl: 8 }],
  ],
  [
    "members that fit a cell",
    '{"items":[{"id":true,"name":{},"note":[1],"ilvl":null}]}',
    [{ id: true }],
  ],
  ["what is no item", '{"items":[null,7]}', [{}, {}]],
])("has a row for each item: %s", (_, json, items) => {
  const own = { stash: "a", account: "A", league: "L", seq: 2 };
  const rows = rowsOfStash("items", stash(json));
  expect(rows).toEqual(items.map((one) => ({ ...item, ...one, ...own })));
  for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(COLUMNS.items.toSorted());
});

it.each(["1e400", "1.0", "12345678901234567890", "-0", "1E2"])(
  "keeps a number's digits: %s",
  (digits) => {
    const [row] = rowsOfStash("items", stash(`{"items":[{"ilvl":${digits},"frameType":12}]}`));
    expect([String(row!["ilvl"]), JSON.stringify(row!["ilvl"])]).toEqual([digits, digits]);
    expect(row!["frameType"]).toBe(12);
  },
);

it.each([
  ["a full disk", Object.assign(new Error("no"), { code: "ENOSPC" }), "diskFull"],
  ["another failure of it", Object.assign(new Error("no"), { code: "EIO" }), "internal"],
  ["a file that holds something else", foreignFile("it has no line"), "incompatible"],
])("an export that fails says what to do: %s", async (_, cause, kind) => {
  const failing = attempt(() => {
    throw cause;
  });
  const error = await run(Effect.flip(failing));
  expect(error).toBeInstanceOf(SinkError);
  expect(error).toMatchObject({ operation: "export", kind });
  expect(error.message).toContain(cause instanceof SinkError ? "it has no line" : "no");
});

/** Exports of each database: rows of one snapshot, and files that appear when they are complete. */
import { DuckDBInstance } from "@duckdb/node-api";
import { Effect, Stream } from "effect";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as Export from "../src/Export.ts";
import type { StoreUrl } from "../src/StoreUrl.ts";
import { answerHistory } from "./support/FaultServer.ts";
import type { MadePage } from "./support/History.ts";
import { newFolder, onEachDatabase } from "./support/hooks.ts";
import { quietly as run } from "./support/Run.ts";
import { derived, followedInto, listed } from "./support/Stores.ts";

const ring = (id: string, more = {}) => ({ id, typeLine: 'Ring, "gilded"', ilvl: 84, ...more });
const pages: ReadonlyArray<MadePage> = [
  { id: "p0", nextId: "p1", stashes: [listed("a", "old"), listed("d", "unlisted later")] },
  {
    id: "p1",
    nextId: "p2",
    stashes: [
      listed("a", "new", [ring("1", { note: "~price 1 exa" }), ring("2")]),
      { id: "d".padStart(64, "0"), public: false },
    ],
  },
  {
    id: "p2",
    nextId: "p3",
    stashes: [listed("c", "three", [ring("3")], { league: "Hardcore" })],
  },
];

const follow = (url: StoreUrl) =>
  run(Effect.andThen(followedInto(url, { answer: answerHistory(pages) }), derived(url)));
const rowsOf = (url: StoreUrl, kind: Export.ExportKind, filter = {}) =>
  run(Stream.runCollect(Export.rows(url, kind, { realm: "pc", ...filter })));

/** Reads a file as a program does that knows its format. */
const readBack = async (file: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(
    `SELECT id::VARCHAR, typeLine, ilvl::INTEGER, note, seq::INTEGER FROM '${file.replaceAll("'", "''")}'`,
  );
  connection.closeSync();
  instance.closeSync();
  return result.getRows();
};

onEachDatabase((newStore) => {
  it("Export.rows exports the current stashes and their items, by league and by page", async () => {
    const url = newStore();
    await expect(rowsOf(url, "stashes")).rejects.toThrow("there are no derived tables");
    await follow(url);
    const stashes = await rowsOf(url, "stashes");
    const { firstSeen, lastSeen, ...first } = stashes[0]!;
    expect(first).toEqual({
      ...{ id: "a".padStart(64, "0"), realm: "pc", seq: 2, account: "Exile#1", name: "new" },
      ...{ type: "PremiumStash", league: "Standard", items: 2 },
    });
    expect(Number(firstSeen)).toBeLessThanOrEqual(Number(lastSeen));
    expect(stashes.map(({ name }) => name)).toEqual(["new", "three"]);
    const items = await rowsOf(url, "items");
    expect(items.map(({ id, ilvl, note }) => [id, ilvl, note])).toEqual([
      ["1", 84, "~price 1 exa"],
      ["2", 84, null],
      ["3", 84, null],
    ]);
    for (const item of items)
      expect(Object.keys(item).toSorted()).toEqual(Export.COLUMNS.items.toSorted());
    expect(await rowsOf(url, "items", { league: "Hardcore" })).toMatchObject([{ id: "3" }]);
    expect(await rowsOf(url, "stashes", { since: 2n })).toMatchObject([{ name: "three" }]);
    expect(await rowsOf(url, "markets")).toEqual([]);
  });

  it("an export keeps all digits of numbers that JavaScript would round", async () => {
    const url = newStore();
    const odd = '"ilvl":-1e400,"frameType":123456789012345678901234567890,"note":1.0';
    const page = { next_change_id: "p1", stashes: [listed("a", "digits", [{ mark: true }])] };
    const body = JSON.stringify(page).replace('"mark":true', odd);
    const end = '{"next_change_id":"p1","stashes":[]}';
    const answer = ({ id }: { readonly id: string | undefined }) => ({
      body: Buffer.from(id === undefined ? body : end),
    });
    await run(Effect.andThen(followedInto(url, { answer }), derived(url)));
    const rows = Export.rows(url, "items", { realm: "pc" });
    const text = async (format: "ndjson" | "csv") =>
      (await run(Stream.runCollect(Export.text("items", format, rows)))).join("");
    expect(await text("csv")).toContain("-1e400,123456789012345678901234567890,1.0,1");
    expect(await text("ndjson")).toContain(
      '"ilvl":-1e400,"frameType":123456789012345678901234567890,"note":1.0,',
    );
  });

  it.each(["ndjson", "csv", "parquet"] as const)(
    "Export.write writes a complete %s file, or no file if reading the rows fails",
    async (format) => {
      const url = newStore();
      await follow(url);
      const folder = newFolder();
      const out = join(folder, `it's.${format}`);
      const rows = Export.rows(url, "items", { realm: "pc" });
      expect(await run(Export.write(out, "items", format, rows))).toBe(3);
      expect(statSync(out).mode & 0o777).toBe(0o600);
      expect(await readBack(out)).toEqual([
        ["1", 'Ring, "gilded"', 84, "~price 1 exa", 2],
        ["2", 'Ring, "gilded"', 84, null, 2],
        ["3", 'Ring, "gilded"', 84, null, 3],
      ]);
      const broken = Stream.concat(rows, Stream.fail("broken"));
      const exit = await Effect.runPromiseExit(
        Export.write(join(folder, "other"), "items", format, broken),
      );
      expect(String(exit)).toContain("broken");
      expect(readdirSync(folder)).toEqual([`it's.${format}`]);
    },
  );
});

it("Export.write fails with SinkError if the file cannot be written", async () => {
  const out = join(newFolder(), "no", "such", "folder.csv");
  const write = Export.write(out, "stashes", "csv", Stream.empty);
  expect(await run(Effect.flip(write))).toMatchObject({ _tag: "SinkError", reason: "internal" });
});

/** The store in memory and in its file, and files of other worlds. */
import { createSandboxHandler } from "@game-data/sandbox";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Schema } from "effect";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteFile } from "../../src/store/sqlite.ts";
import { Store, type Table } from "../../src/store/Store.ts";
import { prng } from "../../src/world/Prng.ts";

const shared = mkdtempSync(join(tmpdir(), "sandbox-stores-"));
afterAll(() => rmSync(shared, { recursive: true }));

const Word = Schema.Struct({
  id: Schema.String,
  word: Schema.String,
  rank: Schema.NullOr(Schema.Int),
});
type Word = typeof Word.Type;

const one = (id: string, word = "x", rank: number | null = null): Word => ({ id, word, rank });
const wordsOf = (store: Store) => store.table("words", "id", Word);

const opened = () => {
  const store = new Store();
  return { store, words: wordsOf(store) };
};

describe("a store", () => {
  it("a store rolls back a transaction whose body throws, with its nested transaction", () => {
    const { store, words } = opened();
    words.put(one("kept"));
    expect(() =>
      store.transact(() => {
        words.put(one("a"));
        words.put(one("kept", "changed"));
        store.transact(() => words.delete("kept"));
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(words.all()).toEqual([one("kept")]);
    expect(store.transact(() => store.transact(() => words.size))).toBe(1);
  });

  it("a store refuses a snapshot of another format or with invalid rows, and keeps its rows", () => {
    const { store, words } = opened();
    words.put(one("a"));
    expect(() => store.restore({ format: 999, tables: {} })).toThrow("format 999");
    const { format } = store.snapshot();
    const rows = [{ id: "b", word: 7, rank: null }];
    expect(() => store.restore({ format, tables: { words: rows } })).toThrow(
      "words/0 is not a row of this table",
    );
    expect(words.all()).toEqual([one("a")]);
  });
});

it("a store reads from its file what it had in memory, after every step of random runs", () => {
  const draw = prng("stores");
  for (let run = 0; run < 5; run++) {
    const path = join(shared, `run-${run}.db`);
    const apply = (words: Table<Word>) => {
      const id = String(draw.int(0, 8));
      if (draw.chance(0.3)) words.delete(id);
      else words.put(one(id, draw.pick(["x", "y"]), draw.chance(0.3) ? null : draw.int(0, 5)));
    };
    let before: ReadonlyArray<Word> = [];
    for (let step = 0; step < 10; step++) {
      const file = sqliteFile(path);
      const store = new Store(file);
      const words = wordsOf(store);
      expect(words.all()).toEqual(before);
      apply(words);
      store.transact(() => [1, 2, 3].forEach(() => apply(words)));
      const failing = () =>
        store.transact(() => {
          [1, 2, 3].forEach(() => apply(words));
          throw new Error("undo");
        });
      const kept = words.all().toSorted((a, b) => a.id.localeCompare(b.id));
      expect(failing).toThrow("undo");
      expect(words.all().toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(kept);
      file.close();
      before = rowsOf(path);
    }
  }
});

/** The rows of a file, in its own order. */
const rowsOf = (path: string): ReadonlyArray<Word> => {
  const file = sqliteFile(path);
  const rows = wordsOf(new Store(file)).all();
  file.close();
  return rows;
};

it("sqliteFile refuses a file of an older version", () => {
  const path = join(shared, "old.db");
  const db = new DatabaseSync(path);
  db.exec("CREATE TABLE meta (key TEXT, value TEXT)");
  db.close();
  expect(() => sqliteFile(path)).toThrow("another version of the sandbox");
});

it("sqliteFile refuses a file that another sandbox has open, until that sandbox is closed", () => {
  const file = join(shared, "one-writer.db");
  const first = sqliteFile(file);
  expect(() => sqliteFile(file)).toThrow("in use by another sandbox");
  first.close();
  sqliteFile(file).close();
});

it("a sandbox refuses a database file with the world of another seed", async () => {
  const file = join(shared, "seeds.db");
  const first = await createSandboxHandler({ file, seed: 7 });
  await first.close();
  await expect(createSandboxHandler({ file, seed: 8 })).rejects.toThrow("seed 7");
  // Where none is given, the file's own one is taken.
  for (const seed of [7, undefined]) {
    await using again = await createSandboxHandler({ file, seed });
    expect([again.accounts, again.clients]).toEqual([first.accounts, first.clients]);
  }
});

it("a sandbox refuses a database file with a world of other sizes", async () => {
  const file = join(shared, "sizes.db");
  const world = { ladderSize: 50, streamPageSize: 20 };
  await (await createSandboxHandler({ file, world })).close();
  await expect(createSandboxHandler({ file, world: { ladderSize: 60 } })).rejects.toThrow(
    "it holds a world of ladderSize=50 streamPageSize=20, not of ladderSize=60",
  );
  await using again = await createSandboxHandler({ file });
  const path = encodeURIComponent("/league/Standard/ladder?limit=1");
  const { league } = (await again.control("GET", `/world?path=${path}`)) as any;
  expect(league.total).toBe(50);
  await using other = await createSandboxHandler({ now: "2026-03-01T12:00:00Z" });
  await using small = await createSandboxHandler({ now: "2026-03-01T12:00:00Z", world });
  const snapshot = (await small.control("POST", "/snapshot")) as object;
  await expect(other.control("POST", "/restore", snapshot)).rejects.toThrow("other sizes");
});

it("a sandbox refuses a file that is not a database", async () => {
  const file = join(shared, "text.db");
  writeFileSync(file, "no database, but a text long enough to look like one ".repeat(20));
  await expect(createSandboxHandler({ file })).rejects.toThrow("the sandbox cannot start");
});

it("a sandbox with a file keeps clients that were registered later, and their tokens", async () => {
  const file = join(shared, "clients.db");
  const redirectUris = ["http://127.0.0.1:1/cb"];
  const first = await createSandboxHandler({ file });
  await first.control("POST", "/clients", { clientId: "mine", kind: "public", redirectUris });
  const token = await first.token({ clientId: "mine", scopes: ["account:profile"] });
  await first.close();
  await using second = await createSandboxHandler({ file });
  const headers = { authorization: `Bearer ${token}` };
  const profile = await second.fetch(new Request(`${second.baseUrl}/profile`, { headers }));
  expect(profile.status).toBe(200);
});

it("a sandbox with a file keeps the offset of its clock", async () => {
  const file = join(shared, "clock.db");
  for (const now of ["2030-01-01T00:00:00Z", undefined]) {
    await using sandbox = await createSandboxHandler({ file, now });
    const response = await sandbox.fetch(new Request(`${sandbox.authUrl}/my/applications`));
    const shown = Date.parse(response.headers.get("date") ?? "");
    expect(Math.abs(shown - Date.parse("2030-01-01T00:00:00Z"))).toBeLessThan(60_000);
  }
});

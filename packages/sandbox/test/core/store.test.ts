/** The store: both engines against the same tests, and files of other worlds. */
import { createSandboxHandler } from "@game-data/sandbox";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { memoryEngine } from "../../src/store/memory.ts";
import { sqliteEngine } from "../../src/store/sqlite.ts";
import { type Engine, Store, type Table, type TableDefinition } from "../../src/store/Store.ts";
import { prng } from "../../src/world/Prng.ts";

const shared = mkdtempSync(join(tmpdir(), "sandbox-engines-"));
afterAll(() => rmSync(shared, { recursive: true }));
const engines: ReadonlyArray<readonly [string, () => Engine]> = [
  ["memory", memoryEngine],
  ["SQLite", () => sqliteEngine(":memory:")],
];

interface Word {
  readonly id: string;
  readonly word: string;
  readonly rank: number | null;
}

const WORDS: TableDefinition<Word> = {
  name: "words",
  key: "id",
  columns: { id: "text", word: "text", rank: "integer?" },
  indexes: ["word"],
};

const one = (id: string, word = "x", rank: number | null = null): Word => ({ id, word, rank });

describe.each(engines)("a store in %s", (_, open) => {
  const opened = () => {
    const store = new Store(open());
    return { store, words: store.table(WORDS) };
  };

  it("rolls a transaction back when its body throws, the nested part too", () => {
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
    expect(store.transact(() => store.transact(() => words.count()))).toBe(1);
  });

  it("keeps rows in the order of their first put, finds them by an index, and removes by a bound", () => {
    const { words } = opened();
    for (const [id, rank] of [
      ["a", 3],
      ["b", 1],
      ["c", null],
      ["d", 2],
    ] as const)
      words.put(one(id, id === "b" ? "other" : "x", rank));
    words.put(one("a", "x", 9));
    expect(words.all().map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
    expect(words.by("word", "x").map(({ id }) => id)).toEqual(["a", "c", "d"]);
    words.deleteUpTo("rank", 2);
    expect(words.all().map(({ id }) => id)).toEqual(["a", "c"]);
    expect(words.by("word", "other")).toEqual([]);
  });

  it("empties everything at a reset and lets the areas seed again, in their order", () => {
    const { store, words } = opened();
    store.onReset("one", () => words.put(one("1", "one")));
    store.onReset("two", () => words.put(one("2", "two")));
    words.put(one("old"));
    store.setMeta("kept", "yes");
    store.reset();
    expect(words.all().map(({ word }) => word)).toEqual(["one", "two"]);
    expect(store.getMeta("kept")).toBe("yes");
  });

  it("restores a snapshot that went through JSON, whatever the order of its tables", () => {
    const { store, words } = opened();
    words.put(one("a", "kept", 7));
    const { format, tables } = JSON.parse(JSON.stringify(store.snapshot()));
    words.delete("a");
    const backwards = Object.fromEntries(Object.entries<never>(tables).toReversed());
    const before = store.generation();
    store.restore({ format, tables: { ...backwards, unknown: [] } });
    expect(words.all()).toEqual([one("a", "kept", 7)]);
    expect(store.generation()).toBeGreaterThan(before);
  });

  it("refuses a snapshot of another format or with rows that do not fit, and keeps what it has", () => {
    const { store, words } = opened();
    words.put(one("a"));
    expect(() => store.restore({ format: 999, tables: {} })).toThrow("format 999");
    const { format } = store.snapshot();
    const rows = [{ id: "b", word: 7, rank: null }];
    expect(() => store.restore({ format, tables: { words: rows } })).toThrow("words.word holds 7");
    expect(words.all()).toEqual([one("a")]);
  });
});

it("memory and SQLite agree after every step of random runs, exceptions included", () => {
  const draw = prng("stores");
  for (let run = 0; run < 20; run++) {
    const stores = engines.map(([, open]) => {
      const store = new Store(open());
      return { store, words: store.table(WORDS) };
    });
    const steps = Array.from({ length: 30 }, () => ({
      kind: draw.pick(["put", "put", "put", "delete", "bound", "transact", "fail"]),
      id: String(draw.int(0, 8)),
      word: draw.pick(["x", "y", "z"]),
      rank: draw.chance(0.3) ? null : draw.int(0, 5),
    }));
    const apply = (words: Table<Word>, { id, kind, rank, word }: (typeof steps)[number]) => {
      if (kind === "delete") words.delete(id);
      else if (kind === "bound") words.deleteUpTo("rank", rank ?? 0);
      else words.put(one(id, word, rank));
    };
    for (const [index, step] of steps.entries()) {
      for (const { store, words } of stores) {
        if (step.kind !== "transact" && step.kind !== "fail") apply(words, step);
        else
          try {
            store.transact(() => {
              for (const inner of steps.slice(0, index).slice(-3)) apply(words, inner);
              store.transact(() => apply(words, step));
              if (step.kind === "fail") throw new Error("undo");
            });
          } catch (cause) {
            expect((cause as Error).message).toBe("undo");
          }
      }
      const [memory, sqlite] = stores.map(({ words }) => ({
        all: words.all().map((row) => ({ ...row })),
        x: words.by("word", "x").map(({ id }) => id),
        count: words.count(),
      }));
      expect(memory).toEqual(sqlite);
    }
    for (const { store } of stores) store.close();
  }
});

it("refuses a file that another sandbox has open, and opens it once that one has ended", () => {
  const file = join(shared, "one-writer.db");
  const first = sqliteEngine(file);
  expect(() => sqliteEngine(file)).toThrow("in use by another sandbox");
  first.close();
  sqliteEngine(file).close();
});

it("refuses a file that holds the world of another seed", async () => {
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

it("says so when its file is none of ours", async () => {
  const file = join(shared, "text.db");
  writeFileSync(file, "no database, but a text long enough to look like one ".repeat(20));
  await expect(createSandboxHandler({ file })).rejects.toThrow("the sandbox cannot start");
});

it("keeps clients that were registered later, and their tokens, in its file", async () => {
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

it("keeps the clock's offset in its file", async () => {
  const file = join(shared, "clock.db");
  for (const now of ["2030-01-01T00:00:00Z", undefined]) {
    await using sandbox = await createSandboxHandler({ file, now });
    const response = await sandbox.fetch(new Request(`${sandbox.authUrl}/my/applications`));
    const shown = Date.parse(response.headers.get("date") ?? "");
    expect(Math.abs(shown - Date.parse("2030-01-01T00:00:00Z"))).toBeLessThan(60_000);
  }
});

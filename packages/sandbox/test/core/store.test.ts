/** The database: transactions, seeds, snapshots, and files of other worlds. */
import { assert, describe, it } from "@effect/vitest";
import { createSandboxHandler, Sandbox, Store } from "@game-data/sandbox";
import { Context, Effect } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it as plain } from "vitest";

const storeOf = Effect.map(Sandbox, ({ services }) => Context.get(services, Store));
const inProcess = Sandbox.layerInProcess();
const count = (store: Store["Service"]) =>
  Number(store.prepare("SELECT count(*) AS n FROM probe").get()?.["n"]);
const PROBE = ["CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, word TEXT) STRICT"];

describe("the store", () => {
  it.effect("rolls a transaction back when its body throws, the nested part too", () =>
    Effect.gen(function* () {
      const store = yield* storeOf;
      store.define(PROBE);
      const insert = () => store.prepare("INSERT INTO probe (word) VALUES ('x')").run();
      assert.throws(
        () =>
          store.transact(() => {
            insert();
            store.transact(insert);
            throw new Error("no");
          }),
        "no",
      );
      assert.strictEqual(count(store), 0);
      assert.strictEqual(
        store.transact(() => store.transact(() => insert().changes)),
        1,
      );
      assert.strictEqual(count(store), 1);
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("empties everything at a reset and lets the areas seed again, in their order", () =>
    Effect.gen(function* () {
      const store = yield* storeOf;
      store.define(PROBE);
      store.onReset("one", () => store.prepare("INSERT INTO probe (word) VALUES ('one')").run());
      store.onReset("two", () => store.prepare("INSERT INTO probe (word) VALUES ('two')").run());
      store.prepare("INSERT INTO probe (word) VALUES ('old')").run();
      yield* store.reset;
      const words = store.prepare("SELECT word FROM probe ORDER BY id").all();
      assert.deepStrictEqual(
        words.map((row) => row["word"]),
        ["one", "two"],
      );
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("keeps its clients at a reset", () =>
    Effect.gen(function* () {
      const store = yield* storeOf;
      yield* store.reset;
      const rows = store.prepare("SELECT client_id FROM oauth_clients").all();
      assert.include(
        rows.map((row) => row["client_id"]),
        "example-web",
      );
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("restores a snapshot that went through JSON", () =>
    Effect.gen(function* () {
      const store = yield* storeOf;
      store.define(PROBE);
      store.prepare("INSERT INTO probe (word) VALUES (?)").run("kept");
      const text = JSON.stringify(yield* store.snapshot);
      store.prepare("DELETE FROM probe").run();
      yield* store.restore(JSON.parse(text) as Effect.Success<typeof store.snapshot>);
      assert.strictEqual(store.prepare("SELECT word FROM probe").get()?.["word"], "kept");
    }).pipe(Effect.provide(inProcess)),
  );
  it.effect("refuses a snapshot of another format and keeps what it has", () =>
    Effect.gen(function* () {
      const store = yield* storeOf;
      const exit = yield* Effect.exit(store.restore({ format: 999, tables: {} }));
      assert.strictEqual(exit._tag, "Failure");
      assert.isAbove(
        Number(store.prepare("SELECT count(*) AS n FROM oauth_clients").get()?.["n"]),
        0,
      );
    }).pipe(Effect.provide(inProcess)),
  );
});

plain("refuses a file that holds the world of another seed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-store-"));
  const file = join(folder, "f.db");
  const first = await createSandboxHandler({ file, seed: 7 });
  await first.close();
  await expect(createSandboxHandler({ file, seed: 8 })).rejects.toThrow("seed 7");
  const again = await createSandboxHandler({ file, seed: 7 });
  expect(again.clients).toEqual(first.clients);
  await again.close();
  rmSync(folder, { recursive: true });
});

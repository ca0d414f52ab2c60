/** The database: transactions, seeds, snapshots, and files of other worlds. */
import { assert, describe, it } from "@effect/vitest";
import { createSandboxHandler, Sandbox, type SandboxHandler, Store } from "@game-data/sandbox";
import { Context, Effect } from "effect";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  it.effect("restores rows in any order of their tables: references are checked at the end", () =>
    Effect.gen(function* () {
      const store = yield* storeOf;
      const grants = () => store.prepare("SELECT id FROM oauth_grants").all();
      const insert = (sql: string) => store.prepare(sql).run();
      insert(
        "INSERT INTO oauth_grants VALUES ('g', 'example-web', 's', '', 'client_credentials', 0, NULL)",
      );
      insert("INSERT INTO oauth_access_tokens VALUES ('h', 'g', 'p', '', 0, NULL, NULL)");
      const { format, tables } = yield* store.snapshot;
      const backwards = Object.fromEntries(Object.entries(tables).toReversed());
      insert("DELETE FROM oauth_grants");
      yield* store.restore({ format, tables: backwards });
      assert.strictEqual(grants().length, 1);
      assert.strictEqual(store.prepare("SELECT * FROM oauth_access_tokens").all().length, 1);
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

plain("takes the seed of its file where none is given", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-store-"));
  const file = join(folder, "f.db");
  const first = await createSandboxHandler({ file, seed: 7 });
  await first.close();
  const again = await createSandboxHandler({ file });
  expect(again.accounts).toEqual(first.accounts);
  expect(again.clients).toEqual(first.clients);
  await again.close();
  rmSync(folder, { recursive: true });
});

plain("says so when its file is none of ours", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-store-"));
  const file = join(folder, "f.db");
  writeFileSync(
    file,
    "not a database, but a text that is long enough to look like one ".repeat(20),
  );
  await expect(createSandboxHandler({ file })).rejects.toThrow("the sandbox cannot start");
  rmSync(folder, { recursive: true });
});

plain("keeps clients that were registered later, and their tokens, in its file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-store-"));
  const file = join(folder, "f.db");
  const post = async (sandbox: SandboxHandler, path: string, body: unknown) => {
    const response = await sandbox.fetch(
      new Request(`${sandbox.controlUrl}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    return (await response.json()) as Record<string, string>;
  };
  const first = await createSandboxHandler({ file });
  await post(first, "/clients", {
    clientId: "mine",
    kind: "public",
    redirectUris: ["http://127.0.0.1:1/cb"],
  });
  const tokens = await post(first, "/tokens", { clientId: "mine", scopes: ["account:profile"] });
  await first.close();
  const second = await createSandboxHandler({ file });
  const profile = await second.fetch(
    new Request(`${second.baseUrl}/profile`, {
      headers: { authorization: `Bearer ${tokens["access_token"]}` },
    }),
  );
  expect(profile.status).toBe(200);
  await second.close();
  rmSync(folder, { recursive: true });
});

/**
 * The tables of each database: made in steps that remember themselves. `frozen/` holds a dump of
 * each released state: this program opens it, and ends with the tables that it makes itself.
 */
import { describeWithService } from "@game-data/test-support";
import { Effect, Redacted } from "effect";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inSchema } from "../chaos/Postgres.ts";
import { appliedSteps, stepChecksum } from "../src/core/migrations.ts";
import { SinkPostgres } from "../src/postgres/index.ts";
import { SinkSqlite, SqliteState } from "../src/sqlite/index.ts";
import { batchOf, commitOf, makePage } from "../src/testing/index.ts";
import { newFolder } from "./support/hooks.ts";
import { KEY, run } from "./support/Run.ts";

const frozen = (name: string) =>
  readFileSync(new URL(`./frozen/${name}.sql`, import.meta.url), "utf8");
const refused = (effect: Effect.Effect<unknown, unknown>) =>
  expect(run(Effect.flip(effect))).resolves.toMatchObject({
    _tag: "SinkError",
    kind: "incompatible",
  });

/** Claims and commits one page. */
const works = (sink: SinkSqlite.SqliteService) =>
  Effect.gen(function* () {
    yield* sink.claim(KEY, 1);
    const page = commitOf(makePage({ seq: 1n, rows: [{ id: "a", public: false }, null] }));
    yield* sink.commit(batchOf(page), 1);
    return (yield* sink.quarantine).length;
  });

describe("steps", () => {
  const steps = ["CREATE TABLE a (b)", "CREATE TABLE c (d)"];
  const applied = steps.map((step, index) => ({
    version: index + 1,
    checksum: stepChecksum(step),
  }));

  it("are counted where they are the first ones of the program", () => {
    expect(appliedSteps([], steps)).toBe(0);
    expect(appliedSteps(applied.slice(0, 1), steps)).toBe(1);
    expect(appliedSteps(applied, steps)).toBe(2);
    // A step is its words, not its indentation.
    const indented = steps.map((step) => `\n  ${step.replace(" ", "\n ")}`);
    expect(appliedSteps(applied, indented)).toBe(2);
    expect(stepChecksum("a b")).not.toBe(stepChecksum("ab"));
  });

  it.each([
    ["with a hole", [applied[1]!], "step 2"],
    ["of a newer program", [...applied, { version: 3, checksum: "0" }], "has version 3"],
    ["twice", [applied[0]!, applied[0]!], "step 1"],
    ["in another order", [{ ...applied[0]!, version: 2 }], "step 2"],
    ["that were edited", [{ version: 1, checksum: "0" }], "step 1"],
    ["without a checksum", [applied[0]!, { version: 2 }], "step 2"],
  ])("are refused: %s", (_, found, message) => {
    expect(() => appliedSteps(found, steps)).toThrow(message);
  });
});

describe("SQLite", () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
  });
  const sqlOf = (path: string) => {
    const db = new DatabaseSync(path, { readOnly: true });
    const rows = db.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all();
    const steps = db.prepare("SELECT * FROM migration").all();
    const id = db.prepare("PRAGMA application_id").get();
    db.close();
    const shown = rows.map(({ name, sql }) => [name, String(sql).replaceAll(/\s+/gu, " ")]);
    return { rows: shown, steps, id };
  };
  const thaw = (name: string, path: string) => {
    const db = new DatabaseSync(path);
    db.exec(frozen(name));
    db.close();
  };
  const make = async (path: string) => {
    const both = Effect.andThen(SinkSqlite.make({ path }), SqliteState.make({ path }));
    await run(Effect.scoped(both));
  };

  it("of version 1 is opened, works, and has the tables that are made today", async () => {
    const [path, fresh] = [join(folder, "old.db"), join(folder, "new.db")];
    thaw("sqlite-log-1", path);
    thaw("sqlite-index-1", `${path}.index`);
    expect(await run(Effect.scoped(Effect.flatMap(SinkSqlite.make({ path }), works)))).toBe(1);
    await make(path);
    await make(fresh);
    expect(sqlOf(path)).toEqual(sqlOf(fresh));
    expect(sqlOf(`${path}.index`)).toEqual(sqlOf(`${fresh}.index`));
  });

  it.each([
    ["a step that was edited", "UPDATE migration SET checksum = 'x'"],
    ["a newer program", "INSERT INTO migration VALUES (2, 'x')"],
    ["another program", "PRAGMA application_id = 7"],
    ["no record of steps", "DROP TABLE migration"],
  ])("with %s is refused, and stays as it is to the byte", async (_, change) => {
    const path = join(folder, "odd.db");
    thaw("sqlite-log-1", path);
    const db = new DatabaseSync(path);
    db.exec(change);
    db.close();
    const bytes = readFileSync(path);
    await refused(Effect.scoped(SinkSqlite.make({ path })));
    await refused(SinkSqlite.readStatus({ path }));
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});

describeWithService("postgres", "PostgreSQL", (url) => {
  const names: Array<string> = [];
  const schemaOf = () => {
    const name = `schemas_${crypto.randomUUID().slice(0, 8)}`;
    names.push(name);
    return name;
  };
  /** One connection of its own, and the schema's catalogue. */
  const within = async <A>(
    schema: string,
    use: (sql: (text: string) => Promise<ReadonlyArray<Record<string, unknown>>>) => Promise<A>,
  ) => {
    const { PgClient } = await import("@effect/sql-pg");
    const Reactivity = await import("effect/reactivity/Reactivity");
    return run(
      Effect.scoped(
        Effect.gen(function* () {
          const sql = yield* PgClient.make({
            url: Redacted.make(url),
            startupParameters: { search_path: schema },
          }).pipe(Effect.provide(Reactivity.layer));
          return yield* Effect.promise(() =>
            use((text) => run(sql.unsafe<Record<string, unknown>>(text))),
          );
        }),
      ),
    );
  };
  const thaw = (schema: string) =>
    within(schema, async (sql) => {
      await sql(`CREATE SCHEMA ${schema}`);
      for (const each of frozen("postgres-1").split(";\n")) if (each.trim() !== "") await sql(each);
    });
  const catalogue = (schema: string) =>
    within(schema, async (sql) => [
      await sql(`SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, a.attstorage,
          a.attidentity, pg_get_expr(d.adbin, d.adrelid) AS value
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind = 'r' ORDER BY c.relname, a.attnum`),
      (
        await sql(
          `SELECT indexdef FROM pg_indexes WHERE schemaname = '${schema}' ORDER BY indexname`,
        )
      ).map(({ indexdef }) => String(indexdef).replaceAll(schema, "S")),
      await sql(`SELECT version, checksum FROM ${schema}.follower_migration ORDER BY version`),
    ]);
  const drop = async () => {
    for (const name of names.splice(0)) {
      await within(name, (sql) => sql(`DROP SCHEMA IF EXISTS ${name} CASCADE`));
    }
  };
  afterEach(drop);

  it("of version 1 is opened, works, and has the tables that are made today", async () => {
    const [old, fresh] = [schemaOf(), schemaOf()];
    await thaw(old);
    const store = (schema: string) => SinkPostgres.make({ url: inSchema(url, schema) });
    expect(await run(Effect.scoped(Effect.flatMap(store(old), works)))).toBe(1);
    await run(Effect.scoped(store(fresh)));
    expect(await catalogue(old)).toEqual(await catalogue(fresh));
  });

  it.each([
    ["a step that was edited", "UPDATE follower_migration SET checksum = 'x'"],
    ["a program before checksums", "ALTER TABLE follower_migration DROP COLUMN checksum"],
    ["a newer program", "INSERT INTO follower_migration VALUES (2, 'x')"],
    ["no record of steps", "DROP TABLE follower_migration"],
  ])("with %s is refused, and nothing is changed", async (name, change) => {
    const schema = schemaOf();
    await thaw(schema);
    await within(schema, (sql) => sql(change));
    const tables = () =>
      within(schema, (sql) =>
        sql(
          `SELECT relname, relnatts FROM pg_class WHERE relnamespace = '${schema}'::regnamespace ORDER BY relname`,
        ),
      );
    const before = await tables();
    await refused(Effect.scoped(SinkPostgres.make({ url: inSchema(url, schema) })));
    await refused(SinkPostgres.readStatus({ url: inSchema(url, schema) }));
    expect([name, await tables()]).toEqual([name, before]);
  });
});

/** Set-up and clean-up that several test files share. */
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Redacted, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, onTestFinished } from "vitest";
import { inSchema } from "../../chaos/Postgres.ts";
import type { StoreUrl } from "../../src/StoreUrl.ts";

/** Makes a folder that exists until the end of the test. */
export const newFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "follower-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Returns addresses of schemas of a database, which are dropped after the tests of a block. */
const useSchemas = (url: string) => {
  const schemas: Array<string> = [];
  afterAll(async () => {
    const { connect } = await import("../../src/sql/Database.ts");
    const address = { kind: "postgres", url: Redacted.make(url) } as const;
    const drop = Effect.flatMap(connect(address, "log"), (sql) =>
      Effect.forEach(schemas, (schema) => sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    );
    await Effect.runPromise(Effect.scoped(drop));
  });
  return () => {
    const schema = `test_${crypto.randomUUID().slice(0, 8)}`;
    schemas.push(schema);
    return inSchema(url, schema);
  };
};

/** Runs tests on SQLite and on PostgreSQL; `newStore` returns the address of an empty store. */
export const onEachDatabase = (tests: (newStore: () => StoreUrl) => void): void => {
  describe("SQLite", () => {
    tests(() => ({ kind: "sqlite", path: join(newFolder(), "pages.db") }));
  });
  describeWithService("postgres", "PostgreSQL", (database) => {
    const nextUrl = useSchemas(database);
    tests(() => ({ kind: "postgres", url: Redacted.make(nextUrl()) }));
  });
};

/** Work at the end of each test, the latest first; `scoped` keeps what it opens until then. */
export const useCleanups = () => {
  const cleanups: Array<() => unknown> = [];
  const close = async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  };
  afterEach(close);
  const scoped = async <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => {
    const scope = Effect.runSync(Scope.make());
    cleanups.push(() => Effect.runPromise(Scope.close(scope, Exit.void)));
    return Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope));
  };
  return { cleanups, close, scoped };
};

/** What several test files set up and take down alike. */
import { Effect, Exit, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, onTestFinished } from "vitest";
import { inSchema } from "../../chaos/Postgres.ts";
import { type NatsCluster, startCluster } from "./NatsCluster.ts";

/** Longer than the last try of `startCluster`. */
const START_MILLIS = 240_000;

/** NATS servers for the tests of a block; each address has a prefix of its own. */
export const useCluster = (program: string, nodes = 1) => {
  let cluster: NatsCluster;
  let number = 0;
  beforeAll(async () => {
    cluster = await startCluster(program, nodes);
  }, START_MILLIS);
  afterAll(() => cluster?.close());
  return {
    nodes: (): NatsCluster["nodes"] => cluster.nodes,
    nextUrl: () => {
      number += 1;
      return cluster.urlOf(`log${number}`);
    },
  };
};

/** A folder until the end of the test. */
export const newFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "follower-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Addresses of schemas of a database, which are dropped after the tests of a block. */
export const useSchemas = (url: string) => {
  const schemas: Array<string> = [];
  afterAll(async () => {
    const { connect } = await import("../../src/postgres/schema.ts");
    const drop = Effect.flatMap(connect({ url }), (sql) =>
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

/** Work at the end of each test, the latest first; `scoped` keeps what it makes until then. */
export const useCleanups = () => {
  const cleanups: Array<() => unknown> = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  const scoped = async <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => {
    const scope = Effect.runSync(Scope.make());
    cleanups.push(() => Effect.runPromise(Scope.close(scope, Exit.void)));
    return Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope));
  };
  return { cleanups, scoped };
};

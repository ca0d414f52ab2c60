/** The laws of token stores, over every store and several processes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeWithService, freePort } from "@game-data/test-support";
import { Effect } from "effect";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { createClient } from "redis";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { openStore, type OpenStore } from "../chaos/stores.ts";
import { tokenStoreLaws } from "../src/conformance/index.ts";
import { TokenStore } from "../src/index.ts";
import { migrate, postgresStore, removeExpired } from "../src/postgres/index.ts";
import { memoryStore, type Backend } from "../src/promise/index.ts";
import { fromBun, fromNodeRedis, redisStore } from "../src/redis/index.ts";

const obeys = (open: () => Promise<Backend>) =>
  it.each(tokenStoreLaws(open).map(({ name, run }) => [name, run] as const))(
    "a token store %s",
    async (_, run) => {
      assert.isUndefined(await run());
    },
  );

/** The laws in this process, and increments by two others. */
const obeysTheLaws = (address: () => string) => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openStore(address());
  });
  afterAll(() => store.close());
  obeys(async () => store);
};

/** The failure of a write to a store whose server is gone. */
const failsTyped = async (store: Backend) => {
  const next = { version: "1", text: "refresh-sentinel" };
  const write = TokenStore.fromBackend(store).write("k", undefined, next);
  const error = await Effect.runPromise(Effect.flip(write));
  assert.strictEqual(error._tag, "TokenStoreFailed");
  assert.notInclude(JSON.stringify(error) + String(error.stack), "sentinel");
  return error;
};

describe("a store in memory", () => {
  const store = memoryStore();
  obeys(async () => store);
});

describe("a file store", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "token-laws-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  obeysTheLaws(() => `file:${folder}`);
});

describeWithService("redis", "a store in Redis", (url) => {
  obeysTheLaws(() => url);

  it("redisStore passes the laws of token stores over node-redis and over Bun's client", async () => {
    const client = createClient({ url });
    await client.connect();
    const bun = {
      send: (command: string, args: Array<string>) => client.sendCommand([command, ...args]),
    };
    for (const store of [redisStore(fromNodeRedis(client)), redisStore(fromBun(bun))])
      for (const law of tokenStoreLaws(async () => store)) assert.isUndefined(await law.run());
    client.destroy();
  });

  it("redisStore fails with TokenStoreFailed, without the entry's text, if Redis is unreachable", async () => {
    const store = await openStore(`redis://127.0.0.1:${await freePort()}`);
    assert.strictEqual((await failsTyped(store)).operation, "write");
    await store.close();
  });

  it("redisStore writes keys with the prefix `oauth:` and the entry's time to live", async () => {
    const client = new Redis(url);
    const store = await openStore(url);
    await store.write("prefixed", undefined, { version: "1", text: "t", ttlMillis: 60_000 });
    assert.isAbove(await client.pttl("oauth:prefixed"), 50_000);
    await store.write("prefixed", "1", { version: "2", text: "t" });
    assert.strictEqual(await client.pttl("oauth:prefixed"), -1);
    client.disconnect();
    await store.close();
  });
});

describeWithService("postgres", "a store in PostgreSQL", (url) => {
  obeysTheLaws(() => url);

  it("postgresStore fails with TokenStoreFailed, without the entry's text, if PostgreSQL is unreachable", async () => {
    const pool = new Pool({ connectionString: `postgres://x@127.0.0.1:${await freePort()}/x` });
    assert.strictEqual((await failsTyped(postgresStore(pool))).reason, "ECONNREFUSED");
    await pool.end();
  });

  it("migrate works from eight servers at once, keeps entries, and refuses other schema versions", async () => {
    const schema = `migrate_${crypto.randomUUID().replaceAll("-", "")}`;
    const admin = new Pool({ connectionString: url, max: 1 });
    await admin.query(`create schema ${schema}`);
    const pool = new Pool({ connectionString: url, options: `-c search_path=${schema}` });
    await Promise.all(Array.from({ length: 8 }, () => migrate(pool)));
    const store = postgresStore(pool);
    assert.isTrue(await store.write("user", undefined, { version: "1", text: "kept" }));
    await migrate(pool);
    assert.strictEqual((await store.read("user"))?.text, "kept");
    for (const [version, reason] of [
      [1, /^the store is of an earlier version of this package; remove it/],
      [99, /^the schema is newer than this package$/],
    ] as const) {
      await pool.query("update oauth_grants_schema set version = $1", [version]);
      const error = await migrate(pool).catch((failure: unknown) => failure);
      assert.deepInclude(error, { _tag: "TokenStoreFailed", operation: "open" });
      assert.match((error as { reason: string }).reason, reason);
    }
    await pool.end();
    await admin.query(`drop schema ${schema} cascade`);
    await admin.end();
  });

  it("removeExpired of the PostgreSQL store removes expired entries only", async () => {
    const store = await openStore(url);
    const pool = new Pool({ connectionString: url });
    const key = `sweep ${crypto.randomUUID()}`;
    await store.write(key, undefined, { version: "1", text: "t", ttlMillis: 0 });
    await store.write(`${key} live`, undefined, { version: "1", text: "t" });
    await removeExpired(pool);
    const { rows } = await pool.query("select key from oauth_grants where key like $1", [
      `${key}%`,
    ]);
    assert.deepStrictEqual(rows, [{ key: `${key} live` }]);
    await pool.end();
    await store.close();
  });
});

it.each<readonly [fault: string, plant: (store: Backend) => Partial<Backend>]>([
  [
    "cuts a long text",
    ({ write }) => ({
      write: (key, expected, next) =>
        write(key, expected, { ...next, text: next.text.slice(0, 10_000) }),
    }),
  ],
  [
    "keeps the time limit of a replaced entry",
    ({ write }) => {
      const limits = new Map<string, number | undefined>();
      return {
        write: (key, expected, next) => {
          if (!limits.has(key)) limits.set(key, next.ttlMillis);
          return write(key, expected, { ...next, ttlMillis: limits.get(key) });
        },
      };
    },
  ],
  [
    "reports a write by a text",
    ({ write }) => ({ write: async (...change) => ((await write(...change)) && "OK") as boolean }),
  ],
])("tokenStoreLaws rejects a store that %s", async (_, plant) => {
  const store = memoryStore();
  const laws = tokenStoreLaws(async () => ({ ...store, ...plant(store) }));
  const outcomes = await Promise.allSettled(laws.map(({ run }) => run()));
  assert.include(
    outcomes.map(({ status }) => status),
    "rejected",
  );
});

/** The laws of token stores, over every store and several processes; sealing and its rotation. */
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeWithService } from "@game-data/test-support";
import { Effect, Redacted } from "effect";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { createClient } from "redis";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { openStore, type OpenStore } from "../chaos/stores.ts";
import { tokenStoreLaws } from "../src/conformance/index.ts";
import { OAuthClient, Session, TokenStore } from "../src/index.ts";
import { openFileStore } from "../src/node/FileStore.ts";
import { listKeys, postgresStore, removeExpired } from "../src/postgres/index.ts";
import { memoryStore, type Backend } from "../src/promise/index.ts";
import { fromBun, fromNodeRedis, redisStore } from "../src/redis/index.ts";
import { makeSealer, resealAll, sealed } from "../src/makeSealer.ts";

const runProcess = (script: string, ...args: Array<string>) =>
  new Promise<string>((resolve, reject) => {
    const path = join(import.meta.dirname, "../chaos", script);
    const child = spawn(process.execPath, [path, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(output))));
  });

const obeys = (open: () => Promise<Backend>) =>
  it.each(tokenStoreLaws(open).map(({ name, run }) => [name, run] as const))(
    "%s",
    async (_, run) => {
      assert.isUndefined(await run());
    },
  );

/** The laws in this process, and increments by four others. */
const obeysTheLaws = (address: () => string) => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openStore(address());
  });
  afterAll(() => store.close());
  obeys(async () => store);

  it("C19: counts every increment of four processes", async () => {
    const key = `increments ${crypto.randomUUID()}`;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, () => runProcess("increment.ts", address(), key, "100")),
    );
    assert.deepStrictEqual(outputs.map(Number), [100, 100, 100, 100]);
    assert.strictEqual((await store.read(key))?.text, "400");
  });
};

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

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

  it("runs through node-redis, and through Bun's client", async () => {
    const client = createClient({ url });
    await client.connect();
    const bun = {
      send: (command: string, args: Array<string>) => client.sendCommand([command, ...args]),
    };
    for (const store of [redisStore(fromNodeRedis(client)), redisStore(fromBun(bun))])
      for (const law of tokenStoreLaws(async () => store)) assert.isUndefined(await law.run());
    client.destroy();
  });

  it("C23: fails typed, and quotes nothing, when Redis is gone", async () => {
    const store = await openStore(`redis://127.0.0.1:${await freePort()}`);
    const write = TokenStore.fromBackend(store).write("k", undefined, {
      version: "1",
      text: "refresh-sentinel",
    });
    const error = await Effect.runPromise(Effect.flip(write));
    assert.strictEqual(error._tag, "TokenStoreFailed");
    assert.notInclude(JSON.stringify(error) + String(error.stack), "sentinel");
    await store.close();
  });

  it("keeps entries below its prefix, with their end", async () => {
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

  it("C23: fails typed, and quotes nothing, when PostgreSQL is gone", async () => {
    const pool = new Pool({ connectionString: `postgres://x@127.0.0.1:${await freePort()}/x` });
    const write = TokenStore.fromBackend(postgresStore(pool)).write("k", undefined, {
      version: "1",
      text: "refresh-sentinel",
    });
    const error = await Effect.runPromise(Effect.flip(write));
    assert.deepInclude(error, { _tag: "TokenStoreFailed", reason: "ECONNREFUSED" });
    assert.notInclude(JSON.stringify(error) + String(error.stack), "sentinel");
    await pool.end();
  });

  it("lists the live keys and sweeps the others", async () => {
    const store = await openStore(url);
    const pool = new Pool({ connectionString: url });
    const key = `sweep ${crypto.randomUUID()}`;
    await store.write(key, undefined, { version: "1", text: "t", ttlMillis: 0 });
    await store.write(`${key} live`, undefined, { version: "1", text: "t" });
    assert.notInclude(await listKeys(pool), key);
    assert.include(await listKeys(pool), `${key} live`);
    await removeExpired(pool);
    const { rows } = await pool.query("select key from oauth_grants where key = $1", [key]);
    assert.deepStrictEqual(rows, []);
    await pool.end();
    await store.close();
  });
});

describe("sealing", () => {
  const root = (byte: number) => new Uint8Array(32).fill(byte);
  const keys = { old: root(1), new: root(2) };

  it("opens only for the same context, purpose and key", async () => {
    const sealer = await makeSealer({ current: "new", keys, purpose: "tokens" });
    const text = await sealer.seal("secret", "user:1");
    assert.deepStrictEqual(await sealer.open(text, "user:1"), { text: "secret", isStale: false });
    assert.isUndefined(await sealer.open(text, "user:2"));
    const flow = await makeSealer({ current: "new", keys, purpose: "flow" });
    assert.isUndefined(await flow.open(text, "user:1"));
    const stranger = await makeSealer({ current: "a", keys: { a: root(3) }, purpose: "tokens" });
    assert.isUndefined(await stranger.open(text, "user:1"));
    for (const id of ["__proto__", "constructor", "toString"]) {
      const header = { alg: "dir", enc: "A256GCM", kid: id };
      const forged = [
        btoa(JSON.stringify(header)).replaceAll("=", ""),
        ...text.split(".").slice(1),
      ];
      assert.isUndefined(await sealer.open(forged.join("."), "user:1"));
    }
    for (let at = 0; at < text.length; at += 7) {
      const changed = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
      assert.isUndefined(await sealer.open(changed, "user:1"), `character ${at}`);
    }
    for (const other of ["", ".", "{}", "a.b.c.d.e"])
      assert.isUndefined(await sealer.open(other, "user:1"));
  });

  it("fails at once without a usable key", async () => {
    const broken = [
      { current: "none", keys, purpose: "tokens" },
      { current: "a", keys: { a: new Uint8Array(31) }, purpose: "tokens" },
      { current: "a", keys: { a: "not base64 %%" }, purpose: "tokens" },
    ];
    for (const options of broken)
      await makeSealer(options).then(
        () => assert.fail("it was made"),
        (error) => assert.strictEqual(error._tag, "ConfigurationInvalid"),
      );
  });

  it("takes keys as base64 too", async () => {
    const bytes = await makeSealer({ current: "k", keys: { k: root(9) }, purpose: "tokens" });
    const text = btoa(String.fromCharCode(...root(9)));
    const same = await makeSealer({ current: "k", keys: { k: text }, purpose: "tokens" });
    assert.strictEqual((await same.open(await bytes.seal("s", "k"), "k"))?.text, "s");
  });

  it("rotates while sessions renew, and loses none", async () => {
    const plain = memoryStore();
    const before = await makeSealer({ current: "old", keys: { old: keys.old }, purpose: "tokens" });
    const during = await makeSealer({ current: "new", keys, purpose: "tokens" });
    const after = await makeSealer({ current: "new", keys: { new: keys.new }, purpose: "tokens" });
    const users = Array.from({ length: 20 }, (_, at) => `user:${at}`);
    for (const user of users)
      await sealed(plain, before).write(user, undefined, { version: "0", text: "0" });
    const rotation = { isOver: false };
    const traffic = users.map(async (user) => {
      const store = sealed(plain, during);
      let count = 0;
      while (!rotation.isOver || count < 5) {
        const found = await store.read(user);
        const next = { version: crypto.randomUUID(), text: `${Number(found?.text) + 1}` };
        if (await store.write(user, found?.version, next)) count += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return count;
    });
    await resealAll(plain, during, users);
    rotation.isOver = true;
    const counts = await Promise.all(traffic);
    for (const [at, user] of users.entries())
      assert.strictEqual((await sealed(plain, after).read(user))?.text, `${counts[at]}`);
  });

  it("keeps the version, so a renewal in flight can still write its tokens", async () => {
    const plain = memoryStore();
    const before = await makeSealer({ current: "old", keys, purpose: "tokens" });
    const after = await makeSealer({ current: "new", keys, purpose: "tokens" });
    await sealed(plain, before).write("k", undefined, { version: "intent", text: "t" });
    assert.strictEqual(await resealAll(plain, after, ["k"]), 1);
    assert.strictEqual(await resealAll(plain, after, ["k"]), 0);
    assert.isTrue(await sealed(plain, after).write("k", "intent", { version: "2", text: "t" }));
  });

  it("C23: leaves no token in clear in a stolen folder, and opens nothing of a copied row", async () => {
    const folder = await mkdtemp(join(tmpdir(), "stolen-"));
    const sealer = await makeSealer({ current: "new", keys, purpose: "tokens" });
    const store = await openFileStore(folder, { sealer });
    const client = await Effect.runPromise(
      OAuthClient.publicClient({
        authUrl: "https://auth.example.com",
        clientId: "desktop",
        redirectUri: "http://127.0.0.1/callback",
      }),
    );
    const session = (key: string) =>
      Session.forUser(client, { store: TokenStore.fromBackend(store), key });
    for (const name of ["alice", "bob"])
      await Effect.runPromise(
        session(name).signIn({
          accessToken: Redacted.make(`access-sentinel-${name}`),
          refreshToken: Redacted.make(`refresh-sentinel-${name}`),
          expiresAt: "never",
          issuedAt: 0,
          scopes: [],
        }),
      );
    const token = await Effect.runPromise(session("alice").accessToken);
    assert.strictEqual(Redacted.value(token), "access-sentinel-alice");
    for (const file of await readdir(folder)) {
      const bytes = await readFile(join(folder, file));
      assert.notInclude(bytes.toString("latin1"), "sentinel", file);
    }
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(join(folder, "tokens.sqlite"));
    database.exec(
      "update grants set text = (select text from grants where key = 'bob') where key = 'alice'",
    );
    database.close();
    const error = await Effect.runPromise(Effect.flip(session("alice").accessToken));
    assert.deepInclude(error, { _tag: "TokenStoreFailed", reason: "SEAL_NOT_OPENED" });
    await store.close();
    await rm(folder, { recursive: true });
  });
});

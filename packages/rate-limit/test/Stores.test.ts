/** Checks the behaviour that all stores share. */
import { once } from "node:events";
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Scope } from "effect";
import * as Layer from "effect/Layer";
import * as Context from "effect/Context";
import * as Redis from "effect/persistence/Redis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLimiter, memoryStore, StoreError } from "../src/index.ts";
import type { Limiter, Store } from "../src/index.ts";
import { fileStore } from "../src/file/index.ts";
import { snapshot } from "../src/inspect.ts";
import { redisStore } from "../src/redis/index.ts";
import { ownRedis, withRedis } from "./model/ownRedis.ts";
import type { Send } from "./model/ownRedis.ts";
import { modelRedis } from "./model/redis.ts";
import { sliding } from "./model/sliding.ts";

const route = "GET /x";

/** Statements about a store; `reopen` gives what a process that starts later sees. */
const keeps = (make: () => Promise<{ readonly store: Store; readonly reopen: () => Store }>) => {
  const server = (max: number) => sliding("p", [{ max, period: 60_000 }]);
  const call = (limiter: Limiter, service: ReturnType<typeof sliding>, maxWait = 10_000) =>
    limiter.run({ route, maxWait }, () => service.handle(performance.now()));

  it("a successor knows the requests of the one before it", async () => {
    const { reopen, store } = await make();
    const service = server(16);
    const first = createLimiter({ store });
    for (let index = 0; index < 5; index++) await call(first, service);
    await first.close();
    const second = createLimiter({ store: reopen() });
    const { limits, policies } = await snapshot(second, { route });
    expect(limits).toBe("learned");
    expect(policies[0]?.name).toBe("p");
    // The window is not exceeded by both together.
    for (let index = 0; index < 18; index++)
      await call(second, service, 0).catch((error: Error) =>
        // A disk that takes its time refuses as well.
        expect(error.name).toMatch(/^(RequestNotSent|Store)Error$/u),
      );
    expect(service.server.violations).toBe(0);
    expect(service.server.served).toBeGreaterThanOrEqual(10);
    await second.close();
  });

  it("a request that was not sent gives its place back", async () => {
    const { store } = await make();
    const limiter = createLimiter({ store });
    await call(limiter, server(8));
    const { settle } = await limiter.acquire({ route });
    await settle({ status: undefined, sent: false });
    const { policies } = await snapshot(limiter, { route });
    expect(policies[0]).toMatchObject({ inFlight: 0, windows: [{ used: 1 }] });
    await limiter.close();
  });

  it("keys are separate", async () => {
    const { store } = await make();
    const one = createLimiter({ store, key: "one" });
    await call(one, server(8));
    await one.close();
    const two = createLimiter({ store, key: "two" });
    expect((await snapshot(two, { route })).limits).toBe("unknown");
    await two.close();
  });
};

describe("the store in memory", () => {
  keeps(async () => {
    const store = memoryStore();
    return { store, reopen: () => store };
  });
});

describe("two limiters over one store in memory", () => {
  it("wake each other", async () => {
    const store = memoryStore();
    const [first, second] = [1, 2].map(() => createLimiter({ store, maxInFlight: 1 }));
    const lease = await first!.acquire({ route });
    const waiting = second!.acquire({ route });
    const idle = sleep(10).then(() => first!.onIdle());
    await sleep(200);
    const settledAt = performance.now();
    await lease.settle({ status: 200 });
    await (await waiting).settle({ status: 200 });
    await idle;
    expect(performance.now() - settledAt).toBeLessThan(1000);
  });
});

describe("the store in a file", () => {
  const fresh = async () => join(await mkdtemp(join(tmpdir(), "limits-")), "limits.json");

  keeps(async () => {
    const path = await fresh();
    const store = fileStore(path);
    return { store, reopen: () => fileStore(path) };
  });

  it("is readable by its owner alone", async () => {
    const path = await fresh();
    const limiter = createLimiter({ store: fileStore(path) });
    await limiter.run({ route }, () => ({ status: 200, headers: {} }));
    await limiter.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, "utf8"))).toHaveProperty("default.version", 2);
  });

  it("follows no link of its folder, and leaves no draft", async () => {
    const path = await fresh();
    const victim = `${path}.victim`;
    await writeFile(victim, "theirs");
    for (const name of [path, `${path}.${process.pid}.tmp`]) await symlink(victim, name);
    const limiter = createLimiter({ store: fileStore(path) });
    await limiter.run({ route }, () => ({ status: 200 }));
    await limiter.close();
    expect(await readFile(victim, "utf8")).toBe("theirs");
    expect((await lstat(path)).isFile()).toBe(true);
    const names = await readdir(dirname(path));
    expect(names.filter((name) => !name.endsWith(".lock")).toSorted()).toEqual([
      "limits.json",
      `limits.json.${process.pid}.tmp`,
      "limits.json.broken",
      "limits.json.victim",
    ]);
  });

  it.each([
    ["is broken", '{"default": {"version"'],
    ["is of an older format", '{"default": {"version": 1, "policies": [{"name": "p"}]}}'],
  ])("that %s is a start without knowledge", async (_, text) => {
    const path = await fresh();
    await writeFile(path, text);
    const limiter = createLimiter({ store: fileStore(path) });
    expect((await snapshot(limiter, { route })).limits).toBe("unknown");
  });

  const warnings = (): ReadonlyArray<string> => {
    const told: Array<string> = [];
    const hear = ({ message }: Error) => told.push(message);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    return told;
  };
  const lockOf = (pid: number, host: string) => JSON.stringify({ owner: "another", pid, host });
  const call = (path: string) =>
    createLimiter({ store: fileStore(path, { staleAfter: 400 }) }).run({ route }, () => ({
      status: 200,
    }));
  /** Touches the lock until the test ends, as its owner would. */
  const touch = (path: string) => {
    const touching = setInterval(() => {
      const now = new Date();
      utimes(`${path}.lock`, now, now).catch(() => undefined);
    }, 50);
    onTestFinished(() => clearInterval(touching));
  };

  it.each([
    ["in this process's own place, as in another container", process.pid],
    ["that is alive", 1],
  ])("belongs to the process %s which touches its lock", async (_, pid) => {
    const path = await fresh();
    await writeFile(`${path}.lock`, lockOf(pid, "another-host"));
    touch(path);
    const sent = call(path);
    await expect(sent).rejects.toThrow(StoreError);
    const message = `${path} is in use by process ${pid} on another-host, which holds ${path}.lock`;
    await expect(sent).rejects.toThrow(message);
  });

  it.each([
    ["nobody touches", lockOf(1, "another-host")],
    ["an older version has left", "1"],
    ["is empty", ""],
  ])("belongs to nobody when its lock is one that %s", async (_, lock) => {
    const path = await fresh();
    await writeFile(`${path}.lock`, lock);
    expect(await call(path)).toEqual({ status: 200 });
  });

  it("is in use where another thread of the process holds it", async () => {
    const path = await fresh();
    await call(path);
    const module = new URL("../src/file/lock.ts", import.meta.url).href;
    const code = `import("${module}").then(({ takeLock }) => takeLock("${path}", 400))`;
    const [error] = (await once(new Worker(code, { eval: true }), "error")) as [Error];
    expect(error.message).toContain(`${path} is in use by process ${process.pid}`);
  });

  it("names the owner that was faster at the lock of one that is gone", async () => {
    const path = await fresh();
    await writeFile(`${path}.lock`, lockOf(1, "gone"));
    const told = call(path).catch((error: Error) => error.message);
    await sleep(50);
    await writeFile(`${path}.lock`, lockOf(2, "faster"));
    touch(path);
    expect(await told).toContain("by process 2 on faster");
  });

  it.each(["", ".lock"])(
    "%s that is a directory is named at once, and is not kept",
    async (end) => {
      const path = await fresh();
      await mkdir(`${path}${end}`);
      await expect(call(path)).rejects.toThrow(`${path}, or ${path}.lock, cannot be used: EISDIR`);
      await rmdir(`${path}${end}`);
      expect(await call(path)).toEqual({ status: 200 });
    },
  );

  it("that is a device is not read", async () => {
    await expect(call("/dev/full")).rejects.toThrow("cannot be used: it is no regular file");
  });

  it("is named as in use at once where the owner is a process of this host", async () => {
    const [own, path] = [await fresh(), await fresh()];
    await call(own);
    const owner: object = JSON.parse(await readFile(`${own}.lock`, "utf8"));
    const theirs = { ...owner, owner: "another", pid: process.ppid };
    await writeFile(`${path}.lock`, JSON.stringify(theirs));
    const limiter = createLimiter({ store: fileStore(path) });
    const sent = limiter.run({ route, maxWait: 500 }, () => ({ status: 200 }));
    await expect(sent).rejects.toThrow(`${path} is in use by process ${process.ppid}`);
  });

  it("is one for all limiters that name it; the last one gives it to other processes", async () => {
    const path = await fresh();
    const names = [path, `${dirname(path)}/./limits.json`];
    const limiters = names.map((name, index) =>
      createLimiter({ store: fileStore(name), key: `${index}` }),
    );
    for (const limiter of limiters) await limiter.run({ route }, () => ({ status: 200 }));
    const isLocked = async () => (await readdir(dirname(path))).includes("limits.json.lock");
    await limiters[0]!.close();
    await limiters[0]!.close();
    expect(await isLocked()).toBe(true);
    await limiters[1]!.close();
    expect(await isLocked()).toBe(false);
    expect(Object.keys(JSON.parse(await readFile(path, "utf8")))).toEqual(["0", "1"]);
    await writeFile(path, "{}");
    const next = createLimiter({ store: limiters[0]!.queue.options.store, key: "0" });
    expect((await snapshot(next, { route })).limits).toBe("unknown");
    expect(await isLocked()).toBe(true);
  });

  it("tells of a second limiter of one key, and of none that comes after the first", async () => {
    const path = await fresh();
    const told = warnings();
    for (const isClosed of [true, false, false]) {
      expect(told).toEqual([]);
      const limiter = createLimiter({ store: fileStore(path) });
      await limiter.run({ route }, () => ({ status: 200 }));
      if (isClosed) await limiter.close();
      await sleep(0);
    }
    expect(told).toEqual([expect.stringContaining(`of the key "default" use ${path}`)]);
  });

  it("is given up where the limiter is closed before the file is open", async () => {
    const path = await fresh();
    const limiter = createLimiter({ store: fileStore(path) });
    const sent = limiter.run({ route }, () => ({ status: 200 }));
    const refused = sent.catch((error: Error) => error);
    await limiter.close();
    expect(await refused).toMatchObject({ kind: "closed" });
    // The file opens later, at the pace of the disk, and its lock goes then.
    await sleep(200);
    await vi.waitFor(async () => expect(await readdir(dirname(path))).toEqual([]), 5000);
  });

  it("is left alone by outcomes that come after `close`", async () => {
    const path = await fresh();
    const limiter = createLimiter({ store: fileStore(path) });
    const { settle } = await limiter.acquire({ route });
    await limiter.close();
    await writeFile(path, "theirs");
    await settle({ status: 200 });
    await sleep(200);
    expect(await readdir(dirname(path))).toEqual(["limits.json"]);
    expect(await readFile(path, "utf8")).toBe("theirs");
  });

  it("whose folder is removed is told of once, as what it is", async () => {
    const path = await fresh();
    const told = warnings();
    const limiter = createLimiter({ store: fileStore(path) });
    await limiter.run({ route }, () => ({ status: 200 }));
    await rm(dirname(path), { recursive: true });
    const why = `${path}.lock is gone, so another process may use ${path}`;
    for (let index = 0; index < 2; index++) {
      await sleep(150);
      await vi.waitFor(() => {
        expect(told).toEqual([expect.stringContaining(`${path} is not written: ${why}`)]);
      }, 10_000);
      await limiter.run({ route }, () => ({ status: 200 }));
    }
    await expect(limiter.close()).rejects.toThrow(why);
  });

  it("writes nothing after another process has taken its lock", async () => {
    const path = await fresh();
    const limiter = createLimiter({ store: fileStore(path, { staleAfter: 400 }) });
    await limiter.run({ route }, () => ({ status: 200 }));
    await writeFile(`${path}.lock`, lockOf(1, "another-host"));
    await writeFile(path, "theirs");
    await expect(limiter.close()).rejects.toThrow("is in use by process 1 on another-host");
    expect(await readFile(`${path}.lock`, "utf8")).toContain("another-host");
    expect(await readFile(path, "utf8")).toBe("theirs");
  });

  it("that is broken is kept beside the new one, and told of", async () => {
    const path = await fresh();
    await writeFile(path, "{");
    const told = warnings();
    await call(path);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await readFile(`${path}.broken`, "utf8")).toBe("{");
    expect(told.join()).toContain(`${path} holds no JSON`);
  });
});

describe("the store in Redis, whose clock tells whole milliseconds,", () => {
  it("takes no response for older than a request that was sent in the same one", async () => {
    const model = modelRedis();
    let at = 1_000_000;
    const send: Send = async (command) => {
      const reply = model.run(command, at + 0.9);
      // Over the time for which an empty store grants nothing.
      if (reply === 1) at += 3000;
      return reply;
    };
    const limiter = createLimiter({ store: redisStore(send) });
    const service = sliding("p", [{ max: 6, period: 60_000 }]);
    const call = () => limiter.run({ route }, () => service.handle(performance.now()));
    await call();
    at += 10;
    await call();
    const members = model.members().filter(([member]) => member.startsWith(`${at}|`));
    expect(members.map(([, score]) => score)).toEqual([at + 1]);
  });
});

describeWithService("redis", "the store in Redis", (url) => {
  const scope = Scope.makeUnsafe();
  let send: Send;
  let serial = 0;
  beforeAll(async () => {
    const context = await Effect.runPromise(Layer.buildWithScope(NodeRedis.layer({ url }), scope));
    const redis = Context.get(context, Redis.Redis);
    send = ([command = "", ...args]) => Effect.runPromise(redis.send(command, ...args));
  });
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)));
  const prefix = () => `test-${process.pid}-${Date.now()}-${serial++}`;

  keeps(async () => {
    const name = prefix();
    return {
      store: redisStore(send, { prefix: name }),
      reopen: () => redisStore(send, { prefix: name }),
    };
  });

  it("decides a reservation in one round trip, with all keys in one hash slot", async () => {
    const commands: Array<ReadonlyArray<string>> = [];
    const counting: Send = (command) => {
      commands.push(command);
      return send(command);
    };
    const limiter = createLimiter({ store: redisStore(counting, { prefix: prefix() }) });
    const service = sliding("p", [
      { max: 20, period: 60_000 },
      { max: 40, period: 300_000 },
    ]);
    const call = () => limiter.run({ route }, () => service.handle(performance.now()));
    await call();
    await call();
    commands.length = 0;
    const lease = await limiter.acquire({ route });
    // Nothing else: what is known of the first response is not told once more.
    expect(commands).toHaveLength(1);
    const [, script, count, ...rest] = commands[0]!;
    expect(script).toContain("local id, lease");
    const keys = rest.slice(0, Number(count));
    expect(keys).toHaveLength(3);
    expect(new Set(keys.map((key) => /\{(.*?)\}/u.exec(key)?.[1])).size).toBe(1);
    await lease.settle({ status: 200 });
  });

  it("that loses its data is told what the processes know, before anything is sent", async () => {
    const name = prefix();
    const limiter = createLimiter({ store: redisStore(send, { prefix: name }) });
    const service = sliding("p", [{ max: 4, period: 60_000 }]);
    const call = () =>
      limiter.run({ route, maxWait: 3000 }, () => service.handle(performance.now()));
    for (let index = 0; index < 3; index++) await call();
    const keys = (await send(["KEYS", `{${name}}*`])) as ReadonlyArray<string>;
    expect(keys.length).toBeGreaterThan(1);
    await send(["DEL", ...keys]);
    for (let index = 0; index < 3; index++)
      await call().catch((error: Error) => expect(error.name).toBe("RequestNotSentError"));
    expect(service.server.violations).toBe(0);
  });

  it("replies as the model does on which processes are simulated", async () => {
    const name = prefix();
    const model = modelRedis();
    let compared = 0;
    // Commands of one connection are carried out, and replied to, in their order.
    const both: Send = async (command) => {
      const [reply, opens] = await Promise.all([
        send(command),
        send(["HGET", `{${name}}:default`, "opens"]),
      ]);
      const at = Array.isArray(reply) ? Number(reply[1]) : Number(opens) - 2500;
      expect(model.run(command, at)).toEqual(reply);
      compared++;
      return reply;
    };
    const limiters = Array.from({ length: 3 }, () =>
      createLimiter({ store: redisStore(both, { prefix: name }), maxWait: 10_000 }),
    );
    const service = sliding("p", [
      { max: 6, period: 400 },
      { max: 9, period: 1500 },
    ]);
    for (let index = 0; index < 6; index++)
      await Promise.all(
        limiters.map((limiter) => limiter.run({ route }, () => service.handle(performance.now()))),
      );
    const lease = await limiters[0]!.acquire({ route });
    await lease.settle({ status: undefined, sent: false });
    expect(service.server.violations).toBe(0);
    expect(compared).toBeGreaterThan(60);
  });

  it("that is out of reach sends nothing", async () => {
    const gone: Send = () => Promise.reject(new Error("connection refused"));
    const limiter = createLimiter({ store: redisStore(gone) });
    let sent = 0;
    await expect(limiter.run({ route }, () => ++sent)).rejects.toThrow(StoreError);
    expect(sent).toBe(0);
  });

  it("that pauses for 5 s keeps no place of a reservation whose reply was lost", async () => {
    const own = await ownRedis();
    onTestFinished(own.stop);
    await withRedis(own.url, async (command) => {
      // A client that gives up after 1.5 s; what it has sent is carried out all the same.
      const hasty: Send = (each) =>
        Promise.race([
          command(each),
          new Promise((_, reject) => setTimeout(reject, 1500, new Error("time-out")).unref()),
        ]);
      const limiter = createLimiter({ store: redisStore(hasty), inFlightTimeout: 60_000 });
      const service = sliding("p", [{ max: 30, period: 60_000 }]);
      const call = () => limiter.run({ route }, () => service.handle(performance.now()));
      // An empty Redis grants nothing at first.
      await call();
      const paused = own.pause(5000);
      const failed: Array<string> = [];
      for (let index = 0; index < 12; index++) {
        void call().catch((error: Error) => failed.push(error.name));
        await sleep(300);
      }
      await paused;
      await sleep(1000);
      await call();
      await limiter.onIdle();
      expect(failed.length).toBeGreaterThan(3);
      expect(new Set(failed)).toEqual(new Set(["StoreError"]));
      const [key = ""] = (await command(["KEYS", "*account*"])) as ReadonlyArray<string>;
      const inFlight = await command(["ZCOUNT", key, String(Date.now() + 10_000), "+inf"]);
      expect(Number(inFlight)).toBe(0);
      expect(Number(await command(["ZCARD", key]))).toBe(service.server.served);
    });
  }, 20_000);
});

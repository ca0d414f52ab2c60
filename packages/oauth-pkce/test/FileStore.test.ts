import { spawn } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber, Redacted } from "effect";
import { KeychainStore, TokenStoreFailed, type TokenSet, type TokenStore } from "../src/index.ts";
import { FileStore } from "../src/node/index.ts";

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "token-store-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
);

const set = (revision: string): TokenSet.TokenSet => ({
  revision,
  accessToken: Redacted.make("access-sentinel"),
  refreshToken: Redacted.make("refresh-sentinel"),
  consentExpiresAt: 7,
  expiresAt: "never",
  issuedAt: 1,
  scopes: ["account:profile"],
  username: "Account",
  sub: "uuid",
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

const filesIn = (path: string, suffix: string) =>
  Effect.promise(async () =>
    (await readdir(path)).filter((file) => file.endsWith(suffix)).map((file) => join(path, file)),
  );

describe("the file store", () => {
  it.live("C26: keeps a set in a file of 0600 in a folder of 0700 [NS-23]", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "deep", "tokens");
      const store = yield* FileStore.make(path);
      assert.isTrue(yield* store.compareAndSet("user@key", undefined, set("1")));
      const [file, ...more] = yield* filesIn(path, ".json");
      assert.strictEqual(more.length, 0);
      assert.strictEqual(yield* Effect.promise(() => modeOf(file!)), 0o600);
      assert.strictEqual(yield* Effect.promise(() => modeOf(path)), 0o700);
      assert.notInclude(file!, "user");
      assert.notInclude(file!, "sentinel");
      const found = yield* store.get("user@key");
      assert.deepStrictEqual(Redacted.value(found!.refreshToken!), "refresh-sentinel");
      assert.deepInclude(found, { revision: "1", expiresAt: "never", username: "Account" });
    }).pipe(Effect.scoped),
  );

  it.live("C26: makes an open folder private", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      yield* Effect.promise(() => chmod(path, 0o777));
      yield* FileStore.make(path);
      assert.strictEqual(yield* Effect.promise(() => modeOf(path)), 0o700);
    }).pipe(Effect.scoped),
  );

  it.live("C26: refuses symbolic links, to read and to write", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      const store = yield* FileStore.make(path);
      yield* store.compareAndSet("k", undefined, set("1"));
      const [file] = yield* filesIn(path, ".json");
      const target = join(path, "target");
      yield* Effect.promise(async () => {
        await writeFile(target, await readFile(file!));
        await rm(file!);
        await symlink(target, file!);
      });
      const read = yield* Effect.flip(store.get("k"));
      assert.deepInclude(read, { _tag: "TokenStoreFailed", operation: "get", reason: "ELOOP" });
      const write = yield* Effect.flip(store.compareAndSet("k", undefined, set("2")));
      assert.instanceOf(write, TokenStoreFailed);
      assert.isTrue((yield* Effect.promise(() => lstat(file!))).isSymbolicLink());
      const link = join(path, "link");
      yield* Effect.promise(() => symlink(path, link));
      assert.instanceOf(yield* Effect.flip(FileStore.make(link)), TokenStoreFailed);
    }).pipe(Effect.scoped),
  );

  it.live("C26: replaces by rename, and leaves no temporary file", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      const store = yield* FileStore.make(path);
      yield* store.compareAndSet("k", undefined, set("1"));
      const [file] = yield* filesIn(path, ".json");
      const before = yield* Effect.promise(() => stat(file!));
      yield* store.compareAndSet("k", set("1"), set("2"));
      const after = yield* Effect.promise(() => stat(file!));
      assert.notStrictEqual(before.ino, after.ino);
      assert.deepStrictEqual(yield* filesIn(path, ".tmp"), []);
    }).pipe(Effect.scoped),
  );

  it.live("C26: an unreadable entry is a typed error without its content", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      const store = yield* FileStore.make(path);
      yield* store.compareAndSet("k", undefined, set("1"));
      const [file] = yield* filesIn(path, ".json");
      const valid = yield* Effect.promise(() => readFile(file!, "utf8"));
      const padded = valid + " ".repeat(300_000);
      for (const text of [
        padded,
        "",
        "{",
        '{"accessToken":"access-sentinel"}',
        "x".repeat(300_000),
      ]) {
        yield* Effect.promise(() => writeFile(file!, text));
        const error = yield* Effect.flip(store.get("k"));
        assert.strictEqual(error._tag, "TokenStoreFailed");
        assert.notInclude(JSON.stringify(error) + error.message, "sentinel");
      }
    }).pipe(Effect.scoped),
  );

  it.live("C26: a folder that can't be written is a typed error", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "file");
      yield* Effect.promise(() => writeFile(path, ""));
      const error = yield* Effect.flip(FileStore.make(path));
      assert.strictEqual(error._tag, "TokenStoreFailed");
      assert.notInclude(error.message, path);
    }).pipe(Effect.scoped),
  );

  it.live("C26: a folder whose parent takes no children is a typed error, at once", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(FileStore.make("/proc/no-such/deep/tokens"));
      assert.deepInclude(error, { _tag: "TokenStoreFailed", operation: "set", reason: "ENOENT" });
    }),
  );

  it.live("C26: removes what a writer that died left behind, of the same key only", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      const store = yield* FileStore.make(path);
      yield* store.compareAndSet("k", undefined, set("1"));
      const [file] = yield* filesIn(path, ".json");
      const foreign = join(path, "foreign.json.1.tmp");
      yield* Effect.promise(async () => {
        await writeFile(`${file}.1.tmp`, "refresh-sentinel");
        await writeFile(foreign, "");
      });
      assert.isTrue(yield* store.compareAndSet("k", set("1"), set("2")));
      assert.deepStrictEqual(yield* filesIn(path, ".tmp"), [foreign]);
    }).pipe(Effect.scoped),
  );

  it.live("C20: compares before it writes and before it removes", () =>
    Effect.gen(function* () {
      const store = yield* FileStore.make(yield* folder);
      assert.isTrue(yield* store.compareAndSet("k", undefined, set("1")));
      assert.isFalse(yield* store.compareAndSet("k", undefined, set("2")));
      assert.isFalse(yield* store.remove("k", set("2")));
      assert.isTrue(yield* store.compareAndSet("k", set("1"), set("2")));
      assert.isUndefined(yield* store.get("other"));
      assert.isTrue(yield* store.remove("k", set("2")));
      assert.isUndefined(yield* store.get("k"));
    }).pipe(Effect.scoped),
  );

  it.live(
    "C19: of 50 concurrent writers with the same expectation one wins",
    () =>
      Effect.gen(function* () {
        const path = yield* folder;
        const stores = yield* Effect.all([FileStore.make(path), FileStore.make(path)]);
        const results = yield* Effect.all(
          Array.from({ length: 50 }, (_, at) =>
            stores[at % 2]!.compareAndSet("k", undefined, set(String(at))),
          ),
          { concurrency: "unbounded" },
        );
        assert.strictEqual(results.filter(Boolean).length, 1);
      }).pipe(Effect.scoped),
    30_000,
  );
});

/** Waits inside the lock and records that it was alone there. */
const contender = (
  store: { readonly withLock: TokenStore.TokenStore["withLock"] },
  log: Array<string>,
  name: string,
) =>
  Effect.gen(function* () {
    log.push(`+${name}`);
    yield* Effect.sleep("5 millis");
    log.push(`-${name}`);
  }).pipe(store.withLock("k"));

describe("the file lock", () => {
  it.live(
    "C19: lets one holder in at a time",
    () =>
      Effect.gen(function* () {
        const path = yield* folder;
        const stores = yield* Effect.all([FileStore.make(path), FileStore.make(path)]);
        const log: Array<string> = [];
        yield* Effect.all(
          Array.from({ length: 20 }, (_, at) => contender(stores[at % 2]!, log, String(at))),
          { concurrency: "unbounded" },
        );
        assert.strictEqual(log.length, 40);
        for (let at = 0; at < 40; at += 2)
          assert.strictEqual(log[at]!.slice(1), log[at + 1]!.slice(1));
        // One file per lock stays, whatever the traffic.
        const locks = (yield* Effect.promise(() => readdir(path))).filter((file) =>
          file.includes(".lock."),
        );
        assert.strictEqual(locks.length, 1);
      }).pipe(Effect.scoped),
    30_000,
  );

  it.live("C19: an interrupted waiter leaves the queue, an interrupted holder frees the lock", () =>
    Effect.gen(function* () {
      const store = yield* FileStore.make(yield* folder);
      const holder = yield* Effect.forkChild(store.withLock("k")(Effect.never));
      yield* Effect.sleep("30 millis");
      const waiter = yield* Effect.forkChild(store.withLock("k")(Effect.succeed("in")));
      yield* Effect.sleep("30 millis");
      yield* Fiber.interrupt(waiter);
      yield* Fiber.interrupt(holder);
      assert.strictEqual(yield* store.withLock("k")(Effect.succeed("in")), "in");
    }).pipe(Effect.scoped),
  );

  it.live(
    "C19: a holder that was killed is succeeded at once",
    () =>
      Effect.gen(function* () {
        const path = yield* folder;
        const store = yield* FileStore.make(path);
        const module = new URL("../src/node/FileStore.ts", import.meta.url).href;
        const program = `
        import { Effect } from "effect";
        import * as FileStore from ${JSON.stringify(module)};
        setInterval(() => {}, 1000);
        await Effect.runPromise(Effect.flatMap(FileStore.make(${JSON.stringify(path)}), (store) =>
          store.withLock("k")(Effect.andThen(Effect.sync(() => process.stdout.write("held")), Effect.never))));`;
        const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
          cwd: import.meta.dirname,
        });
        yield* Effect.callback<void>((resume) => {
          child.stdout.once("data", () => resume(Effect.void));
        });
        const waiter = yield* Effect.forkChild(store.withLock("k")(Effect.succeed("in")));
        yield* Effect.sleep("100 millis");
        assert.isUndefined(waiter.pollUnsafe());
        child.kill("SIGKILL");
        assert.strictEqual(yield* Fiber.join(waiter), "in");
      }).pipe(Effect.scoped),
    20_000,
  );

  it.live(
    "C19: many waiters for a dead holder get in one by one",
    () =>
      Effect.gen(function* () {
        const path = yield* folder;
        const store = yield* FileStore.make(path);
        yield* store.withLock("k")(Effect.void);
        const lock = (yield* Effect.promise(() => readdir(path))).find((file) =>
          file.includes(".lock."),
        );
        // A process id that no longer runs on this machine.
        yield* Effect.promise(() => writeFile(join(path, lock!), `4194305@${hostname()}`));
        const log: Array<string> = [];
        yield* Effect.all(
          Array.from({ length: 10 }, (_, at) => contender(store, log, String(at))),
          { concurrency: "unbounded" },
        );
        for (let at = 0; at < 20; at += 2)
          assert.strictEqual(log[at]!.slice(1), log[at + 1]!.slice(1));
      }).pipe(Effect.scoped),
    30_000,
  );

  it.live("C19: a lock of another machine's process is respected", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      const store = yield* FileStore.make(path);
      yield* store.withLock("k")(Effect.void);
      const lock = (yield* Effect.promise(() => readdir(path))).find((file) =>
        file.includes(".lock."),
      );
      yield* Effect.promise(() => writeFile(join(path, lock!), "4194305@another-container"));
      const fiber = yield* Effect.forkChild(store.withLock("k")(Effect.void));
      yield* Effect.sleep("200 millis");
      assert.isUndefined(fiber.pollUnsafe());
      yield* Effect.promise(() => writeFile(join(path, lock!), "released"));
      yield* Fiber.join(fiber);
    }).pipe(Effect.scoped),
  );

  it.live("C26: a lock that can't be made is a typed error", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "gone");
      const store = yield* FileStore.make(path);
      yield* Effect.promise(() => rm(path, { recursive: true }));
      const error = yield* Effect.flip(store.withLock("k")(Effect.void));
      assert.deepInclude(error, { _tag: "TokenStoreFailed", operation: "lock", reason: "ENOENT" });
      yield* Effect.promise(() => mkdir(path));
      yield* store.withLock("k")(Effect.void);
    }).pipe(Effect.scoped),
  );
});

describe("the keychain store", () => {
  const keychain = () => {
    const entries = new Map<string, string>();
    return {
      entries,
      get: (key: string) => Promise.resolve(entries.get(key)),
      set: async (key: string, text: string) => void entries.set(key, text),
      delete: async (key: string) => void entries.delete(key),
    };
  };

  it.effect("C26: keeps a set through the adapter [NS-23]", () =>
    Effect.gen(function* () {
      const adapter = keychain();
      const store = KeychainStore.make(adapter);
      assert.isTrue(yield* store.compareAndSet("k", undefined, set("1")));
      assert.isFalse(yield* store.compareAndSet("k", undefined, set("2")));
      assert.strictEqual((yield* store.get("k"))?.revision, "1");
      assert.isTrue(yield* store.remove("k", set("1")));
      assert.strictEqual(adapter.entries.size, 0);
    }),
  );

  it.live("C19: shares a file lock among processes", () =>
    Effect.gen(function* () {
      const lock = yield* FileStore.makeLock(yield* folder);
      const adapter = keychain();
      const stores = [KeychainStore.make(adapter, { lock }), KeychainStore.make(adapter, { lock })];
      const log: Array<string> = [];
      yield* Effect.all(
        [0, 1, 2, 3].map((at) => contender(stores[at % 2]!, log, String(at))),
        { concurrency: "unbounded" },
      );
      for (let at = 0; at < 8; at += 2)
        assert.strictEqual(log[at]!.slice(1), log[at + 1]!.slice(1));
    }).pipe(Effect.scoped),
  );

  it.effect("C23: an adapter's error is not quoted", () =>
    Effect.gen(function* () {
      const store = KeychainStore.make({
        ...keychain(),
        get: () => Promise.reject(new Error("entry access-sentinel is locked")),
      });
      const error = yield* Effect.flip(store.get("k"));
      assert.notInclude(error.message + JSON.stringify(error), "sentinel");
    }),
  );
});

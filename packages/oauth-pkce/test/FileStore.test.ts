/** The file store's own promises; what all stores promise is in TokenStores.test.ts. */
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert, describe } from "@effect/vitest";
import { Effect, Fiber, Redacted } from "effect";
import { Session, TokenStoreFailed } from "../src/index.ts";
import { makeSealer } from "../src/makeSealer.ts";
import { FileStore } from "../src/node/index.ts";
import { openFileStore } from "../src/node/promise.ts";
import { publicClient, tokenSet } from "./clients.ts";
import { it } from "./it.ts";

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "token-store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
);

const tokens = tokenSet({
  accessToken: Redacted.make("access-sentinel"),
  refreshToken: Redacted.make("refresh-sentinel"),
  expiresAt: "never",
  username: "Account",
});

const client = publicClient("https://auth.example.com");
const fileOf = (path: string) => join(path, "tokens.sqlite");
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the file store", () => {
  it.effect(
    "FileStore refuses an empty folder name, which would be the working directory",
    function* () {
      const error = yield* Effect.flip(FileStore.make(""));
      assert.deepInclude(error, { _tag: "TokenStoreFailed", reason: "the folder has no name" });
    },
  );

  it.live("a file store may be closed twice", function* () {
    const path = yield* folder;
    const { close } = yield* Effect.promise(() => openFileStore(path));
    yield* Effect.promise(close);
    yield* Effect.promise(close);
  });

  it.live("FileStore keeps tokens in files of 0600 in a folder of 0700 [NS-23]", function* () {
    const path = join(yield* folder, "deep", "tokens");
    // A wide umask is where SQLite's own files would become readable.
    const umask = process.umask(0o000);
    const store = yield* FileStore.make(path);
    yield* Session.forUser(yield* client, { store, key: "user@key" }).signIn(tokens);
    process.umask(umask);
    const modes = readdirSync(path).map((file) => [file, modeOf(join(path, file))] as const);
    assert.deepStrictEqual(Object.fromEntries(modes), {
      "tokens.sqlite": 0o600,
      "tokens.sqlite-shm": 0o600,
      "tokens.sqlite-wal": 0o600,
    });
    assert.strictEqual(modeOf(path), 0o700);
    const again = { store: yield* FileStore.make(path), key: "user@key" };
    const found = yield* Session.forUser(yield* client, again).tokens;
    assert.strictEqual(Redacted.value(found.refreshToken!), "refresh-sentinel");
    assert.deepInclude(found, { expiresAt: "never", username: "Account" });
  });

  it.live("FileStore makes an open folder and file private, and seals entries", function* () {
    const path = yield* folder;
    chmodSync(path, 0o755);
    writeFileSync(fileOf(path), "", { mode: 0o644 });
    const keys = { k: crypto.getRandomValues(new Uint8Array(32)) };
    const sealer = yield* Effect.promise(() => makeSealer({ current: "k", keys, purpose: "x" }));
    const store = yield* FileStore.make(path, { sealer });
    assert.deepStrictEqual([modeOf(path), modeOf(fileOf(path))], [0o700, 0o600]);
    yield* Session.forUser(yield* client, { store }).signIn(tokens);
    for (const file of readdirSync(path))
      assert.notInclude(readFileSync(join(path, file)).toString("latin1"), "sentinel");
  });

  it.live("FileStore refuses a folder or a file that is a symbolic link", function* () {
    const path = yield* folder;
    writeFileSync(join(path, "target"), "");
    symlinkSync(join(path, "target"), fileOf(path));
    const file = yield* Effect.flip(FileStore.make(path));
    assert.deepInclude(file, { _tag: "TokenStoreFailed", operation: "open", reason: "ELOOP" });
    assert.isTrue(lstatSync(fileOf(path)).isSymbolicLink());
    symlinkSync(path, join(path, "alias"));
    assert.instanceOf(yield* Effect.flip(FileStore.make(join(path, "alias"))), TokenStoreFailed);
  });

  it.live("FileStore fails without quoting a damaged file or entry", function* () {
    const broken = yield* folder;
    writeFileSync(fileOf(broken), "refresh-sentinel".repeat(100));
    const opened = yield* Effect.flip(FileStore.make(broken));
    assert.strictEqual(opened._tag, "TokenStoreFailed");
    const store = yield* FileStore.make(yield* folder);
    const session = Session.forUser(yield* client, { store, key: "k" });
    for (const [at, text] of ["x", "{", '{"accessToken":"access-sentinel"}'].entries()) {
      yield* store.write("k", at === 0 ? undefined : `${at - 1}`, { version: `${at}`, text });
      const error = yield* Effect.flip(session.accessToken);
      assert.deepInclude(error, { _tag: "TokenStoreFailed", operation: "read" });
      assert.notInclude(JSON.stringify([error, opened]) + error.message, "sentinel");
    }
    // Signing in, or out, mends it.
    yield* session.signIn(tokens);
    yield* session.signOut();
    assert.notInclude((yield* store.read("k"))?.text, "sentinel");
  });

  it.live("FileStore fails with TokenStoreFailed if it cannot create its folder", function* () {
    const path = join(yield* folder, "file");
    writeFileSync(path, "");
    const error = yield* Effect.flip(FileStore.make(path));
    assert.strictEqual(error._tag, "TokenStoreFailed");
    assert.notInclude(error.message, path);
    const deep = yield* Effect.flip(FileStore.make("/proc/no-such/deep/tokens"));
    assert.deepInclude(deep, { _tag: "TokenStoreFailed", operation: "open", reason: "ENOENT" });
  });

  it.live("FileStore waits for another process's write without blocking this one", function* () {
    const path = yield* folder;
    const store = yield* FileStore.make(path);
    const other = new DatabaseSync(fileOf(path));
    other.exec("begin immediate");
    const written = yield* Effect.forkChild(
      store.write("k", undefined, { version: "1", text: "t" }),
    );
    // Timers go on, and reads too, while the write waits.
    for (let turn = 0; turn < 10; turn++) yield* Effect.sleep("2 millis");
    assert.isUndefined(written.pollUnsafe());
    assert.isUndefined(yield* store.read("k"));
    other.exec("commit");
    assert.isTrue(yield* Fiber.join(written));
    assert.strictEqual((yield* store.read("k"))?.version, "1");
    other.close();
  });

  it.live.each([
    [99, "the schema is newer than this package"],
    [1, /^the store is of an earlier version of this package; remove it/],
  ] as const)("FileStore refuses a file of schema version %i", function* ([version, reason]) {
    const path = yield* folder;
    yield* FileStore.make(path);
    const database = new DatabaseSync(fileOf(path));
    database.exec(`pragma user_version = ${version}`);
    database.close();
    const error = yield* Effect.flip(FileStore.make(path));
    assert.strictEqual(error.operation, "open");
    assert.match(error.reason, new RegExp(reason));
  });

  it.live("FileStore hides an expired entry, and erases it at the next opening", function* () {
    const path = yield* folder;
    const store = yield* FileStore.make(path);
    const entry = { version: "1", text: "gone-sentinel", ttlMillis: 0 };
    assert.isTrue(yield* store.write("k", undefined, entry));
    assert.isUndefined(yield* store.read("k"));
    yield* FileStore.make(path);
    const database = new DatabaseSync(fileOf(path));
    assert.deepStrictEqual(database.prepare("select key from oauth_grants").all(), []);
    database.close();
    assert.notInclude(readFileSync(fileOf(path)).toString("latin1"), "gone-sentinel");
  });
});

/** The file store's own promises; what all stores promise is in TokenStores.test.ts. */
import {
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe } from "@effect/vitest";
import { Effect, Fiber, Redacted } from "effect";
import { OAuthClient, Session, TokenStoreFailed, type TokenSet } from "../src/index.ts";
import { FileStore } from "../src/node/index.ts";
import { whileBusy } from "../src/node/internal/whileBusy.ts";
import { it } from "./it.ts";

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "token-store-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
);

const tokens: TokenSet.TokenSet = {
  accessToken: Redacted.make("access-sentinel"),
  refreshToken: Redacted.make("refresh-sentinel"),
  consentExpiresAt: 4_000_000_000_000,
  expiresAt: "never",
  issuedAt: 1,
  scopes: ["account:profile"],
  username: "Account",
  sub: "uuid",
};

const client = OAuthClient.publicClient({
  authUrl: "https://auth.example.com",
  clientId: "desktop",
  redirectUri: "http://127.0.0.1/callback",
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe("the file store", () => {
  it.live("C26: keeps a set in files of 0600 in a folder of 0700 [NS-23]", function* () {
    const path = join(yield* folder, "deep", "tokens");
    // A wide umask is where SQLite's own files would become readable.
    const umask = process.umask(0o000);
    const store = yield* FileStore.make(path);
    const session = Session.forUser(yield* client, { store, key: "user@key" });
    yield* session.signIn(tokens);
    process.umask(umask);
    const files = yield* Effect.promise(() => readdir(path));
    assert.deepStrictEqual(files.toSorted(), [
      "tokens.sqlite",
      "tokens.sqlite-shm",
      "tokens.sqlite-wal",
    ]);
    for (const file of files)
      assert.strictEqual(yield* Effect.promise(() => modeOf(join(path, file))), 0o600, file);
    assert.strictEqual(yield* Effect.promise(() => modeOf(path)), 0o700);
    const again = Session.forUser(yield* client, {
      store: yield* FileStore.make(path),
      key: "user@key",
    });
    const found = yield* again.tokens;
    assert.strictEqual(Redacted.value(found.refreshToken!), "refresh-sentinel");
    assert.deepInclude(found, { expiresAt: "never", username: "Account" });
  });

  it.live("C26: makes an open folder and an open file private", function* () {
    const path = yield* folder;
    yield* Effect.promise(() => chmod(path, 0o777));
    yield* Effect.promise(() => writeFile(join(path, "tokens.sqlite"), "", { mode: 0o666 }));
    yield* FileStore.make(path);
    assert.strictEqual(yield* Effect.promise(() => modeOf(path)), 0o700);
    assert.strictEqual(yield* Effect.promise(() => modeOf(join(path, "tokens.sqlite"))), 0o600);
  });

  it.live("C26: refuses symbolic links, of the folder and of the file", function* () {
    const path = yield* folder;
    const target = join(path, "target");
    const link = join(path, "tokens.sqlite");
    yield* Effect.promise(async () => {
      await writeFile(target, "");
      await symlink(target, link);
    });
    const file = yield* Effect.flip(FileStore.make(path));
    assert.deepInclude(file, { _tag: "TokenStoreFailed", operation: "open", reason: "ELOOP" });
    assert.isTrue((yield* Effect.promise(() => lstat(link))).isSymbolicLink());
    const alias = join(path, "alias");
    yield* Effect.promise(() => symlink(path, alias));
    assert.instanceOf(yield* Effect.flip(FileStore.make(alias)), TokenStoreFailed);
  });

  it.live("C26: an unreadable file or entry is a typed error without its content", function* () {
    const broken = yield* folder;
    yield* Effect.promise(() =>
      writeFile(join(broken, "tokens.sqlite"), "refresh-sentinel".repeat(100)),
    );
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
    assert.isUndefined(yield* store.read("k"));
  });

  it.live("C26: a folder that can't be written is a typed error", function* () {
    const path = join(yield* folder, "file");
    yield* Effect.promise(() => writeFile(path, ""));
    const error = yield* Effect.flip(FileStore.make(path));
    assert.strictEqual(error._tag, "TokenStoreFailed");
    assert.notInclude(error.message, path);
    const deep = yield* Effect.flip(FileStore.make("/proc/no-such/deep/tokens"));
    assert.deepInclude(deep, { _tag: "TokenStoreFailed", operation: "open", reason: "ENOENT" });
  });

  it.live("waits for another process's write without blocking this one", function* () {
    const path = yield* folder;
    const store = yield* FileStore.make(path);
    const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"));
    const other = new DatabaseSync(join(path, "tokens.sqlite"));
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
    // A lock that stays is an error with its code.
    other.exec("begin immediate");
    const statement = () => other.exec("begin immediate");
    const busy = new DatabaseSync(join(path, "tokens.sqlite"));
    const insert = () => busy.exec("delete from grants");
    const error = yield* Effect.flip(
      Effect.tryPromise({ try: () => whileBusy(insert, 30), catch: (cause) => cause }),
    );
    assert.deepInclude(error, { code: "SQLITE_BUSY" });
    // Any other failure is told at once.
    const failure = yield* Effect.flip(
      Effect.tryPromise({ try: () => whileBusy(statement, 30), catch: (cause) => cause }),
    );
    assert.deepInclude(failure, { code: "ERR_SQLITE_ERROR" });
    other.exec("rollback");
    other.close();
    busy.close();
  });

  it.live("refuses a file whose schema is newer than this package", function* () {
    const path = yield* folder;
    yield* FileStore.make(path);
    const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"));
    const database = new DatabaseSync(join(path, "tokens.sqlite"));
    database.exec("pragma user_version = 99");
    database.close();
    const error = yield* Effect.flip(FileStore.make(path));
    assert.deepInclude(error, {
      operation: "open",
      reason: "the schema is newer than this package",
    });
  });

  it.live("forgets an entry at its end, and from the file when it is next opened", function* () {
    const path = yield* folder;
    const store = yield* FileStore.make(path);
    const entry = { version: "1", text: "gone-sentinel", ttlMillis: 0 };
    assert.isTrue(yield* store.write("k", undefined, entry));
    assert.isUndefined(yield* store.read("k"));
    yield* FileStore.make(path);
    const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"));
    const database = new DatabaseSync(join(path, "tokens.sqlite"));
    assert.deepStrictEqual(database.prepare("select key from grants").all(), []);
    database.close();
    const bytes = yield* Effect.promise(() => readFile(join(path, "tokens.sqlite")));
    assert.notInclude(bytes.toString("latin1"), "gone-sentinel");
  });
});

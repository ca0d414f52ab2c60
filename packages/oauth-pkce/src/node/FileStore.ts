/**
 * A token store in files: one per key, readable by their owner only (0600 in a folder of 0700).
 *
 * For desktop programs and single servers. Writes are atomic (temporary file, fsync, rename) and
 * symbolic links are refused, so that nobody can point the store at another file. File names are
 * hashes of the keys. All processes of this machine that use the folder share its locks; network
 * file systems are not supported.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { fromBackend, type Lock, type TokenStore } from "../TokenStore.ts";
import { errnoCode } from "./errnoCode.ts";
import { fileLock } from "./FileLock.ts";

/** Longer than any set of tokens; what is longer was not written by this store. */
const MAX_BYTES = 256 * 1024;

/** A file store in `folder`, which is made, or made private, first. */
export const make = Effect.fn("FileStore.make")(function* (
  folder: string,
): Effect.fn.Return<TokenStore, TokenStoreFailed> {
  yield* attempt("set", () => preparePrivateFolder(folder));
  const pathOf = (key: string) => join(folder, `${nameOf(key)}.json`);
  return fromBackend({
    read: (key) => attempt("get", () => read(pathOf(key))),
    write: (key, text) => attempt("set", () => write(pathOf(key), text)),
    delete: (key) => attempt("remove", () => rm(pathOf(key), { force: true })),
    lock: lockIn(folder),
  });
});

/**
 * The locks alone, for stores that keep their tokens elsewhere (a keychain) and run in several
 * processes.
 */
export const makeLock = Effect.fn("FileStore.makeLock")(function* (
  folder: string,
): Effect.fn.Return<Lock, TokenStoreFailed> {
  yield* attempt("lock", () => preparePrivateFolder(folder));
  return lockIn(folder);
});

const lockIn =
  (folder: string): Lock =>
  (name) =>
    fileLock(folder, nameOf(name));

const nameOf = (key: string) => createHash("sha256").update(key).digest("hex").slice(0, 32);

class Refused {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

const attempt = <A>(operation: TokenStoreFailed["operation"], run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new TokenStoreFailed({ operation, reason: errnoCode(error) }),
  });

const preparePrivateFolder = async (folder: string) => {
  await makeFolder(resolve(folder));
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Refused("the folder is a symbolic link or a file");
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
};

// Not by `recursive`: where a parent exists and refuses children with ENOENT (/proc), Node's never
// comes back.
const makeFolder = async (folder: string, isParentThere = false): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = errnoCode(error);
    if (code === "EEXIST") return;
    const parent = dirname(folder);
    if (code !== "ENOENT" || isParentThere || parent === folder) throw error;
    await makeFolder(parent);
    await makeFolder(folder, true);
  }
};

const read = async (path: string): Promise<string | undefined> => {
  try {
    // O_NOFOLLOW makes a symbolic link fail with ELOOP.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > MAX_BYTES)
        throw new Refused("the entry is no token file");
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

const write = async (path: string, text: string): Promise<void> => {
  await refuseLink(path);
  await removeDebris(path);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

// A process that died while it wrote left a temporary file with secrets. Writers hold a lock, so
// none of these is in use.
const removeDebris = async (path: string) => {
  const prefix = `${basename(path)}.`;
  for (const file of await readdir(dirname(path)))
    if (file.startsWith(prefix) && file.endsWith(".tmp"))
      await rm(join(dirname(path), file), { force: true });
};

// rename would replace the link and not its target; refused all the same, because somebody put it
// there.
const refuseLink = async (path: string) => {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw new Refused("the entry is a symbolic link");
};

// Makes the rename survive a power cut; Windows knows no such thing.
const syncFolder = async (folder: string) => {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

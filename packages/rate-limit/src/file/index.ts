/**
 * A store in a file: what one process learned survives its restart.
 *
 * One process per file, guarded by a lock file that its owner touches until its limiters are closed:
 * a lock of a process that died, or of another container, holds for six seconds. Several processes
 * share a budget through Redis, limiters of one process through one limiter: two of one `key` count
 * apart, and a warning tells of it. The file is written before a request goes where its window is
 * more than half full, otherwise within 100 ms, to a temporary name first. So a program that ends
 * by `process.exit` awaits `close` before.
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 * import { fileStore } from "@game-data/rate-limit/file";
 * import { mkdtemp } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "limits-"));
 * const limiter = createLimiter({ store: fileStore(join(folder, "limits.json")) });
 * await limiter.run({ route: "GET /users" }, async () => new Response("[]"));
 * await limiter.close();
 * ```
 *
 * @packageDocumentation
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { getOrMake, isObject } from "../core/basics.ts";
import { checkOption, checkOptions, positiveMillis, text } from "../options.ts";
import { StoreError } from "../RequestNotSentError.ts";
import { isCode, takeLock } from "./lock.ts";
import type { Lock } from "./lock.ts";
import { persistentStore } from "../store/persistent.ts";
import type { Store } from "../Store.ts";

const STALE_MILLIS = 6000;

type Saved = Record<string, unknown>;

/** Settings of the store in a file. */
export interface FileStoreOptions {
  /**
   * The lock of a process that does not touch it for so long, in milliseconds, belongs to nobody.
   * Of several stores of one file the first one's counts. Default: 6 s.
   */
  readonly staleAfter?: number | undefined;
}

/** The file of a path: one for all stores of this process that name it. */
interface OpenFile {
  readonly saved: Promise<Saved>;
  lock: Lock | undefined;
  /** The keys of the limiters that use it: the last one gives the lock up. */
  readonly keys: Array<string>;
  writing: Promise<void>;
  isFaultTold: boolean;
}

const files = new Map<string, OpenFile>();

/**
 * The store. `close` of the limiter writes the file, and gives it to other processes if no other
 * limiter of this one uses it; outcomes that come later are not written.
 */
export const fileStore = (path: string, options: FileStoreOptions = {}): Store => {
  checkOption("path", path ?? null, text);
  checkOptions(options, { staleAfter: positiveMillis });
  const whole = resolve(path);

  const leave = (file: OpenFile, key: string): void => {
    file.keys.splice(file.keys.indexOf(key), 1);
    if (file.keys.length > 0) return;
    files.delete(whole);
    file.lock?.release();
  };

  return persistentStore({
    load: async (key) => {
      const file = getOrMake(files, whole, () => openFile(whole, options));
      if (file.keys.includes(key))
        process.emitWarning(
          `Two limiters of the key "${key}" use ${whole}: each counts its own requests alone, and the last one that saves wins; share one limiter`,
        );
      file.keys.push(key);
      try {
        return (await file.saved)[key];
      } catch (error) {
        leave(file, key);
        if (error instanceof StoreError) throw error;
        const why = `${whole}, or ${whole}.lock, cannot be used: ${(error as Error).message}`;
        throw new StoreError(`${why}; make it a file of this user's, or name another`, error);
      }
    },
    save: async (key, state) => {
      const file = files.get(whole)!;
      const all = await file.saved;
      all[key] = state;
      file.writing = file.writing.catch(() => undefined).then(() => write(whole, file, all));
      return file.writing;
    },
    close: (key) => leave(files.get(whole)!, key),
  });
};

const openFile = (path: string, { staleAfter = STALE_MILLIS }: FileStoreOptions): OpenFile => {
  const read = async (): Promise<Saved> => {
    const found = await stat(path).catch(() => undefined);
    // A device can be read for ever.
    if (found && !found.isFile() && !found.isDirectory()) throw new Error("it is no regular file");
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    file.lock = await takeLock(path, staleAfter);
    return parse(path);
  };
  const file: OpenFile = {
    // Not before there is a file that can have the lock.
    saved: Promise.resolve().then(read),
    lock: undefined,
    keys: [],
    writing: Promise.resolve(),
    isFaultTold: false,
  };
  return file;
};

const parse = async (path: string): Promise<Saved> => {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(value) ? value : {};
  } catch (error) {
    if (isCode(error, "ENOENT")) return {};
    if (!(error instanceof SyntaxError)) throw error;
    // A broken file is a start without knowledge, not the end of the program.
    await rename(path, `${path}.broken`);
    process.emitWarning(
      `${path} holds no JSON: it is kept as ${path}.broken, and limits are learned anew`,
    );
    return {};
  }
};

/** Requests go on without the file, as far as they may: the program hears of it once. */
const write = async (path: string, file: OpenFile, all: Saved): Promise<void> => {
  try {
    await file.lock?.check();
    await replace(path, JSON.stringify(all));
  } catch (cause) {
    if (!file.isFaultTold) process.emitWarning(`${path} is not written: ${messageOf(cause)}`);
    file.isFaultTold = true;
    throw cause;
  }
};

const messageOf = (cause: unknown): string =>
  cause instanceof StoreError ? cause.detail : (cause as Error).message;

const replace = async (path: string, content: string): Promise<void> => {
  // A name that nobody can lay a link under; "wx" follows none.
  const draft = `${path}.${randomUUID()}.tmp`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
    await file.close();
    await rename(draft, path);
  } catch (cause) {
    await file.close();
    await rm(draft, { force: true });
    throw cause;
  }
};

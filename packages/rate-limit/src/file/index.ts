/**
 * A store in a file: what one process learned survives its restart.
 *
 * One process per file, guarded by a lock file that its owner touches: a lock of a process that
 * died, or of another container, holds for six seconds. Several processes share a budget through Redis. The
 * file is written before a request goes where its window is more than half full, otherwise within
 * 100 ms, to a temporary name first.
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
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { isObject } from "../core/basics.ts";
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
   * Default: 6 s.
   */
  readonly staleAfter?: number | undefined;
}

/** The store. `close` of the limiter does not give the lock up; the end of the process does. */
export const fileStore = (path: string, options: FileStoreOptions = {}): Store => {
  checkOption("path", path ?? null, text);
  checkOptions(options, { staleAfter: positiveMillis });
  let saved: Promise<Saved> | undefined;
  let lock: Lock | undefined;
  let writing: Promise<void> = Promise.resolve();

  const read = async (): Promise<Saved> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    lock = await takeLock(path, options.staleAfter ?? STALE_MILLIS);
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

  const load = (): Promise<Saved> => {
    saved ??= read().catch((error) => {
      saved = undefined;
      if (error instanceof StoreError) throw error;
      const why = `${path}, or ${path}.lock, cannot be used: ${(error as Error).message}`;
      throw new StoreError(`${why}; make it a file of this user's, or name another`, error);
    });
    return saved;
  };

  const write = async (all: Saved): Promise<void> => {
    await lock?.check();
    // A name that nobody can lay a link under; "wx" follows none.
    const draft = `${path}.${randomUUID()}.tmp`;
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(all));
      await file.datasync();
      await file.close();
      await rename(draft, path);
    } catch (cause) {
      await file.close();
      await rm(draft, { force: true });
      throw cause;
    }
  };

  return persistentStore({
    load: async (key) => (await load())[key],
    save: async (key, state) => {
      const all = await load();
      all[key] = state;
      writing = writing.catch(() => undefined).then(() => write(all));
      return writing;
    },
  });
};

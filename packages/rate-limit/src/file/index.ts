/**
 * A store in a file: what one process learned survives its restart.
 *
 * One process per file, guarded by a lock file; several processes share a budget through Redis. The
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
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreError } from "../RequestNotSentError.ts";
import { persistentStore } from "../store/persistent.ts";
import type { Store } from "../Store.ts";

type Saved = Record<string, unknown>;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const isCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException).code === code;

/** The store. `close` of the limiter does not give the lock up; the end of the process does. */
export const fileStore = (path: string): Store => {
  const lock = `${path}.lock`;
  let saved: Promise<Saved> | undefined;
  let writing: Promise<void> = Promise.resolve();

  const takeLock = async (): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (let round = 0; round < 3; round++) {
      try {
        await writeFile(lock, String(process.pid), { flag: "wx", mode: 0o600 });
        return;
      } catch (error) {
        if (!isCode(error, "EEXIST")) throw error;
        const owner = Number(await readFile(lock, "utf8").catch(() => ""));
        if (owner === process.pid) return;
        if (owner > 0 && isAlive(owner))
          throw new StoreError(`${path} is in use by process ${owner}`, error);
        await rm(lock, { force: true });
      }
    }
    throw new StoreError(`${path} cannot be locked`, undefined);
  };

  const read = async (): Promise<Saved> => {
    await takeLock();
    process.once("exit", () => {
      try {
        process.getBuiltinModule("node:fs").rmSync(lock, { force: true });
      } catch {
        // The next process finds that its owner is gone.
      }
    });
    try {
      const text = await readFile(path, "utf8");
      const value: unknown = JSON.parse(text);
      return typeof value === "object" && value !== null ? (value as Saved) : {};
    } catch (error) {
      // A file that is missing or broken is a start without knowledge, not the end of the program.
      if (isCode(error, "ENOENT") || error instanceof SyntaxError) return {};
      throw error;
    }
  };

  const load = (): Promise<Saved> => {
    saved ??= read().catch((error) => {
      saved = undefined;
      throw error;
    });
    return saved;
  };

  const write = async (all: Saved): Promise<void> => {
    const draft = `${path}.${process.pid}.tmp`;
    const file = await open(draft, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(all));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
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

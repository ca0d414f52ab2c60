/**
 * Folders whose entries outlive a power cut.
 *
 * Syncing a file keeps its bytes; that the folder names the file at all is the folder's own data,
 * and is synced apart.
 */
import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes the folder and those above it; what was made is durable. */
export const mkdirDurable = async (directory: string): Promise<void> => {
  for (const path of await makeAll(resolve(directory))) await fsyncDirectory(dirname(path));
};

/**
 * Makes a folder and those above it. Returns the folders that were made, the deepest first. It does
 * not use `recursive`: with it Node retries forever if a file system says ENOENT although the
 * folder above is there (`/proc`).
 */
const makeAll = async (path: string): Promise<ReadonlyArray<string>> => {
  const code = await make(path);
  if (code !== "ENOENT") return code === undefined ? [path] : [];
  const above = await makeAll(dirname(path));
  // Nothing was lacking above, or it is there now: what fails now would fail again.
  const again = await make(path);
  if (again === "ENOENT") throw Object.assign(new Error(`${path} cannot be made`), { code: again });
  return again === undefined ? [path, ...above] : above;
};

/** Makes one folder. Returns the error code if it is there already, or if the one above is not. */
const make = (path: string): Promise<"EEXIST" | "ENOENT" | undefined> =>
  mkdir(path).catch((cause: NodeJS.ErrnoException) => {
    // The root has nothing above it.
    if (cause.code === "EEXIST" || (cause.code === "ENOENT" && path !== dirname(path)))
      return cause.code;
    throw cause;
  }) as Promise<"EEXIST" | "ENOENT" | undefined>;

/**
 * Makes durable which files a folder holds. Windows opens no folders; its file systems keep names
 * in their journal.
 */
export const fsyncDirectory = async (directory: string): Promise<void> => {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

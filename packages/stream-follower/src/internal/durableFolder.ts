/**
 * Folders whose entries outlive a power cut.
 *
 * Syncing a file keeps its bytes; that the folder names the file at all is the folder's own data, and is synced apart.
 */
import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes the folder and those above it; what was made is durable. */
export const makeDurably = async (directory: string): Promise<void> => {
  const first = await mkdir(directory, { recursive: true });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let made = dirname(resolve(directory)); made.startsWith(top); made = dirname(made)) {
    await syncFolder(made);
    if (made === top) return;
  }
};

/** Makes durable which files a folder holds. Windows opens no folders; its file systems keep names in their journal. */
export const syncFolder = async (directory: string): Promise<void> => {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

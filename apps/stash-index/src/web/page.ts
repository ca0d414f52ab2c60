/**
 * The page's files, built by Vite when the server starts.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join, sep } from "node:path";

/** A file of the page. */
export interface PageFile {
  readonly body: Uint8Array;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

let built: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** The files by their paths in URLs; built once in a process. */
export const buildPage = (): Promise<ReadonlyMap<string, PageFile>> => (built ??= build());

const build = async (): Promise<ReadonlyMap<string, PageFile>> => {
  const vite = await import("vite");
  const folder = await mkdtemp(join(tmpdir(), "game-data-stash-index-"));
  const root = join(import.meta.dirname, "../..");
  try {
    await vite.build({
      configFile: join(root, "vite.config.ts"),
      root: join(root, "src/page"),
      logLevel: "error",
      build: { outDir: folder, emptyOutDir: true },
    });
    const files = new Map<string, PageFile>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length).replaceAll(sep, "/");
      const type = TYPES[extname(path)] ?? "application/octet-stream";
      files.set(name === "/index.html" ? "/" : name, { body: await readFile(path), type });
    }
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

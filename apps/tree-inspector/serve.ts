/**
 * The inspector for programs that want to show it: built into a folder of its own and served on
 * this machine alone.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, sep } from "node:path";
import { build } from "vite";

/** The page while it is served. */
export interface ServedInspector {
  readonly url: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** The page brings its own content security policy; these are what a page cannot say for itself. */
const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "frame-ancestors 'none'",
  "cache-control": "no-store",
};

/** Builds the page (a second or two) and serves it at a free port of 127.0.0.1. */
export const serveInspector = async (): Promise<ServedInspector> => {
  const files = await buildFiles();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    const name = path === "/" ? "/index.html" : path;
    const body = request.method === "GET" ? files.get(name) : undefined;
    if (body === undefined) return void response.writeHead(404, HEADERS).end();
    const type = TYPES[extname(name)] ?? "application/octet-stream";
    response.writeHead(200, { ...HEADERS, "content-type": type }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** The built files by their paths in URLs. A handful, so they are kept and the folder goes. */
const buildFiles = async (): Promise<ReadonlyMap<string, Buffer>> => {
  const folder = await mkdtemp(join(tmpdir(), "game-data-inspector-"));
  try {
    await build({
      root: import.meta.dirname,
      logLevel: "error",
      build: { outDir: folder, emptyOutDir: true },
    });
    const files = new Map<string, Buffer>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(folder.length).replaceAll(sep, "/"), await readFile(path));
    }
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * The page's files, built by Vite when the server starts.
 */
import { extname, join } from "node:path";
import type { Rolldown } from "vite";

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
  const root = join(import.meta.dirname, "../..");
  const { output } = (await vite.build({
    configFile: join(root, "vite.config.ts"),
    root: join(root, "src/page"),
    logLevel: "error",
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  return new Map(
    output.map((file) => {
      const { fileName: name } = file;
      const content = file.type === "chunk" ? file.code : file.source;
      const body = typeof content === "string" ? Buffer.from(content) : content;
      const type = TYPES[extname(name)] ?? "application/octet-stream";
      return [name === "index.html" ? "/" : `/${name}`, { body, type }];
    }),
  );
};

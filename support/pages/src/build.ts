/**
 * Builds a page with Vite for programs that serve it.
 */
import { extname } from "node:path";
import type { InlineConfig, Rolldown } from "vite";

export interface PageFile {
  readonly body: Uint8Array;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Returns the files of a page by their URL paths. `index.html` is at `/`. */
export const buildPage = async (config: InlineConfig): Promise<ReadonlyMap<string, PageFile>> => {
  const vite = await import("vite");
  const { output } = (await vite.build({
    logLevel: "error",
    ...config,
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

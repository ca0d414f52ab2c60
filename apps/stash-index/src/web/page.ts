/**
 * The page's files, built when the server starts.
 */
import { join } from "node:path";
import { buildPage as build, type PageFile } from "@game-data/pages/build";

const root = join(import.meta.dirname, "../..");

let built: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** The files by their paths in URLs; built once in a process. */
export const buildPage = (): Promise<ReadonlyMap<string, PageFile>> =>
  (built ??= build({ configFile: join(root, "vite.config.ts"), root: join(root, "src/page") }));

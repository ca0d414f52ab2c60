/**
 * The figure of a browser: bundles `page.ts`, runs it in Chromium, and returns what it measured.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import type { Figure } from "./interleave.ts";

const executable = (): string | undefined =>
  process.env["GAME_DATA_CHROMIUM"] ??
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "chromium"))
    .find((path) => existsSync(path));

/** Decodes `payloads` in Chromium; `undefined` where there is none. */
export const measureInChromium = async (
  payloads: ReadonlyArray<string>,
): Promise<Figure | undefined> => {
  const executablePath = executable();
  if (executablePath === undefined) return undefined;
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "page.ts")],
    bundle: true,
    format: "iife",
    globalName: "bench",
    platform: "browser",
    write: false,
  });
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: outputFiles[0]!.text });
    return await page.evaluate<Figure>(`bench.measure(${JSON.stringify(payloads)})`);
  } finally {
    await browser.close();
  }
};

/**
 * The bundle for runtimes without Node: what it contains, and that it runs in a bare context and in
 * Chromium. `scripts/check-installed.mjs` runs the same program in Node, Bun and Deno.
 */
import { describeWithService } from "@game-data/test-support";
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { launchChromium } from "../chromium.ts";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const program = readFileSync(file("../../runtimes/web.mjs"), "utf8");

const bundle = async (): Promise<{ text: string; inputs: ReadonlyArray<string> }> => {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: program.replace("@game-data/sandbox/web", file("../../src/web.ts")),
      loader: "js",
      resolveDir: file("."),
    },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    minify: true,
    write: false,
    metafile: true,
  });
  return { text: outputFiles[0]!.text, inputs: Object.keys(metafile.inputs) };
};

describe("the bundle", () => {
  it("the bundle of the entry ./web contains no module of Node", async () => {
    const { inputs, text } = await bundle();
    expect(inputs.filter((path) => /(?:^|\/)node:/u.test(path))).toEqual([]);
    expect(text).not.toMatch(/from"node:|import\("node:|require\(/u);
  });

  it("the bundle of the entry ./web answers with the same bytes with the globals of the web alone", async () => {
    const { text } = await bundle();
    const module = `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
    await expect(import(/* @vite-ignore */ module)).resolves.toBeDefined();
  });
});

describeWithService("chromium", "in a page", (executablePath) => {
  it("the bundle of the entry ./web answers with the same bytes in a browser", async () => {
    const { text } = await bundle();
    const browser = await launchChromium(executablePath);
    try {
      const page = await browser.newPage();
      await page.route("http://127.0.0.1/", (route) =>
        route.fulfill({ contentType: "text/html", body: "<!doctype html><title>t</title>" }),
      );
      await page.goto("http://127.0.0.1/");
      // An expression in text: Vite would rewrite an import() here.
      const failure = await page.evaluate(
        `import(URL.createObjectURL(new Blob([${JSON.stringify(text)}], { type: "text/javascript" }))).then(() => "", String)`,
      );
      expect(failure).toBe("");
    } finally {
      await browser.close();
    }
  });
});

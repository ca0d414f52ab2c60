/** Modules that a start loads: few, and none of Effect. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { bundleProgram } from "../../scripts/bundle.ts";

const MAIN = new URL("../../src/main.ts", import.meta.url).href;

/** Prints the modules that were loaded when the ready line came, and ends. */
const watch = (main: string): string => `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) loaded.add(url); return next(url, context); } });
process.stdout.write = (text) => { if (String(text).startsWith("{")) { console.error(JSON.stringify([...loaded])); process.exit(0); } return true; };
process.argv = [process.argv[0], ${JSON.stringify(fileURLToPath(main))}, "--port", "0"];
await import(${JSON.stringify(main)});
`;

it("loads at most 40 modules before the ready line, of others two small ones", () => {
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", watch(MAIN)], {
    encoding: "utf8",
  });
  const loaded = JSON.parse(run.stderr) as ReadonlyArray<string>;
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.length).toBeLessThanOrEqual(40);
  // The contract keeps the scopes and what loopback is; its table and Effect come with a request.
  const ofOthers = loaded.filter((url) => /node_modules|packages\/(?:contract|schemas)/u.test(url));
  expect(ofOthers.map((url) => url.split("/packages/").at(-1))).toEqual([
    "contract/src/Scope.ts",
    "contract/src/SecureUrl.ts",
  ]);
});

it("is bundled so that a start loads few files, and Effect only for what is asked later", async () => {
  // Beside the package, so that what is external resolves as in an installed one.
  const folder = fileURLToPath(new URL("../../node_modules/.cache/test-program", import.meta.url));
  await bundleProgram(folder);
  const main = pathToFileURL(join(folder, "main.js")).href;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", watch(main)], {
    encoding: "utf8",
  });
  const loaded = JSON.parse(run.stderr) as ReadonlyArray<string>;
  expect(loaded).toContain(main);
  expect(loaded.length).toBeLessThanOrEqual(20);
  expect(loaded.filter((url) => /node_modules\/(?!\.cache)/u.test(url))).toEqual([]);
});

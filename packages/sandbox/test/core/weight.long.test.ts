/** Files that a start of the bundled program loads. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { bundleProgram } from "../../scripts/bundle.ts";

/** Prints the modules that were loaded when the ready line came, and ends. */
const watch = (main: string): string => `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) loaded.add(url); return next(url, context); } });
process.stdout.write = (text) => { if (String(text).startsWith("{")) { console.error(JSON.stringify([...loaded])); process.exit(0); } return true; };
process.argv = [process.argv[0], ${JSON.stringify(fileURLToPath(main))}, "--port", "0"];
await import(${JSON.stringify(main)});
`;

it("the bundled program loads few files at its start, and none of another package", async () => {
  // Beside the package, so that what is external resolves as in an installed one.
  const folder = fileURLToPath(new URL("../../node_modules/.cache/test-program", import.meta.url));
  await bundleProgram(folder);
  const main = pathToFileURL(join(folder, "main.js")).href;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", watch(main)], {
    encoding: "utf8",
  });
  const loaded = JSON.parse(run.stderr) as ReadonlyArray<string>;
  expect(loaded).toContain(main);
  expect(loaded.length).toBeLessThanOrEqual(30);
  expect(loaded.filter((url) => /node_modules\/(?!\.cache)/u.test(url))).toEqual([]);
});

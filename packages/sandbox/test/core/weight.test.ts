/** What a start loads: few modules, and no Effect. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const MAIN = new URL("../../src/main.ts", import.meta.url).href;

/** Prints the modules that were loaded when the ready line came, and ends. */
const WATCH = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) loaded.add(url); return next(url, context); } });
process.stdout.write = (text) => { if (String(text).startsWith("{")) { console.error(JSON.stringify([...loaded])); process.exit(0); } return true; };
process.argv = [process.argv[0], ${JSON.stringify(fileURLToPath(MAIN))}, "--port", "0"];
await import(${JSON.stringify(MAIN)});
`;

it("loads at most 40 modules before the ready line, none of them Effect's or the contract's", () => {
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", WATCH], {
    encoding: "utf8",
  });
  const loaded = JSON.parse(run.stderr) as ReadonlyArray<string>;
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.length).toBeLessThanOrEqual(40);
  expect(loaded.filter((url) => /node_modules|packages\/(?:contract|schemas)/u.test(url))).toEqual(
    [],
  );
});

/**
 * The same seed gives the same bytes: in two processes, and in whatever order they are asked for.
 * `scripts/check-runtimes.mjs` runs the same program in Node 22, 24 and 26, Bun and Deno, and
 * `test/http/runtimes.long.test.ts` in Chromium; it holds the hash that all of them have to reach.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../../runtimes/web.mjs", import.meta.url));
const run = () => promisify(execFile)(process.execPath, [program]);

it("two processes reach the hash of the program, forwards and backwards", async () => {
  for (const { stderr, stdout } of await Promise.all([run(), run()]))
    expect(`${stdout}${stderr}`).toBe("");
});

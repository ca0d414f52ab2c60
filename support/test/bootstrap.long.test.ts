/** What the workflows run through `scripts/bootstrap.mjs`: programs of Node and of the workspace. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const cwd = join(import.meta.dirname, "../..");
const run = (...command: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["scripts/bootstrap.mjs", ...command], { cwd, encoding: "utf8" });

it("scripts/bootstrap.mjs runs a program of the workspace", () => {
  const { status, stdout } = run("changeset", "--version");
  expect(status).toBe(0);
  expect(stdout).toMatch(/\d+\.\d+\.\d+\s*$/);
});

it.each([
  ["node", ["node", "--eval", "process.exit(3)"]],
  ["a shell", ["sh", "-c", "exit 3"]],
])("scripts/bootstrap.mjs exits with the status of %s", (_, command) => {
  expect(run(...command).status).toBe(3);
});

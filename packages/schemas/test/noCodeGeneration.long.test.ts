import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("records work if code generation from strings is disallowed", () => {
  const script = fileURLToPath(new URL("../examples/read-page.ts", import.meta.url));
  const run = ["--disallow-code-generation-from-strings", script];
  expect(execFileSync(process.execPath, run, { encoding: "utf8" })).toContain("2 stashes");
});

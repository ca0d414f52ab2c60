/** Checks that need files outside the package, or a process of their own. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { itemPage } from "../scripts/item-page.ts";

it("records work if code generation from strings is disallowed", () => {
  const script = fileURLToPath(new URL("../examples/read-page.ts", import.meta.url));
  const run = ["--disallow-code-generation-from-strings", script];
  expect(execFileSync(process.execPath, run, { encoding: "utf8" })).toContain("2 stashes");
});

it("docs/item.md follows from the table of Item", () => {
  const page = readFileSync(new URL("../../../docs/item.md", import.meta.url), "utf8");
  const cells = (text: string) => text.replaceAll(/ +|-+/gu, (run) => run[0]!);
  expect(cells(page)).toBe(cells(itemPage()));
});

/** A program in a process of its own, whose output goes nowhere. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { expect, it } from "vitest";

it.runIf(existsSync("/dev/full"))("a full disk ends a program with one sentence, and 74", () => {
  const source = `
    import { Command } from "effect/cli";
    import { printLine } from ${JSON.stringify(new URL("../src/Output.ts", import.meta.url))};
    import { runMain } from ${JSON.stringify(new URL("../src/runMain.ts", import.meta.url))};
    runMain(Command.make("ranks", {}, () => printLine("A")), { name: "ranks", version: "1.0.0" });`;
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", source],
    { cwd: import.meta.dirname, encoding: "utf8", stdio: ["ignore", full, "pipe"] },
  );
  closeSync(full);
  expect({ status, stderr }).toEqual({
    status: 74,
    stderr:
      "error: Cannot write the output (ENOSPC).\n→ check the folder, its permissions and the disk\n",
  });
});

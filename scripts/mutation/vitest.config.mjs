// The tests of one package with `hook.mjs` and `runner.mjs`: one process, one test after another.
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

export default defineConfig({
  test: {
    ...shared.test,
    runner: join(import.meta.dirname, "runner.mjs"),
    execArgv: [...shared.test.execArgv, "--import", join(import.meta.dirname, "hook.mjs")],
    fileParallelism: false,
    sequence: { concurrent: false },
  },
});

// The tests of one package with `hook.mjs` and `runner.mjs`: one process, one test after another.
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

export default defineConfig({
  test: {
    ...shared.test,
    runner: join(import.meta.dirname, "runner.mjs"),
    execArgv: [...shared.test.execArgv, "--import", join(import.meta.dirname, "hook.mjs")],
    // Programs and browsers: a mutant in another process is none that a test could switch.
    exclude: [...configDefaults.exclude, "**/*.long.test.ts"],
    fileParallelism: false,
    sequence: { concurrent: false },
  },
});

// The tests of one package with `hook.mjs` and `runner.mjs`: one process, one test after another.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import shared from "../../vitest.shared.ts";

const sources = JSON.parse(readFileSync(join(process.env.MUTATION_FOLDER, "sources.json"), "utf8"));
/** `readPage.ts` is judged by `ReadPage.test.ts`. */
const subjectOf = (path) => basename(path).split(".")[0].toLowerCase();
const judged = new Set(Object.keys(sources).map(subjectOf));
const isOwn = ({ moduleId }) => judged.has(subjectOf(moduleId));

/** The tests named after a judged file come first: they notice most, for the least time. */
class OwnFirst extends BaseSequencer {
  async sort(files) {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest, no list's
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  }
}

export default defineConfig({
  test: {
    ...shared.test,
    runner: join(import.meta.dirname, "runner.mjs"),
    execArgv: [...shared.test.execArgv, "--import", join(import.meta.dirname, "hook.mjs")],
    // Programs and browsers: a mutant in another process is none that a test could switch.
    exclude: [...configDefaults.exclude, "**/*.long.test.ts"],
    fileParallelism: false,
    sequence: { concurrent: false, sequencer: OwnFirst },
  },
});

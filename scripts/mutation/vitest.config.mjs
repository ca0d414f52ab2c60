// The tests of one package with `hook.mjs` and `runner.mjs`: one process, one test after another.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import shared from "../../vitest.shared.ts";

const sources = JSON.parse(readFileSync(join(process.env.MUTATION_FOLDER, "sources.json"), "utf8"));
/** A file and its folder by name: `readPage.ts` is judged by `ReadPage.test.ts`. */
const namesOf = (path) =>
  [path, dirname(path)].map((of) => basename(of).split(".")[0].toLowerCase());
const judged = new Set(Object.keys(sources).flatMap(namesOf));
const isOwn = ({ moduleId }) => namesOf(moduleId).some((name) => judged.has(name));

/**
 * The tests named after a judged file, or its folder, come first: they notice most, soonest. The
 * dearest files, with which vitest begins, come last.
 */
class OwnFirst extends BaseSequencer {
  async sort(files) {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest, no list's
    const sorted = await super.sort(files);
    return sorted.toReversed().toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  }
}

export default defineConfig({
  test: {
    ...shared.test,
    runner: join(import.meta.dirname, "runner.mjs"),
    setupFiles: [join(import.meta.dirname, "load.mjs")],
    execArgv: [...shared.test.execArgv, "--import", join(import.meta.dirname, "hook.mjs")],
    // Programs and browsers: a mutant in another process is none that a test could switch.
    exclude: [...configDefaults.exclude, "**/*.long.test.ts"],
    fileParallelism: false,
    sequence: { concurrent: false, sequencer: OwnFirst },
  },
});

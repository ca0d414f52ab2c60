// Makes the mutants of a package: all mutants of a file stand in one instrumented source, each
// behind a switch. Stryker's instrumenter makes them. Its runner is not used, because that starts
// afresh for each mutant, where `runner.mjs` repeats one test in the process that has loaded all.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createInstrumenter } from "@stryker-mutator/instrumenter";

/** What the instrumenter asks of Stryker's container: values by name, and a logger. */
const container = {
  values: { logger: new Proxy({}, { get: () => () => false }) },
  provideValue(name, value) {
    this.values[name] = value;
    return this;
  },
  injectClass(Class) {
    return new Class(...Class.inject.map((name) => this.values[name]));
  },
};

const OPTIONS = { plugins: null, ignorers: [], excludedMutations: [] };
const EQUIVALENT = /\/\/ mutant: equivalent, \S/;

/** The lines of a file that differ from `revision`. */
const changedLines = (root, file, revision) => {
  const args = ["diff", "-U0", revision, "--", file];
  const diff = execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const lines = new Set();
  for (const [, start, count = "1"] of diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm))
    for (let at = 0; at < Number(count); at++) lines.add(Number(start) + at);
  return lines;
};

/** Whether the mutant's line, or the one before it, says why no test can tell the difference. */
const isExcused = (lines, line) =>
  EQUIVALENT.test(lines[line - 1] ?? "") || EQUIVALENT.test(lines[line - 2] ?? "");

/**
 * Instruments the files `files` (a glob) below `packages/NAME/src`.
 * @returns `sources` (file URL → source) and `mutants`: those to judge, with their places.
 *   With `since`, those alone that touch a line changed since that revision.
 */
export const instrument = async (root, name, { files, since }) => {
  const folder = join("packages", name, "src");
  const inputs = globSync(files, { cwd: join(root, folder) })
    .filter((file) => !/(^|\/)generated\/|\.d\.ts$/.test(file))
    .map((file) => ({ name: join(root, folder, file), file: join(folder, file), mutate: true }))
    .map((input) => ({ ...input, content: readFileSync(input.name, "utf8") }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const result = await createInstrumenter(container).instrument(inputs, OPTIONS);
  const about = new Map(
    inputs.map((input) => [
      input.name,
      {
        file: input.file,
        lines: input.content.split("\n"),
        changed: since === undefined ? undefined : changedLines(root, input.file, since),
      },
    ]),
  );
  const mutants = [];
  for (const { id, fileName, location, replacement, mutatorName } of result.mutants) {
    const { file, lines, changed } = about.get(fileName);
    const line = location.start.line + 1;
    const last = location.end.line + 1;
    const isChanged = changed === undefined || [...changed].some((at) => at >= line && at <= last);
    if (!isChanged || isExcused(lines, line)) continue;
    const text = replacement.replaceAll(/\s+/g, " ").slice(0, 60);
    mutants.push({ id, file, line, mutator: mutatorName, text });
  }
  const sources = Object.fromEntries(
    result.files.map(({ name: path, content }) => [pathToFileURL(path).href, content]),
  );
  return { sources, mutants };
};

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
/** An excuse: the mutants that it is about, each as this program prints it, and the reason. */
const EXCUSE = /\/\/ mutant: ((?:`[^`]+`(?:, | and | or )?)+),? \S/;

/** The lines of a file that differ from `revision`. */
const changedLines = (root, file, revision) => {
  const args = ["diff", "-U0", revision, "--", file];
  const diff = execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const lines = new Set();
  for (const [, start, count = "1"] of diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm))
    for (let at = 0; at < Number(count); at++) lines.add(Number(start) + at);
  return lines;
};

/** The excuses of a file: the line that each is about, and the texts of its mutants. */
const excusesOf = (lines) =>
  lines.flatMap((line, i) => {
    if (!line.includes("// mutant:")) return [];
    // It may go on for lines, and is about the line behind them.
    let about = i;
    let comment = line;
    while (/^\s*\/\//.test(lines[about] ?? "")) {
      about++;
      comment += ` ${/^\s*\/\/ (?!mutant:)(.*)/.exec(lines[about] ?? "")?.[1] ?? ""}`;
    }
    const names = EXCUSE.exec(comment)?.[1] ?? "";
    const texts = [...names.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
    return [{ line: i + 1, about: about + 1, texts, used: new Set() }];
  });

/** A piece of source as it is printed, and as an excuse names it. */
const textOf = (source) => source.replaceAll(/\s+/g, " ").replaceAll("`", "'").slice(0, 60).trim();

/** The source between two places of Stryker's. */
const sourceAt = (lines, { start, end }) => {
  const text = lines.slice(start.line, end.line + 1).join("\n");
  const last = lines[end.line] ?? "";
  return text.slice(start.column, text.length - last.length + end.column);
};

/**
 * Instruments the files `files` (a glob) below `packages/NAME/src`.
 * @returns `sources` (file URL → source); `mutants`: those to judge, with their places and whether a
 *   comment excuses them; and `stale`: excuses that excuse no mutant. With `since`, those mutants
 *   alone that touch a line changed since that revision.
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
        excuses: excusesOf(input.content.split("\n")),
        changed: since === undefined ? undefined : changedLines(root, input.file, since),
      },
    ]),
  );
  const mutants = [];
  for (const { id, fileName, location, replacement, mutatorName } of result.mutants) {
    const { file, lines, excuses, changed } = about.get(fileName);
    const line = location.start.line + 1;
    const last = location.end.line + 1;
    const text = `${textOf(sourceAt(lines, location))} → ${textOf(replacement)}`;
    const excuse = excuses.find((one) => one.about === line && one.texts.includes(text));
    excuse?.used.add(text);
    const isChanged = changed === undefined || [...changed].some((at) => at >= line && at <= last);
    if (!isChanged) continue;
    mutants.push({ id, file, line, mutator: mutatorName, text, isExcused: excuse !== undefined });
  }
  const stale = [...about.values()].flatMap(({ file, excuses }) =>
    excuses
      .filter(({ texts, used }) => texts.length === 0 || used.size < new Set(texts).size)
      .map(({ line }) => `${file}:${line}`),
  );
  const sources = Object.fromEntries(
    result.files.map(({ name: path, content }) => [pathToFileURL(path).href, content]),
  );
  return { sources, mutants, stale };
};

// What the scripts share: the files of the repository, those that are generated, and how a check ends.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");
export const read = (file) => readFileSync(join(root, file), "utf8");
export const readJson = (file) => JSON.parse(read(file));
export const isCheck = process.argv.includes("--check");

/** A table of Markdown. */
export const table = (columns, rows) =>
  [columns, columns.map(() => "---"), ...rows]
    .map((row) => `| ${row.map((cell) => `${cell}`.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

/** oxfmt aligns tables. */
const squeeze = (text) => text.replaceAll(/[ \t]+|-{3,}/g, "");

/** Writes what a command generates, if it differs; a check says what writes it instead. */
export const put = (file, text, command, isChecked = isCheck) => {
  if (existsSync(join(root, file)) && squeeze(read(file)) === squeeze(text)) return [];
  if (isChecked) return [`${file} is stale: run \`${command}\``];
  writeFileSync(join(root, file), text);
  const args = ["--no-error-on-unmatched-pattern", file];
  execFileSync(join(root, "node_modules/.bin/oxfmt"), args, { cwd: root, stdio: "ignore" });
  return [];
};

/** Ends a check: it fails with what is wrong, or says what it has seen. */
export const conclude = (problems, seen) => {
  if (problems.length === 0) return console.log(seen);
  console.error(problems.join("\n"));
  process.exitCode = 1;
};

// Fails when a Markdown file links to a file of this repository that is not there, names a script of
// the root (`pnpm NAME`) that package.json does not have, or a source by folder and file
// (`data/words.ts`) that no package has.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const { devDependencies, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Commands of pnpm itself, and the programs that it runs from node_modules/.bin. */
const OF_PNPM = new Set(
  "add approve build create deploy dlx exec help i install pack publish run test version".split(
    " ",
  ),
);
const isCommand = (name) =>
  name in scripts || OF_PNPM.has(name) || name in devDependencies || name === "changeset";

const LINK = /\]\(([^)#:\s]+)(?:#[^)\s]*)?\)/g;
/** A source in backquotes, with at least the folder that it lies in. */
const SOURCE = /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs))`/g;
const COMMAND = /`(?:[A-Z_]+=\S+ )*pnpm ([a-z][\w:-]*)/g;

const problems = [];
const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" });
const files = listed.trim().split("\n");
const isSource = (name) => files.some((file) => file === name || file.endsWith(`/${name}`));
for (const file of files.filter((name) => name.endsWith(".md"))) {
  const text = readFileSync(join(root, file), "utf8");
  for (const [, target] of text.matchAll(LINK)) {
    // Addresses of the site are checked when it is built.
    if (target.startsWith("/")) continue;
    if (!existsSync(join(root, dirname(file), target)))
      problems.push(`${file} links to ${target}, which does not exist`);
  }
  for (const [, name] of text.matchAll(SOURCE))
    if (!isSource(name)) problems.push(`${file} names ${name}, which no package has`);
  for (const [, name] of text.matchAll(COMMAND))
    if (!isCommand(name)) problems.push(`${file} names "pnpm ${name}", which does not exist`);
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log("links, commands and sources in Markdown exist");

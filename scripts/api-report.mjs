// The public surface of every package as text, one committed file each: packages/NAME/API.txt.
//
//   node scripts/api-report.mjs           writes the reports from the built declarations
//   node scripts/api-report.mjs --check   fails when a report is stale, and when a surface has
//                                         changed since the last release without a changeset that
//                                         allows it: a removed line asks for minor (before 1.0) or
//                                         major, an added line for any changeset
//
// The text is what an importer can reach of the emitted declarations, without comments, one section
// a file; `generated/`, which follows from other files, is left out.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { surfaceOf } from "./api-surface.mjs";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");
const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Comments and white space go; the contents of string literals stay. */
const stripComments = (text) =>
  text
    .replaceAll(
      /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/.*$/gm,
      (_, string) => string ?? "",
    )
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");

/** The declarations of the entries that a manifest exports; a pattern names every file it fits. */
const entriesOf = (folder, { exports }) =>
  Object.values(exports)
    .map((target) => (typeof target === "object" ? target?.default : target))
    .filter((target) => /^\.\/src\/.*\.ts$/.test(target ?? ""))
    .flatMap((target) => globSync(target, { cwd: join(root, folder) }))
    .map((file) => file.replace(/^src\/(.*)\.ts$/, "$1.d.ts"));

const reportOf = (folder, manifest) =>
  surfaceOf(join(root, folder, "dist"), entriesOf(folder, manifest))
    .filter(([file]) => !/(^|\/)generated\//.test(file))
    .map(([file, texts]) => `=== ${file}\n${stripComments(texts.join("\n"))}\n`)
    .join("\n");

/**
 * The words of each file in order of the alphabet: the compiler does not keep the order of unions.
 */
const canonical = (text) =>
  text
    .split(/^=== /m)
    .map((section) => (section.match(/[\w$]+|[^\s\w]/g) ?? []).toSorted().join(" "))
    .join("\n");

/** package → the kinds of release that the pending changesets ask for. */
const pending = new Map();
for (const file of globSync(".changeset/*.md", { cwd: root })) {
  const [, head = ""] = /^---\n([\s\S]*?)\n---/.exec(readFileSync(join(root, file), "utf8")) ?? [];
  for (const [, name, kind] of head.matchAll(/^["']?(@[^"':]+)["']?: (patch|minor|major)$/gm))
    pending.set(name, [...(pending.get(name) ?? []), kind]);
}

/** The report at the package's last release; empty before the first one. */
const released = (name, path) => {
  try {
    const tag = git("tag", "--list", `${name}@*`, "--sort=-version:refname").split("\n")[0];
    return tag ? git("show", `${tag}:${path}`) : "";
  } catch {
    return "";
  }
};

const problems = [];
for (const manifestFile of globSync("packages/*/package.json", { cwd: root }).toSorted()) {
  const folder = join(manifestFile, "..");
  const manifest = JSON.parse(readFileSync(join(root, manifestFile), "utf8"));
  const { name } = manifest;
  // A program without an entry has no surface.
  if (!Object.values(manifest.exports).some((target) => `${target}`.endsWith(".ts"))) continue;
  const path = `${folder}/API.txt`;
  const report = reportOf(folder, manifest);
  // Its report stays as it is.
  if (report === "") {
    problems.push(`${folder} is not built`);
    continue;
  }
  const committed = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  const isStale = canonical(committed) !== canonical(report);
  if (!isCheck) {
    if (isStale) writeFileSync(join(root, path), report);
    continue;
  }
  if (isStale)
    problems.push(`${path} is stale: run \`pnpm api\`, read the difference, add a changeset`);
  const before = new Set(released(name, path).split("\n"));
  const after = new Set(report.split("\n"));
  const isChanged = before.symmetricDifference(after).size > 0;
  const isRemoval = before.difference(after).size > (before.has("") ? 1 : 0);
  const kinds = pending.get(name) ?? [];
  if (isChanged && kinds.length === 0)
    problems.push(`${name}: the surface changed without a changeset`);
  if (isRemoval && kinds.length > 0 && kinds.every((kind) => kind === "patch"))
    problems.push(`${name}: a removed or changed line asks for more than a patch`);
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(isCheck ? "API reports are up to date and have changesets" : "API reports written");

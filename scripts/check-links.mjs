// Fails when a Markdown file links to a file of this repository that is not there, names a script of
// the root (`pnpm NAME`) that package.json does not have, or a source by folder and file
// (`data/words.ts`) that no package has. SECURITY.md promises: a sentence of it without a note, or a
// note without a reason or a test that exists, fails too.
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

/** The lines of a test file that run: neither a comment nor the title of a case that is skipped. */
const running = (text) =>
  text
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|\/?\*)|\.(?:skip|todo)\(/.test(line))
    .join("\n");

/** What is wrong with the promises of a text; `read` gives a file of the repository. */
const brokenPromises = (text, read) => {
  const [body, notes] = text.split("\n## Notes\n");
  const promised = body.slice(body.indexOf("\n### "));
  const defined = new Map(notes.matchAll(/^\[\^([\w-]+)\]: (.+)$/gm).map(([, id, of]) => [id, of]));
  const used = new Set(promised.matchAll(/\[\^([\w-]+)\]/g).map(([, id]) => id));
  const bare = promised
    .replaceAll(/^#.*$/gm, "")
    .split(/\n\n|\n(?=- )/)
    .flatMap((block) => block.split(/(?<=[.!\]])\s+(?=[A-Z`*])/))
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "" && !/\.\[\^[\w-]+\]$/.test(sentence));
  const isProof = (note) => {
    const proofs = [...note.matchAll(/\]\(([^)]+)\)((?:,? "[^"]+")*)/g)];
    const missing = proofs.flatMap(([, file, titles]) =>
      [...titles.matchAll(/"([^"]+)"/g)].filter(
        ([, title]) => !title.includes(" ") || !running(read(file)).includes(title),
      ),
    );
    const isNamed = proofs.every(([, file, titles]) => titles !== "" || !file.includes("/test/"));
    const isTested = !proofs.some(([, file]) => file.endsWith(".md"));
    return (
      missing.length === 0 &&
      isNamed &&
      isTested &&
      (proofs.length > 0 || note.startsWith("Reason: "))
    );
  };
  return [
    ...bare.map((sentence) => `no note: ${sentence}`),
    ...[...used].filter((id) => !defined.has(id)).map((id) => `${id} is no note`),
    ...[...defined.keys()].filter((id) => !used.has(id)).map((id) => `nothing promises ${id}`),
    ...[...defined].filter(([, note]) => !isProof(note)).map(([id]) => `${id} names no such test`),
  ];
};

const NOTES = '\n## Notes\n[^a]: [a](a/test/a.ts) "a title".\n[^b]: Reason: b.\n';
const TESTS = () => 'it("a title"';
for (const [promises, count] of [
  ["\n### A\n- One.[^a] Two.[^b]\n", 0],
  ["\n### A\n- One.[^a] Two. Three.[^b]\n", 1],
  ["\n### A\n- One.[^a] Two.[^c]\n", 2],
])
  if (brokenPromises(promises + NOTES, TESTS).length !== count)
    throw new Error(`planted promises are not judged: ${promises}`);
for (const [test, note = NOTES] of [
  [""],
  ['it.skip("a title"'],
  ['// it("a title"'],
  ['it("a title"', NOTES.replace("a/test/a.ts", "a/README.md")],
  ['it("title"', NOTES.replace("a title", "title")],
])
  if (brokenPromises(`\n### A\n- One.[^a] Two.[^b]\n${note}`, () => test).length !== 1)
    throw new Error(`a test that does not run is taken for a proof: ${test}`);
problems.push(
  ...brokenPromises(readFileSync(join(root, "SECURITY.md"), "utf8"), (file) =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "",
  ).map((problem) => `SECURITY.md: ${problem}`),
);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log("links, commands and sources in Markdown exist");

// Fails when a Markdown file links to a file of this repository that is not there, names a script of
// the root (`pnpm NAME`) that package.json does not have, or a source by folder and file
// (`data/words.ts`) that no package has. SECURITY.md promises: a sentence of it without a note, or a
// note without a reason, a test that runs or a check that CI runs, fails too.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { programOf, walk } from "./syntax.mjs";

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

/** The words of a callee: `it.effect.skip` and `describe.skipIf(true)` have theirs, with the text. */
const wordsOf = ({ arguments: given, callee, name, object, property, tag, value }) => [
  ...[callee, object, tag, property].flatMap((node) => (node ? wordsOf(node) : [])),
  ...(given?.length === 1 ? [`${given[0].value}`] : []),
  name ?? value,
];
const SKIPS = /(?:^| )(?:skip|todo|fails|xit|xtest|xdescribe|skipIf true|runIf false)(?: |$)/;

/** Whether a call says that the tests in it do not run. */
const isSkipped = ({ arguments: given = [], callee, type }) =>
  type === "CallExpression" &&
  (SKIPS.test(wordsOf(callee).join(" ").replaceAll(/ +/g, " ")) ||
    given.some(({ properties = [] }) =>
      properties.some(({ key, value }) => /^(?:skip|todo|fails)$/.test(key?.name) && value?.value),
    ));

/** What runs of a test file: no comment, and nothing in a case or a suite that is skipped. */
const running = (file, text) => {
  const idle = [];
  const program = programOf(file, text, (comments) => idle.push(...comments));
  walk(program, (node) => {
    if (isSkipped(node)) idle.push(node);
  });
  let left = text;
  for (const { end, start } of idle)
    left = left.slice(0, start) + " ".repeat(end - start) + left.slice(end);
  return left;
};

/** A heading that names a part, and promises nothing. */
const TITLE =
  /^#+ (?:Security|What is protected, and against whom|All packages|Supply chain|(?:`[\w-]+`(?:, | and | \(the CLI\))?)+)$/;

/** The sentences of a text, headings that say something among them. */
const sentencesOf = (text) =>
  text
    .split(/\n\n|\n(?=- )|(?<=^#.*)\n/m)
    .flatMap((block) => block.split(/(?<=[.!?:\]])\s+(?=[A-Z`*])/))
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "" && !TITLE.test(sentence));

/** Whether a note gives a reason, or names tests that run, or a check that `runs` has. */
const isProof = (note, read, runs) => {
  const proofs = [...note.matchAll(/\]\(([^)]+)\)((?:,? "[^"]+")*)/g)].map(([, file, titles]) => ({
    file,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title]) => title),
  }));
  const isTested = proofs.every(({ file, titles }) => {
    if (titles.length === 0) return !/\/test\/|\.md$/.test(file);
    const left = /\.test\.tsx?$/.test(file) ? running(file, read(file)) : "";
    return titles.every((title) => title.includes(" ") && left.includes(title));
  });
  const isRun = proofs.some(({ file, titles }) => titles.length > 0 || runs.includes(file));
  return isTested && (note.startsWith("Reason: ") || isRun);
};

/** What is wrong with the promises of a text; `read` gives a file, `runs` says what CI runs. */
const brokenPromises = (text, read, runs = "") => {
  const [body, notes] = text.split("\n## Notes\n");
  const defined = new Map(notes.matchAll(/^\[\^([\w-]+)\]: (.+)$/gm).map(([, id, of]) => [id, of]));
  const used = new Set(body.matchAll(/\[\^([\w-]+)\]/g).map(([, id]) => id));
  const bare = sentencesOf(body).filter((sentence) => !/[.:]\[\^[\w-]+\]$/.test(sentence));
  return [
    ...bare.map((sentence) => `no note: ${sentence}`),
    ...[...used].filter((id) => !defined.has(id)).map((id) => `${id} is no note`),
    ...[...defined.keys()].filter((id) => !used.has(id)).map((id) => `nothing promises ${id}`),
    ...[...defined]
      .filter(([, note]) => !isProof(note, read, runs))
      .map(([id]) => `${id} names no such test`),
  ];
};

const NOTES = '\n## Notes\n[^a]: [a](a/test/a.test.ts) "a title".\n[^b]: Reason: b.\n';
const TEST = 'it("a title", a);';
for (const [promises, count] of [
  ["# Security\n\n### `a`\n- One.[^a] Two.[^b]\n", 0],
  ["### `a`\n- One.[^a] Two. Three.[^b]\n", 1],
  ["### `a`\n- One.[^a] Two.[^c]\n", 2],
  ["# Security\n\nWe promise.\n\n### `a`\n- One.[^a] Two.[^b]\n", 1],
  ["## It is safe\n\nOne.[^a] Two.[^b]\n", 1],
  ["## `a` is safe\nOne.[^a] Two.[^b]\n", 1],
])
  if (brokenPromises(promises + NOTES, () => TEST).length !== count)
    throw new Error(`planted promises are not judged: ${promises}`);
for (const [test, note = NOTES] of [
  [""],
  ['it.skip("a title")'],
  ['it.todo("a title")'],
  ['it.effect.skip("a title", a)'],
  ['it.skip.each([])("a title", a)'],
  ['it.skipIf(true)("a title", a)'],
  ['it("a title", { skip: true }, a)'],
  ['xit("a title", a)'],
  ['// it("a title"'],
  ["a(); /* it.each\n('a title') */"],
  [`describe.skip("a", () => {\n${TEST}\n});`],
  [`describe("a", () => { describe.skip("b", () => { describe("c", () => {\n${TEST}\n}); }); });`],
  [`describe("a", () => { describe("b", () => { it.todo("a title"); }); });`],
  [`describe.runIf(false)("a", () => {\n${TEST}\n});`],
  [TEST, NOTES.replace("a.test.ts", "support.ts")],
  [TEST, NOTES.replace("a/test/a.test.ts", "a/README.md")],
  ['it("title", a)', NOTES.replace("a title", "title")],
  [TEST, NOTES.replace(/\[a\].*/, "[a](scripts/unused.mjs).")],
])
  if (brokenPromises(`### \`a\`\n- One.[^a] Two.[^b]\n${note}`, () => test).length !== 1)
    throw new Error(`a test that does not run is taken for a proof: ${test}`);
const RUNS = Object.values(scripts).join("\n") + readFileSync(join(root, "scripts/ci.mjs"), "utf8");
problems.push(
  ...brokenPromises(
    readFileSync(join(root, "SECURITY.md"), "utf8"),
    (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : ""),
    RUNS,
  ).map((problem) => `SECURITY.md: ${problem}`),
);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log("links, commands and sources in Markdown exist");

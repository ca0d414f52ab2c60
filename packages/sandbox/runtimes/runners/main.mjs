// Runs the recipes of the guide "Testing with the sandbox" as they stand there: Vitest, Jest,
// Playwright and pytest, each with two files in two workers, and a sandbox for each worker.
//
//   node packages/sandbox/runtimes/runners/main.mjs
//
// Needs pytest with pytest-xdist (`.ci/install`). Playwright's runner is used
// without a browser. Each test puts a fault into its sandbox, and counts the requests there: a sandbox
// that another worker shares fails it. Afterwards a project of Jest in CommonJS, which cannot load
// modules, uses the sandbox by `require` in the oldest and the newest Node that the package names.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinned, root, withTarballs } from "../../../../support/src/packed.mjs";

const GUIDE = "docs/guides/testing-with-the-sandbox.md";
const RECIPE = /```(?:js|python)\n(?:\/\/|#) (\S+)\n([\s\S]*?)```/g;
const PYTHON = "/usr/bin/python3";
/** Tests of a file: enough for two workers to overlap. */
const ROUNDS = 10;

const recipes = [...readFileSync(join(root, GUIDE), "utf8").matchAll(RECIPE)];
if (recipes.length !== 4) throw new Error(`${GUIDE} has ${recipes.length} recipes, not 4`);

/** The same test for each runner of JavaScript; `sandbox` is what the recipe gives. */
const body = `
  await sandbox.fault({ match: { endpoint: "profile" }, fault: { kind: "status", status: 503 } });
  for (let at = 0; at < 5; at++)
    expect((await fetch(sandbox.baseUrl + "/profile")).status).toBe(503);
  await sandbox.verify({ match: { endpoint: "profile" }, exactly: 5 });
`;
const each = (head, argument) =>
  `${head}for (let round = 0; round < ${ROUNDS}; round++)
  test("round " + round, async (${argument}) => {${body}});\n`;

const FILES = {
  vitest: ["test.js", each('import { expect, test } from "vitest";\n', "")],
  jest: ["test.cjs", each("", "")],
  playwright: [
    "spec.js",
    each(
      'import { expect } from "@playwright/test";\nimport { test } from "./playwright.sandbox.js";\n',
      "{ sandbox }",
    ),
  ],
  pytest: [
    "py",
    `import json, urllib.error, urllib.request
import pytest

@pytest.mark.parametrize("round", range(${ROUNDS}))
def test_round(sandbox, round):
    fault = {"match": {"endpoint": "profile"}, "fault": {"kind": "status", "status": 503}}
    control = sandbox["controlUrl"]
    urllib.request.urlopen(urllib.request.Request(control + "/faults", json.dumps(fault).encode()))
    for _ in range(5):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(sandbox["baseUrl"] + "/profile")
        assert refused.value.code == 503
    wanted = {"match": {"endpoint": "profile"}, "exactly": 5}
    verify = urllib.request.Request(control + "/verify", json.dumps(wanted).encode())
    urllib.request.urlopen(verify)
`,
  ],
};

const NODES = ["node@22.19.0", "node@24.21.0"];
const BY_REQUIRE = `
const { SandboxStartError, startSandbox } = require("@game-data/sandbox");

test("a sandbox answers on ports of its own", async () => {
  const sandbox = await startSandbox({ seed: 1 });
  const token = await sandbox.token({ scopes: ["account:profile", "account:stashes"] });
  await sandbox.fault({ match: { endpoint: "stashes" }, fault: { kind: "status", status: 503 } });
  const statusOf = async (path) =>
    (await fetch(sandbox.baseUrl + path, { headers: { authorization: "Bearer " + token } })).status;
  expect(await statusOf("/profile")).toBe(200);
  expect(await statusOf("/stash/Standard")).toBe(503);
  await sandbox.verify({ match: { endpoint: "profile" }, exactly: 1 });
  await sandbox.close();
});

test("errors are of one class", async () => {
  await expect(startSandbox({ seed: 0.5 })).rejects.toBeInstanceOf(SandboxStartError);
});
`;

const RUNS = {
  vitest: ["npx", "vitest", "run", "--root", ".", "--maxWorkers=2"],
  jest: ["npx", "jest", "--config", "jest.config.json", "--maxWorkers=2"],
  playwright: ["npx", "playwright", "test", "--workers=2", "--reporter=line"],
  pytest: [PYTHON, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"],
};

await withTarballs(async (install) => {
  const dependencies = {
    "@game-data/sandbox": "packed",
    "@game-data/contract": "packed",
    "@game-data/schemas": "packed",
    effect: pinned("effect"),
    vitest: pinned("vitest"),
    jest: "30.5.2",
    "@playwright/test": pinned("playwright-core"),
  };
  const folder = install("runners", { dependencies });
  for (const [, file, text] of recipes) writeFileSync(join(folder, file), text);
  for (const [name, [ending, text]] of Object.entries(FILES))
    for (const file of ["first", "second"])
      writeFileSync(
        join(folder, `${name === "pytest" ? "test_" : `${name}.`}${file}.${ending}`),
        text,
      );
  writeFileSync(
    join(folder, "vitest.config.js"),
    'export default { test: { include: ["vitest.*.test.js"], setupFiles: ["./vitest.sandbox.js"] } };\n',
  );
  writeFileSync(
    join(folder, "jest.config.json"),
    JSON.stringify({
      testMatch: ["**/jest.*.test.cjs"],
      transform: {},
      testEnvironment: "node",
      setupFilesAfterEnv: ["./jest.sandbox.cjs"],
    }),
  );
  writeFileSync(
    join(folder, "playwright.config.js"),
    'export default { testMatch: "playwright.*.spec.js" };\n',
  );
  for (const [name, [command, ...args]] of Object.entries(RUNS)) {
    console.log(`— ${name}`);
    execFileSync(command, args, { cwd: folder, stdio: "inherit", timeout: 120_000 });
  }
  writeFileSync(join(folder, "required.cjs"), BY_REQUIRE);
  const config = { testMatch: ["**/required.cjs"], transform: {}, testEnvironment: "node" };
  for (const node of NODES) {
    console.log(`— jest by require in ${node}`);
    const npx = ["--yes", "--loglevel=error", `--package=${node}`, "--", "node"];
    const jest = ["node_modules/jest/bin/jest.js", "--config", JSON.stringify(config)];
    execFileSync("npx", [...npx, ...jest], { cwd: folder, stdio: "inherit", timeout: 120_000 });
  }
});
console.log(`The recipes of ${recipes.length} runners work, two workers each.`);

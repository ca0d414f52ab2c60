// A project of Jest in CommonJS, which cannot load modules, uses the packed sandbox by `require` in
// the oldest and the newest Node that the package names.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinned, withTarballs } from "./published.mjs";

const NODES = ["node@22.19.0", "node@24.21.0"];

const test = `
const { SandboxStartError, startSandbox, startWorlds } = require("@game-data/sandbox");

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

test("worlds have a key of the worker", async () => {
  const worlds = await startWorlds();
  const world = worlds.at("jest-" + process.env.JEST_WORKER_ID);
  await world.advance("31 seconds");
  expect((await fetch(world.baseUrl + "/profile")).status).toBe(401);
  await worlds.close();
});

test("errors are of one class", async () => {
  await expect(startSandbox({ seed: 0.5 })).rejects.toBeInstanceOf(SandboxStartError);
});
`;

await withTarballs((install) => {
  const folder = install("jest", {
    "@game-data/sandbox": "packed",
    "@game-data/contract": "packed",
    "@game-data/schemas": "packed",
    effect: pinned("effect"),
    jest: "30.5.2",
  });
  writeFileSync(join(folder, "sandbox.test.cjs"), test);
  const config = { testMatch: ["**/*.test.cjs"], transform: {}, testEnvironment: "node" };
  for (const node of NODES) {
    const command = ["--yes", "--loglevel=error", `--package=${node}`, "--", "node"];
    const jest = ["node_modules/jest/bin/jest.js", "--config", JSON.stringify(config)];
    execFileSync("npx", [...command, ...jest], { cwd: folder, stdio: "inherit", timeout: 120_000 });
  }
});

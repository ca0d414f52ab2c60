// Every check of `npm test`: node scripts/check.mjs (`pnpm check`). Builds, then runs the tests of all
// packages and, beside them, all other checks; Turbo leaves out what a change does not reach.
//
// They are two runs of Turbo because one run starts tasks in the order in which they become ready:
// the tests of the last packages, which take longest, would start when everything else has ended.
// The output of the other checks comes after the tests.
import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
// What a machine happens to have (Chromium, shells) decides nothing here: `pnpm check:services` runs
// the tests that ask for it.
process.env.GAME_DATA_SERVICES ??= "none";
const OF_EACH_PACKAGE = ["typecheck", "lint", "readme", "examples"];
const OF_THE_REPOSITORY = [
  "format:check",
  "lint:root",
  "readme:root",
  "imports",
  "links",
  "errors:check",
  "size",
  "workflows",
  "fidelity:check",
  "lockfile",
];

/** Runs tasks to their end, also where some fail, and keeps or shows what they print. */
const run = (tasks, { concurrency, stdio }) => {
  const args = ["exec", "turbo", "run", ...tasks, `--concurrency=${concurrency}`];
  args.push("--continue=dependencies-successful", "--log-order=grouped");
  const shell = process.platform === "win32";
  const child = spawn("pnpm", args, { cwd: root, shell, stdio: ["ignore", stdio, stdio] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (data) => printed.push(data));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ passed: code === 0, printed: Buffer.concat(printed) }));
  });
};

const built = await run(["build"], { concurrency: 5, stdio: "pipe" });
if (!built.passed) process.stdout.write(built.printed);

// Tests wait for servers, disks and clocks half of the time; compilers and linters never wait.
const [tests, others] = await Promise.all([
  run(["test"], { concurrency: 8, stdio: "inherit" }),
  run([...OF_EACH_PACKAGE, ...OF_THE_REPOSITORY], { concurrency: 2, stdio: "pipe" }),
]);
process.stdout.write(others.printed);
process.exitCode = built.passed && tests.passed && others.passed ? 0 : 1;

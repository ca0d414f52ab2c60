// Every check of `npm test`: node scripts/check.mjs. Runs the tests of all packages, which need no
// build, and beside them all other checks. Turbo and the compiler leave out what a change does not
// reach. The other checks print when they have ended.
import { spawn } from "node:child_process";
import { join } from "node:path";

// Services and programs that a machine happens to have change nothing here: `.ci/run` runs the tests
// that need them.
process.env.GAME_DATA_SERVICES ??= "none";
const TURBO = "turbo run --continue=dependencies-successful --log-order=grouped".split(" ");
const CACHED = ["build", "lint", "size", "links", "lockfile"];
/** Too quick to be worth a cache. */
const UNCACHED = [
  "oxfmt --check .",
  "node scripts/errors.mjs",
  "node scripts/fidelity.mjs --check",
];

/** Runs a program of the workspace. Unless `isShown`, prints what it wrote when it has ended. */
const run = async (args, isShown = false) => {
  const child = spawn("pnpm", ["exec", ...args], {
    cwd: join(import.meta.dirname, ".."),
    shell: process.platform === "win32",
    stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (data) => output.push(data));
  const code = await new Promise((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  process.stdout.write(Buffer.concat(output));
  if (code !== 0) process.exitCode = 1;
};

const others = async () => {
  await run(["node", "scripts/typecheck.mjs"]);
  await run([...TURBO, ...CACHED, "--concurrency=1"]);
  for (const command of UNCACHED) await run(command.split(" "));
};

// Tests wait for servers, disks and clocks half of the time, so more of them run than there are cores.
await Promise.all([run([...TURBO, "test", "--concurrency=4"], true), others()]);

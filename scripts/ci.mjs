// The half of `.ci/run` that `npm test` leaves out, with every service beside it: the long tests, the
// tests that need a service, the examples of the documentation, and programs that pass by exiting
// with 0, each bounded by its arguments. With --nightly also the programs that take longer.
// reports/ has the output of each, which sum-reports.mjs adds up.
import { spawn } from "node:child_process";
import { closeSync, globSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { read, root } from "./repository.mjs";

const reports = join(root, "reports");
mkdirSync(reports, { recursive: true });

const longTests = globSync("{packages/*,apps/*,support,support/*}/test/**/*.test.ts", {
  cwd: root,
}).filter(
  (file) =>
    file.endsWith(".long.test.ts") ||
    /describeWithService\(|onEachDatabase\(|REQUIRE_SERVICES/.test(read(file)),
);
const isOfLimiter = (file) => file.startsWith("packages/rate-limit");
const isOfPackage = (file) => file.startsWith("packages") && !isOfLimiter(file);
/** Most of these tests wait, so more of them run than there are cores. */
const testsOf = (name, files) => [
  ..."pnpm exec vitest run --reporter=default".split(" "),
  `--outputFile.json=reports/${name}.json`,
  "--maxWorkers=2",
  "--reporter=json",
  ...files,
];
const JOBS = [
  testsOf("packages", longTests.filter(isOfPackage)),
  testsOf(
    "apps",
    longTests.filter((file) => !file.startsWith("packages")),
  ),
  ...[
    "node scripts/typecheck.mjs --run",
    "pnpm exec turbo run package --log-order=grouped",
    "pnpm exec oxlint -c redos.oxlintrc.json packages apps",
    "node packages/tree-link/scripts/runVectors.ts",
    "node packages/sandbox/audits/clients.mjs",
    // Programs that mostly wait, so they run beside the others.
    "node packages/oauth-pkce/chaos/main.ts --seconds 30",
    "node packages/rate-limit/scripts/redisSoak.ts",
  ].map((line) => line.split(" ")),
  // One file of the limiter takes three minutes, so the third lane begins with them.
  testsOf("rate-limit", longTests.filter(isOfLimiter)),
];
const NIGHTLY = [
  "node scripts/check-installed.mjs",
  "node packages/sandbox/runtimes/runners/main.mjs",
  "node packages/oauth-pkce/runtimes/web/next.mjs",
  "node packages/oauth-pkce/runtimes/web/sveltekit.mjs",
  "node packages/tree-link/fuzz/main.ts --minutes 5",
  "node packages/api-client/scripts/faultSoak.ts --calls 2000",
  "node packages/sandbox/chaos/main.ts",
  "node packages/sandbox/scripts/workerd.ts",
  "node packages/oauth-pkce/chaos/main.ts --seconds 600",
  "node packages/stream-follower/chaos/main.ts --kills 20 --json",
  "node packages/rate-limit/scripts/redisSoak.ts --disturbances 60",
  "node docs/site/scripts/site.mjs --check",
];
if (process.argv.includes("--nightly")) JOBS.push(...NIGHTLY.map((line) => line.split(" ")));

const env = { ...process.env, REQUIRE_SERVICES: "1" };
const options = { cwd: root, env, killSignal: "SIGKILL", timeout: 40 * 60_000 };
const outcomes = [];

/** Runs a job, and prints what it wrote when it has ended. */
const run = async ([command, ...args]) => {
  const name = [command, ...args].join(" ").slice(0, 80);
  const started = performance.now();
  const log = join("reports", `${name.replaceAll(/\W+/g, "-")}.log`);
  const file = openSync(join(root, log), "w");
  const child = spawn(command, args, { ...options, stdio: ["ignore", file, file] });
  closeSync(file);
  const passed = await new Promise((resolve) => {
    child.once("error", () => resolve(false)).once("close", (code) => resolve(code === 0));
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\n== ${name}\n${read(log)}\n== ${passed ? "passed" : "FAILED"} in ${seconds} s`);
  outcomes.push({ name, passed, log });
};

// Two lanes begin with the tests, the third at the end of the list; they meet.
const lane = async (next) => {
  for (let job = next(); job !== undefined; job = next()) await run(job);
};
const first = () => lane(() => JOBS.shift());
await Promise.all([first(), first(), lane(() => JOBS.pop())]);
writeFileSync(join(reports, "programs.json"), JSON.stringify({ outcomes }));
// At once: Node keeps the timer of a program that could not be started.
process.exit(outcomes.every(({ passed }) => passed) ? 0 : 1);

// The half of CI that `npm test` leaves out, run by `.ci/run` with every service
// started: the tests that ask for a service, the long tests, the programs of the documentation, and
// long programs, each bounded. Writes a report of each to
// reports/, which sum-reports.mjs adds up.
import { spawn } from "node:child_process";
import { closeSync, existsSync, globSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { read, root } from "./repository.mjs";

const reports = join(root, "reports");
mkdirSync(reports, { recursive: true });

/** Long tests, tests that ask for a service, and those that try fewer cases where none is required. */
const longTests = globSync("{packages,apps,support}/*/test/**/*.test.ts", { cwd: root }).filter(
  (file) =>
    file.endsWith(".long.test.ts") || /describeWithService\(|REQUIRE_SERVICES/.test(read(file)),
);

/**
 * Programs that pass by exiting with 0, each bounded in time by its own arguments, and with a head
 * that says what it tries. What takes longest stands last, and is begun first.
 */
const PROGRAMS = [
  "scripts/check-installed.mjs",
  "packages/sandbox/runtimes/runners/main.mjs",
  "packages/oauth-pkce/runtimes/web/next.mjs",
  "packages/oauth-pkce/runtimes/web/sveltekit.mjs",
  "scripts/check-regexes.mjs",
  "packages/tree-link/scripts/runVectors.ts",
  "packages/tree-link/fuzz/main.ts --minutes 0.5",
  "packages/rate-limit/scripts/mutate.ts",
  "packages/api-client/scripts/faultSoak.ts --calls 2000",
  "packages/sandbox/chaos/main.ts",
  "packages/sandbox/scripts/workerd.ts",
  "packages/sandbox/audits/clients.mjs",
  "packages/stream-follower/scripts/manyPages.ts --pages 30000",
  "scripts/site.mjs --check",
  "scripts/check-release.mjs",
];
/** Those that mostly wait, for clocks and for what they kill. */
const WAITING = [
  "packages/oauth-pkce/chaos/main.ts",
  "packages/stream-follower/chaos/main.ts --outages 30 --json",
  "packages/rate-limit/scripts/redisSoak.ts --minutes 1",
  "packages/rate-limit/scripts/redisSoak.ts --minutes 0.6 --chaos",
  "packages/rate-limit/scripts/redisSoak.ts --minutes 1 --pause",
];
for (const [program] of [...PROGRAMS, ...WAITING].map((line) => line.split(" ")))
  if (!existsSync(join(root, program))) throw new Error(`${program} does not exist`);

const vitest = "exec vitest run --maxWorkers=100% --reporter=default --reporter=json".split(" ");
const report = `--outputFile.json=${join(reports, "services.json")}`;
const turbo = "exec turbo run --log-order=grouped".split(" ");
const byNode = (line) => [line, process.execPath, ...line.split(" ")];
const JOBS = [
  ["tests that take long or ask for a service", "pnpm", ...vitest, report, ...longTests],
  ["packed packages", "pnpm", ...turbo, "package"],
  ["the programs of the documentation", process.execPath, "scripts/snippets.mjs", "--run"],
  ...PROGRAMS.map(byNode),
];

/** What takes longer hangs: the rest goes on without it. */
const timeout = 40 * 60_000;
const env = { ...process.env, REQUIRE_SERVICES: "1" };
const options = { cwd: root, env, timeout, killSignal: "SIGKILL" };
const outcomes = [];

/** Runs a job, and prints what it wrote when it has ended. */
const run = ([name, command, ...args]) =>
  new Promise((resolve) => {
    const started = performance.now();
    const log = join("reports", `${name.replaceAll(/\W+/g, "-")}.log`);
    const file = openSync(join(root, log), "w");
    const child = spawn(command, args, { ...options, stdio: ["ignore", file, file] });
    closeSync(file);
    child.once("exit", (code) => {
      const passed = code === 0;
      const seconds = Math.round((performance.now() - started) / 1000);
      console.log(`\n== ${name}\n${read(log)}`);
      console.log(`== ${name}: ${passed ? "passed" : "FAILED"} in ${seconds} s`);
      outcomes.push({ name, passed, log });
      resolve();
    });
  });

// One lane begins with the tests, which take both cores, the other at the end of the list; they meet.
// Beside them is a lane of what mostly waits.
const waiting = WAITING.map(byNode);
const lane = async (next) => {
  for (let job = next(); job !== undefined; job = next()) await run(job);
};
await Promise.all([lane(() => JOBS.shift()), lane(() => JOBS.pop()), lane(() => waiting.shift())]);
writeFileSync(join(reports, "long-tests.json"), JSON.stringify({ outcomes }));
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;

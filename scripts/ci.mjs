// The half of CI that `npm test` leaves out, run by `pnpm check:services` with every service
// started: the tests that ask for a service, the long tests, the programs of the documentation, and
// long programs, each bounded. Writes a report of each to
// reports/, which sum-reports.mjs adds up.
import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const reports = join(root, "reports");
mkdirSync(reports, { recursive: true });

/** Long tests, tests that ask for a service, and those that try fewer cases where none is required. */
const longTests = globSync("{packages,apps,support}/*/test/**/*.test.ts", { cwd: root }).filter(
  (file) =>
    file.endsWith(".long.test.ts") ||
    /describeWithService\(|REQUIRE_SERVICES/.test(readFileSync(join(root, file), "utf8")),
);

/**
 * Programs that pass by exiting with 0, each bounded in time by its own arguments: the packages as
 * they are published, what needs the processor, and last what mostly waits.
 */
const PUBLISHED = [
  ["the packed packages in a consumer's project", "scripts/check-consumer.mjs"],
  ["each packed package alone, without optional peers", "scripts/check-installed.mjs"],
  ["the packed packages in Node 22, 24, 26, Bun and Deno", "scripts/check-runtimes.mjs"],
  [
    "the sandbox in Vitest, Jest, Playwright and pytest",
    "packages/sandbox/runtimes/runners/main.mjs",
  ],
  ["a production build of Next that signs users in", "packages/oauth-pkce/runtimes/web/next.mjs"],
  [
    "a production build of SvelteKit that signs users in",
    "packages/oauth-pkce/runtimes/web/sveltekit.mjs",
  ],
  ["a release to a local registry, and every README followed there", "scripts/check-release.mjs"],
  ["a release that is killed before and after each step", "scripts/check-publish.mjs"],
  ["gamedata as a single executable", "apps/cli/scripts/executable.mjs", "--check"],
  ["the site, built and opened in a browser", "scripts/site.mjs", "--check"],
];
const LONG_TESTS = [
  ["the walks of the architecture page", "apps/tour/scripts/walk/main.mjs", "--check"],
  ["the time that regular expressions take", "scripts/check-regexes.mjs"],
  ["the vectors of links in Python and Go", "packages/tree-link/scripts/runVectors.ts"],
  ["the OpenAPI document to redocly and spectral", "packages/contract/scripts/lintOpenApi.ts"],
  ["fuzzing of the codec", "packages/tree-link/fuzz/main.ts", "--minutes", "0.5"],
  ["changed constants of the limiter", "packages/rate-limit/scripts/mutate.ts"],
  ["many mutants and hostile values", "packages/schemas/scripts/manyValues.ts"],
  ["calls under fire", "packages/api-client/scripts/faultSoak.ts", "--calls", "2000"],
  ["chaos of the sandbox", "packages/sandbox/chaos/main.ts"],
  ["the sandbox in workerd", "packages/sandbox/scripts/workerd.ts"],
  ["the audit of our clients and of five others", "packages/sandbox/audits/clients.mjs"],
  [
    "random pages, scanned in three ways",
    "packages/stream-follower/scripts/manyPages.ts",
    "--pages",
    "30000",
  ],
  ["two servers on every token store, under signals", "packages/oauth-pkce/chaos/main.ts"],
  ["the images of the sandbox and the follower", "apps/cli/scripts/images.mjs"],
  ["chaos of the follower", "packages/stream-follower/chaos/main.ts", "--outages", "30", "--json"],
  [
    "four processes on one rate budget",
    "packages/rate-limit/scripts/redisSoak.ts",
    "--minutes",
    "1",
  ],
  [
    "four processes on one rate budget, under chaos",
    "packages/rate-limit/scripts/redisSoak.ts",
    "--minutes",
    "0.6",
    "--chaos",
  ],
  [
    "four processes on one rate budget, one of them stopped, then Redis",
    "packages/rate-limit/scripts/redisSoak.ts",
    "--minutes",
    "1",
    "--pause",
  ],
];
for (const [name, program] of [...PUBLISHED, ...LONG_TESTS])
  if (!existsSync(join(root, program))) throw new Error(`${name}: ${program} does not exist`);

const vitest = "exec vitest run --maxWorkers=100% --reporter=default --reporter=json".split(" ");
const report = `--outputFile.json=${join(reports, "services.json")}`;
const turbo = "exec turbo run --log-order=grouped".split(" ");
const JOBS = [
  ["tests that take long or ask for a service", "pnpm", ...vitest, report, ...longTests],
  ["packed packages", "pnpm", ...turbo, "package"],
  [
    "the programs of the documentation",
    "pnpm",
    ...turbo,
    ..."readme examples readme:root -- --run".split(" "),
  ],
  ...[...PUBLISHED, ...LONG_TESTS].map(([name, ...args]) => [name, process.execPath, ...args]),
];

const options = { cwd: root, env: { ...process.env, REQUIRE_SERVICES: "1" } };
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
      console.log(`\n== ${name}\n${readFileSync(join(root, log), "utf8")}`);
      console.log(`== ${name}: ${passed ? "passed" : "FAILED"} in ${seconds} s`);
      outcomes.push({ name, passed, log });
      resolve();
    });
  });

// One lane begins with the tests, which take both cores, the other with what mostly waits; they meet.
const lane = async (next) => {
  for (let job = next(); job !== undefined; job = next()) await run(job);
};
await Promise.all([lane(() => JOBS.shift()), lane(() => JOBS.pop())]);
writeFileSync(join(reports, "long-tests.json"), JSON.stringify({ outcomes }));
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;

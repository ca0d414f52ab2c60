// Mutation testing, every night and on demand, of the package in whose folder it runs:
//
//   cd packages/NAME && ../../node_modules/.bin/stryker run ../../stryker.config.mjs [--mutate src/FILE.ts]
//
// Stryker works in a copy of the package, and fails below a score of 85. MUTATION_TESTS is a pattern of
// the tests that run, by default all that are not long.
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What is mutated: code that computes, not code that only calls. By default all of `src`. */
const CORES = {
  "rate-limit": ["src/{Buckets,Documents,Headers,WaitQueue,Window,clientErrors,learn,plan}.ts"],
  sandbox: ["src/{oauth,rates}/**/*.ts"],
  "stream-follower": ["src/{Model,csv,readPage,rows}.ts"],
};

process.env.GAME_DATA_SERVICES ??= "none";

export default {
  plugins: [fileURLToPath(import.meta.resolve("@stryker-mutator/vitest-runner"))],
  testRunner: "vitest",
  vitest: { configFile: join(import.meta.dirname, "vitest.stryker.config.ts"), related: false },
  mutate: CORES[basename(process.cwd())] ?? ["src/**/*.ts", "!src/**/generated/**"],
  // Otherwise Stryker imports `typescript`, which has no API in version 7.
  tsconfigFile: "none",
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { reportTests: false },
  thresholds: { high: 90, low: 85, break: 85 },
};

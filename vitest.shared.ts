import { defineConfig } from "vitest/config";

// What the tests of all packages share. The limits only end what hangs: servers, child processes
// and browsers may take many seconds on a machine that does other things as well. Files share one
// set of modules, because loading Effect anew for each of them took longer than most tests: no test
// changes what another file could see.
export default defineConfig({
  test: {
    isolate: false,
    // Turbo runs packages side by side. A second worker would import all modules once more.
    maxWorkers: 1,
    // Node runs our TypeScript as it is, and keeps what it compiled for the next program.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests make much garbage. A larger young generation saves a tenth of their time, a collector
    // on one thread some more, since other tasks use the other cores.
    execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});

import { defineConfig } from "vitest/config";

// Real servers and child processes on shared machines: a slow answer is no failure, a missing one
// still is.
//
// No test changes what another file could see, and loading Effect anew for each file took longer
// than most of the tests.
export default defineConfig({ test: { testTimeout: 30_000, isolate: false } });

import { defineConfig } from "vitest/config";

// Real servers and child processes on shared machines: a slow answer is no failure, a missing one
// still is.
export default defineConfig({ test: { testTimeout: 30_000 } });

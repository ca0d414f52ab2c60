import { defineConfig } from "vitest/config";

// No test changes what another file could see, and loading three hundred modules for each of fifty
// files took longer than the tests.
// Programs are spawned: the limit has room for a machine that runs other things as well.
export default defineConfig({ test: { isolate: false, testTimeout: 30_000 } });

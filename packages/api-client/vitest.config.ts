import { defineConfig } from "vitest/config";

// No test changes what another file could see, and loading Effect anew for each file took as long
// as the tests.
export default defineConfig({ test: { isolate: false, testTimeout: 30_000 } });

import { defineConfig } from "vitest/config";

// No test changes what another file could see, and loading three hundred modules for each of fifty
// files took longer than the tests.
export default defineConfig({ test: { isolate: false } });

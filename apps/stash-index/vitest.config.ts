import { defineConfig } from "vitest/config";

// A browser, and a page that is built first, may take seconds on a busy machine.
export default defineConfig({
  test: { hookTimeout: 120_000, testTimeout: 60_000, expect: { poll: { timeout: 30_000 } } },
});

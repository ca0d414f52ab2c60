import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@game-data/cli",
    // Every test starts the real program several times.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

import { defineConfig } from "vitest/config";

// For stryker.config.mjs. Imports nothing of ours, because Stryker runs it in a copy of a package.
export default defineConfig({
  root: process.cwd(),
  oxc: { tsconfig: false },
  test: {
    experimental: { viteModuleRunner: false, nodeLoader: false },
    include: [process.env["MUTATION_TESTS"] ?? "test/**/*.test.ts"],
    exclude: ["**/*.long.test.ts", "**/node_modules/**"],
    maxWorkers: 1,
    testTimeout: 120_000,
  },
});

import { defineConfig } from "vitest/config";

// A browser on a busy machine may take seconds for what takes milliseconds otherwise.
export default defineConfig({ test: { expect: { poll: { timeout: 20_000 } } } });

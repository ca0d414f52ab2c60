import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

// Metrics are counted per process: each file begins with its own.
export default mergeConfig(shared, defineConfig({ test: { isolate: true } }));

import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

// Some files replace modules of the program: each has its own.
export default mergeConfig(shared, defineConfig({ test: { isolate: true } }));

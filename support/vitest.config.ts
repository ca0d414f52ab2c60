import { mergeConfig } from "vitest/config";
import shared from "../vitest.shared.ts";

// Packages in the folders below have projects of their own.
export default mergeConfig(shared, { test: { include: ["test/**/*.test.ts"] } });

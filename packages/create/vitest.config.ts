import { mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

// The tests of the templates are those of docs/examples, and run there.
export default mergeConfig(shared, { test: { include: ["test/**/*.test.ts"] } });

/**
 * Runs the tests of damaged and of hostile values with large numbers:
 * `node scripts/manyValues.ts [MUTANTS]`; 10 000 mutants by default.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const TESTS = ["mutants", "hostile"].map((name) => `test/${name}.test.ts`);
const [mutants = "10000"] = process.argv.slice(2);

const { status } = spawnSync("pnpm", ["exec", "vitest", "run", ...TESTS, "--testTimeout=300000"], {
  cwd: fileURLToPath(new URL("../", import.meta.url)),
  env: { CHANGES: "200000", MUTANTS: mutants, ...process.env },
  stdio: "inherit",
});
process.exitCode = status ?? 1;

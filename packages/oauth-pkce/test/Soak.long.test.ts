import { assert, it } from "vitest";
import { soak } from "../bench/soak.ts";

/** `scripts/ci.mjs` runs the program for longer. */
const SECONDS = 3;

it("C19: two processes of 200 fibers share one file store without a wasted refresh", async () => {
  const result = await soak(SECONDS);
  assert.deepStrictEqual(result.errors, {});
  assert.strictEqual(result.invalidGrants, 0);
  assert.strictEqual(result.refreshes, result.expiries);
  // Tokens live two seconds: how many ends that holds.
  assert.isAtLeast(result.refreshes, Math.floor(SECONDS / 2));
  assert.isAbove(result.calls, 1000);
});

import { assert, it } from "vitest";
import { soak } from "../bench/soak.ts";

it("C19: two processes of 200 fibers share one file store for five seconds without a wasted refresh", async () => {
  const result = await soak(5);
  assert.deepStrictEqual(result.errors, {});
  assert.strictEqual(result.invalidGrants, 0);
  assert.strictEqual(result.refreshes, result.expiries);
  // Five seconds hold two ends of tokens at least, of tokens that live two.
  assert.isAtLeast(result.refreshes, 2);
  assert.isAbove(result.calls, 1000);
});

import assert from "node:assert/strict";
import { test } from "node:test";

test("sends no request that gets a 429", async (t) => {
  const { mock } = t.mock.method(console, "log", () => undefined);
  await import("../src/main.ts");
  assert.deepEqual(mock.calls[1]?.arguments, ["statuses:", 200, 200, 200, 200, 200]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

test("gets no 429", async (t) => {
  const { mock } = t.mock.method(console, "log", () => undefined);
  await import("../src/main.ts");
  assert.deepEqual(mock.calls[1]?.arguments, ["statuses:", 200, 200, 200, 200, 200]);
});

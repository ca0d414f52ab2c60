import assert from "node:assert/strict";
import { test } from "node:test";

test("sends the deployment's word and reads the documented one", async (t) => {
  const { mock } = t.mock.method(console, "log", () => undefined);
  await import("../src/main.ts");
  assert.deepEqual(mock.calls[0]?.arguments, ["request:", "?realm=box"]);
  assert.equal(mock.calls[1]?.arguments.at(-1), "console_a");
});

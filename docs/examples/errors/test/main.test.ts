import assert from "node:assert/strict";
import { test } from "node:test";

test("explains why a refresh token is refused, and what to do", async (t) => {
  const { mock } = t.mock.method(console, "log", () => undefined);
  await import("../src/main.ts");
  assert.deepEqual(mock.calls[0]?.arguments, ["invalid_grant", 400]);
  assert.match(`${mock.calls[1]?.arguments[0]}`, /Sign in again/);
});

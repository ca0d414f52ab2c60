import assert from "node:assert/strict";
import { test } from "node:test";

test("reads the link in a message and writes a shorter one", async (t) => {
  const { mock } = t.mock.method(console, "log", () => undefined);
  await import("../src/main.ts");
  assert.deepEqual(
    mock.calls.map(({ arguments: [line] }) => line),
    [
      "witch, version 6, nodes 2151 4397",
      "https://www.example.com/passive-skill-tree/AAAABgMCAQhnAAG6GhEt",
    ],
  );
});

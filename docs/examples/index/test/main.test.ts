import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startSandbox } from "@game-data/sandbox";

test("finds the cheapest listings, and continues where it stopped", async (t) => {
  const sandbox = await startSandbox({ seed: 1 });
  const folder = process.cwd();
  t.after(async () => {
    process.chdir(folder);
    await sandbox.close();
  });
  const client = sandbox.clients.find(({ clientId }) => clientId === "example-service");
  Object.assign(process.env, {
    GAME_DATA_AUTH_URL: sandbox.authUrl,
    GAME_DATA_BASE_URL: sandbox.baseUrl,
    GAME_DATA_CLIENT_ID: client?.clientId,
    GAME_DATA_CLIENT_SECRET: client?.clientSecret,
  });
  process.chdir(mkdtempSync(join(tmpdir(), "index-")));
  const { mock } = t.mock.method(console, "table", () => undefined);
  for (const run of [1, 2]) await import(`../src/main.ts?${run}`);
  const [first, again] = mock.calls.map(({ arguments: [rows] }) => rows as Array<object>);
  assert.ok(first !== undefined && first.length > 0);
  assert.deepEqual(again, first);
});

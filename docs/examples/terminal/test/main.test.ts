import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startSandbox } from "@game-data/sandbox";

test("signs the user in and lists the characters", async (t) => {
  const sandbox = await startSandbox({ seed: 1 });
  const tokens = mkdtempSync(join(tmpdir(), "tokens-"));
  t.after(async () => {
    await sandbox.close();
    rmSync(tokens, { recursive: true });
  });
  Object.assign(process.env, {
    CI: "1",
    GAME_DATA_AUTH_URL: sandbox.authUrl,
    GAME_DATA_BASE_URL: sandbox.baseUrl,
    GAME_DATA_CLIENT_ID: "example-desktop",
    GAME_DATA_TOKENS: tokens,
  });
  // The user agrees on the consent page, and the browser follows the redirect.
  t.mock.method(process.stderr, "write", (text: string) => {
    const [url] = /https?:\S+/.exec(text) ?? [];
    if (url !== undefined) void sandbox.consent(url).then((redirect) => fetch(redirect));
    return true;
  });
  const { mock } = t.mock.method(console, "log", () => undefined);
  await import("../src/main.ts");
  assert.match(`${mock.calls[0]?.arguments[0]}`, /^\d+ \w+ \w+$/);
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createGameApi } from "@game-data/api-client/promise";
import { startSandbox } from "@game-data/sandbox";
import { strongest } from "../src/main.ts";

const sandbox = await startSandbox({ seed: 1 });
const api = createGameApi({
  baseUrl: sandbox.baseUrl,
  credentials: () => sandbox.token({ scopes: ["account:characters"] }),
  userAgent: { clientId: "my-tests", version: "1.0.0", contact: "me@example.com" },
});
after(async () => {
  await api.close();
  await sandbox.close();
});

test("names the strongest character", async () => {
  assert.match(await strongest(api), /^\w+ is at level \d+\.$/);
});

test("retries after the service fails once", async () => {
  const endpoint = "characters.list";
  await sandbox.fault({
    match: { endpoint },
    when: { count: 1 },
    fault: { kind: "status", status: 503 },
  });
  assert.match(await strongest(api), /is at level/);
  await sandbox.verify({ match: { endpoint }, status: 503, exactly: 1 });
});

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startSandbox } from "@game-data/sandbox";

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

/** A browser that keeps cookies and follows no redirect. */
const browserAt = (origin: string) => {
  const cookies = new Map<string, string>();
  return async (url: string, method = "GET"): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(new URL(url, origin), {
      method,
      headers: { cookie, origin },
      redirect: "manual",
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return response;
  };
};

test("shows the characters of the user who signs in", async (t) => {
  const sandbox = await startSandbox({ seed: 1 });
  Object.assign(process.env, {
    GAME_DATA_AUTH_URL: sandbox.authUrl,
    GAME_DATA_BASE_URL: sandbox.baseUrl,
    GAME_DATA_CLIENT_ID: "example-desktop",
    GAME_DATA_TOKENS: mkdtempSync(join(tmpdir(), "tokens-")),
    PORT: `${await freePort()}`,
  });
  const { origin, server } = await import("../src/main.ts");
  t.after(async () => {
    server.close();
    await sandbox.close();
  });
  const visit = browserAt(origin);
  assert.match(await (await visit("/")).text(), /Sign in/);
  const login = await visit("/auth/login?returnTo=/");
  const callback = await sandbox.consent(login.headers.get("location") ?? "");
  assert.equal((await visit(callback)).headers.get("location"), "/");
  assert.match(await (await visit("/")).text(), /<li>\d+ \w+/);
  assert.ok((await visit("/auth/logout", "POST")).status < 400);
  assert.match(await (await visit("/")).text(), /Sign in/);
});

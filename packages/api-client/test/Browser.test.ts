import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { CHROMIUM_ARGS, describeWithService } from "@game-data/test-support";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { userAgent, useSandbox } from "./sandbox.ts";

const PAGE = `
  import { createGameApi } from "./src/promise.ts";
  const report = (body) => fetch("/result", { method: "POST", body: JSON.stringify(body) });
  try {
    const { token, userAgent } = await (await fetch("/setup")).json();
    const api = createGameApi({ baseUrl: location.origin + "/api", credentials: token, userAgent });
    const profile = await api.profile.get();
    const nobody = await api.characters.get({ name: "Nobody" });
    const missing = await api.itemFilters.get({ id: "nope" }).catch((error) => error._tag);
    const page = await api.publicStashTabs.raw();
    let bytes = 0;
    for await (const chunk of page.bytes) bytes += chunk.length;
    await report({ name: profile.name, nobody, missing, bytes, encoding: page.encoding });
  } catch (error) { await report({ failed: String(error), stack: error.stack }); }
`;

const bundle = async () => {
  const resolveDir = fileURLToPath(new URL("..", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    logLevel: "error",
  });
  return outputFiles[0]!.text;
};

describeWithService("chromium", "in a browser's page", (chromium) => {
  const service = useSandbox();

  it("the client calls, decodes, streams and fails in a browser as in Node", async () => {
    const script = await bundle();
    const { promise: result, resolve: finish } = Promise.withResolvers<unknown>();
    // The page and the service are on one origin, because no deployment lets foreign pages in.
    const server = createServer(async (request, response) => {
      const url = request.url ?? "/";
      if (url.startsWith("/api/")) {
        const { authorization = "" } = request.headers;
        const address = service.sandbox.baseUrl + url.slice("/api".length);
        const answer = await fetch(address, { headers: { authorization } });
        const {
          "content-encoding": _,
          "content-length": __,
          ...headers
        } = Object.fromEntries(answer.headers);
        response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
      } else if (url === "/result") {
        finish(JSON.parse(await text(request)));
        response.end();
      } else if (url === "/setup") {
        response.end(JSON.stringify({ token: service.token, userAgent }));
      } else if (url === "/page.js") {
        response.writeHead(200, { "content-type": "text/javascript" }).end(script);
      } else {
        const page = '<!doctype html><script type="module" src="/page.js"></script>';
        response.writeHead(200, { "content-type": "text/html" }).end(page);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const profile = mkdtempSync(join(tmpdir(), "game-data-page-"));
    const args = [`--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`];
    const options = { stdio: "ignore", detached: true } as const;
    const browser = spawn(chromium, [...CHROMIUM_ARGS, ...args], options);
    const gone = new Promise<string>((resolve) =>
      browser.once("exit", (code) => resolve(`Chromium ended with ${code}`)),
    );
    try {
      expect(await Promise.race([result, gone])).toEqual({
        name: service.sandbox.accounts[0]?.name,
        nobody: null,
        missing: "NotFound",
        bytes: expect.any(Number),
        encoding: "identity",
      });
    } finally {
      // The browser is a family of processes: its group, which we started, ends as one.
      if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL");
      await gone;
      server.closeAllConnections();
      server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});

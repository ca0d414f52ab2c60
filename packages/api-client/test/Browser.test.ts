import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scopes } from "@game-data/contract";
import { createSandboxHandler } from "@game-data/sandbox";
import { CHROMIUM_ARGS, describeWithService } from "@game-data/test-support";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { userAgent } from "./sandbox.ts";

const PAGE = `
  import { createGameApi } from "./src/promise.ts";
  const report = (body) => fetch("/result", { method: "POST", body: JSON.stringify(body) });
  try {
    const { token, userAgent } = await (await fetch("/setup")).json();
    const api = await createGameApi({ baseUrl: location.origin + "/api", credentials: token, userAgent });
    const profile = await api.profile.get();
    const nobody = await api.characters.get({ name: "Nobody" });
    const missing = await api.itemFilters.get({ id: "nope" }).catch((error) => error._tag);
    const page = await api.publicStashTabs.raw();
    let bytes = 0;
    for await (const chunk of page.bytes) bytes += chunk.length;
    await report({ name: profile.name, nobody, missing, bytes, encoding: page.encoding });
  } catch (error) { await report({ failed: String(error), stack: error.stack }); }
`;

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

describeWithService("chromium", "in a browser's page", (chromium) => {
  it("calls, decodes, streams and fails as anywhere else", async () => {
    const bundled = await build({
      stdin: {
        contents: PAGE,
        resolveDir: fileURLToPath(new URL("..", import.meta.url)),
        loader: "ts",
      },
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      logLevel: "error",
    });
    const sandbox = await createSandboxHandler({ seed: 1 });
    const issued = await sandbox.fetch(
      new Request(`${sandbox.controlUrl}/tokens`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          clientId: "example-web",
          account: sandbox.accounts[0]?.name,
          scopes,
        }),
      }),
    );
    const { access_token: token } = (await issued.json()) as { readonly access_token: string };

    let finish: (result: unknown) => void = () => {};
    const result = new Promise<unknown>((resolve) => {
      finish = resolve;
    });
    // The page and the service on one origin: no deployment lets foreign pages in.
    const server = createServer((request, response) => {
      void (async () => {
        const url = request.url ?? "/";
        const body = await bodyOf(request);
        if (url.startsWith("/api/")) {
          const answer = await sandbox.fetch(
            new Request(`${sandbox.baseUrl}${url.slice("/api".length)}`, {
              method: request.method ?? "GET",
              headers: { authorization: request.headers.authorization ?? "" },
            }),
          );
          const headers = Object.fromEntries(answer.headers);
          delete headers["content-length"];
          response.writeHead(answer.status, headers);
          response.end(Buffer.from(await answer.arrayBuffer()));
        } else if (url === "/result") {
          response.end();
          finish(JSON.parse(body.toString()));
        } else if (url === "/setup") {
          response.end(JSON.stringify({ token, userAgent }));
        } else if (url === "/page.js") {
          response.writeHead(200, { "content-type": "text/javascript" });
          response.end(bundled.outputFiles[0]?.contents);
        } else {
          response.writeHead(200, { "content-type": "text/html" });
          response.end('<!doctype html><script type="module" src="/page.js"></script>');
        }
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const profile = mkdtempSync(join(tmpdir(), "game-data-page-"));
    const browser = spawn(
      chromium,
      [
        ...CHROMIUM_ARGS,
        "--disable-extensions",
        "--password-store=basic",
        `--user-data-dir=${profile}`,
        `http://127.0.0.1:${port}/`,
      ],
      { stdio: "ignore", detached: true },
    );
    const gone = new Promise<string>((resolve) =>
      browser.once("exit", (code) => resolve(`Chromium ended with ${code}`)),
    );
    try {
      expect(await Promise.race([result, gone])).toEqual({
        name: sandbox.accounts[0]?.name,
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
      await sandbox.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});

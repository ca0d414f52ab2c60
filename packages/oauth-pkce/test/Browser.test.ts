/** The core in a browser: what works there, works; what a browser hides, stays safe. */
import type { RequestListener } from "node:http";
import { describeWithService } from "@game-data/test-support";
import { build } from "esbuild";
import { assert, beforeAll, it } from "vitest";
import { useChromium } from "./chromium.ts";
import { tokenBody } from "./FakeServer.ts";

/** The page runs everything but `./node`, as a page's bundler would take it. */
const PAGE = `
import { createPublicOAuth, reveal } from "../src/promise/index.ts";
globalThis.signIn = async (authUrl) => {
  const oauth = createPublicOAuth({ authUrl, clientId: "page", redirectUri: "http://127.0.0.1/callback",
  });
  const { url, pending } = await oauth.start({ scopes: ["account:profile"] });
  const query = new URL(url).searchParams;
  const callback = await oauth.validateCallback(pending, "?code=c&state=" + query.get("state"));
  try {
    const tokens = await oauth.exchange(callback);
    return { challenge: query.get("code_challenge"), verifier: reveal(pending.verifier), username: tokens.username };
  } catch (error) {
    return { tag: error._tag, message: error.message };
  }
};
`;

interface Outcome {
  readonly challenge?: string;
  readonly verifier?: string;
  readonly username?: string;
  readonly tag?: string;
}

describeWithService("chromium", "in Chromium", (executablePath) => {
  const { chrome, serve } = useChromium(executablePath);

  const signIn = (url: string): Promise<Outcome> =>
    chrome.page.evaluate(
      (authUrl) =>
        (globalThis as unknown as { signIn: (url: string) => Promise<Outcome> }).signIn(authUrl),
      url,
    );

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: PAGE, resolveDir: import.meta.dirname, loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "es2024",
      write: false,
    });
    const script = outputFiles[0]!.text;
    const url = await serve((request, response) => {
      if (request.url === "/page.js") {
        response.setHeader("content-type", "text/javascript");
        response.end(script);
      } else {
        response.setHeader("content-type", "text/html");
        // A cookie of the page's own host, which must not travel to the OAuth server.
        response.setHeader("set-cookie", "session=SENTINEL; SameSite=Lax");
        response.end('<!doctype html><script type="module" src="/page.js"></script>');
      }
    });
    await chrome.page.goto(url);
    await chrome.page.waitForFunction("globalThis.signIn !== undefined");
  });

  const allowing =
    (reply: RequestListener): RequestListener =>
    (request, response) => {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "*");
      if (request.method === "OPTIONS") response.end();
      else reply(request, response);
    };

  it("makes S256 challenges with the browser's own crypto, and exchanges a code [CL-01, CL-03]", async () => {
    const cookies: Array<string | undefined> = [];
    const url = await serve(
      allowing((request, response) => {
        cookies.push(request.headers.cookie);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(tokenBody()));
      }),
    );
    const { verifier, challenge, username } = await signIn(url);
    const { createHash } = await import("node:crypto");
    assert.match(verifier!, /^[\w-]{43}$/);
    assert.strictEqual(challenge, createHash("sha256").update(verifier!).digest("base64url"));
    assert.strictEqual(username, "Account");
    // C12: no cookies, though page and server share a host.
    assert.deepStrictEqual(cookies, [undefined]);
  });

  it("a redirect that the browser hides is refused, and nothing arrives at its target", async () => {
    let arrived = 0;
    const elsewhere = await serve(
      allowing((_, response) => {
        arrived += 1;
        response.end(JSON.stringify(tokenBody()));
      }),
    );
    const url = await serve(
      allowing((_, response) => {
        response.writeHead(307, { location: `${elsewhere}/oauth/token` }).end();
      }),
    );
    assert.strictEqual((await signIn(url)).tag, "UnexpectedRedirect");
    assert.strictEqual(arrived, 0);
  });

  it("a server that forbids the page is a OAuthTransportError error without details", async () => {
    const url = await serve((_, response) => response.writeHead(500).end("SENTINEL"));
    const outcome = await signIn(url);
    assert.strictEqual(outcome.tag, "OAuthTransportError");
    assert.notInclude(JSON.stringify(outcome), "SENTINEL");
  });
});

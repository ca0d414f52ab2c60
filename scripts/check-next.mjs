// Signs in to a Next application: a production build of the recipe in docs/guides/web-sign-in.md,
// with the packed packages, against a sandbox. Throws when a step of the story ends differently.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { root, run, withConsumer } from "./consumer.mjs";

const DEPENDENCIES = { next: "16.4.6", react: "19.2.7", "react-dom": "19.2.7" };
const START_TIMEOUT_MS = 60_000;

const ROUTES = `import { toNext } from "@game-data/oauth-pkce/web";
import { signIn } from "PATH/lib/signIn.js";
export const { GET, HEAD, POST } = toNext(signIn);
`;

const FILES = {
  "lib/signIn.js": `import { createPublicOAuth, memoryStore } from "@game-data/oauth-pkce/promise";
import { createSignIn } from "@game-data/oauth-pkce/web";
const make = () => {
  const { client } = createPublicOAuth({
    authUrl: process.env.AUTH_URL,
    clientId: process.env.CLIENT_ID,
    redirectUri: process.env.REDIRECT_URI,
  });
  const keys = { current: "k", keys: { k: crypto.getRandomValues(new Uint8Array(32)) } };
  return createSignIn({ client, scopes: ["account:profile"], store: memoryStore(), keys });
};
export const signIn = () => (globalThis.gameDataSignIn ??= make());
`,
  "app/auth/[...all]/route.js": ROUTES.replace("PATH", "../../.."),
  "app/callback/route.js": ROUTES.replace("PATH", "../.."),
  "app/me/route.js": `import { signIn } from "../../lib/signIn.js";
export const GET = async (request) => {
  const state = await (await signIn()).user(request);
  return new Response(state._tag === "SignedIn" ? state.user.username : "nobody");
};
`,
  // A server component has no request.
  "app/component/page.js": `import { cookies, headers } from "next/headers";
import { signIn } from "../../lib/signIn.js";
const nameOf = (state) => (state._tag === "SignedIn" ? state.user.username : state._tag);
export default async function Page() {
  // First of all: it tells Next that the page is made for each request.
  const inputs = [await headers(), await cookies()];
  const { user } = await signIn();
  const names = [nameOf(await user(inputs[0])), nameOf(await user(inputs[1]))];
  return <p>{names.join()}</p>;
}
`,
  "app/layout.js": `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
  "app/page.js": `export default function Page() {
  return <a href="/auth/login?returnTo=/me">Sign in</a>;
}
`,
};

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
};

/** A browser that keeps cookies and follows nothing. */
const makeBrowser = (origin, cookies = new Map()) => ({
  cookies,
  copy: () => makeBrowser(origin, new Map(cookies)),
  async visit(path, { headers, method } = {}) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const url = new URL(path, origin);
    const response = await fetch(url, {
      method: method ?? "GET",
      redirect: "manual",
      headers: { cookie, ...headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(";");
      const at = pair.indexOf("=");
      if (line.includes("Max-Age=0")) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  },
});

const whoami = async (browser) => (await browser.visit("/me")).text();

const story = async (origin, sandbox) => {
  const decide = async (url) => {
    const response = await fetch(`${sandbox.controlUrl}/authorize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url, account: sandbox.accounts[0].name }),
    });
    const { redirect } = await response.json();
    const { pathname, search } = new URL(redirect);
    return pathname + search;
  };
  const open = () => makeBrowser(origin);
  const consent = async (browser, login = "/auth/login") =>
    decide((await browser.visit(login)).headers.get("location"));
  const steps = {
    "the page links to the login": async () => {
      assert.match(await (await open().visit("/")).text(), /href="\/auth\/login/);
    },
    "signs in, keeps the path, signs out": async () => {
      const browser = open();
      assert.equal(await whoami(browser), "nobody");
      const back = await browser.visit(await consent(browser, "/auth/login?returnTo=/me%3Fa%3D1"));
      assert.deepEqual([back.status, back.headers.get("location")], [303, "/me?a=1"]);
      const { name } = sandbox.accounts[0];
      assert.equal(await whoami(browser), name);
      assert.ok((await (await browser.visit("/component")).text()).includes(`${name},${name}`));
      const cross = { method: "POST", headers: { "sec-fetch-site": "cross-site" } };
      assert.equal((await browser.visit("/auth/logout", cross)).status, 403);
      assert.equal((await browser.visit("/auth/logout")).status, 405);
      const own = { method: "POST", headers: { "sec-fetch-site": "same-origin" } };
      assert.equal((await browser.visit("/auth/logout", own)).status, 303);
      assert.equal(await whoami(browser), "nobody");
    },
    "keeps two tabs and nine flows apart, and joins a reload": async () => {
      const browser = open();
      const one = await consent(browser, "/auth/login?returnTo=/one");
      const two = await consent(browser, "/auth/login?returnTo=/two");
      const reload = browser.copy();
      const both = await Promise.all([browser.visit(two), reload.visit(two)]);
      for (const { headers } of both) assert.equal(headers.get("location"), "/two");
      assert.equal((await browser.visit(one)).headers.get("location"), "/one");
      for (let tab = 0; tab < 9; tab++) await browser.visit("/auth/login");
      assert.ok(browser.cookies.size <= 6);
    },
    "refuses what a browser did not begin, and what no person asked for": async () => {
      const browser = open();
      assert.equal((await browser.visit(await consent(open()))).status, 400);
      const own = await consent(browser);
      assert.equal((await browser.visit(own, { method: "HEAD" })).status, 405);
      const image = { headers: { "sec-fetch-dest": "image" } };
      assert.equal((await browser.visit(own, image)).status, 403);
      const prefetch = { headers: { "sec-purpose": "prefetch" } };
      assert.equal((await browser.visit("/auth/login", prefetch)).status, 503);
      assert.equal((await browser.visit(own)).status, 303);
      const evil = await consent(open(), "/auth/login?returnTo=//evil.example");
      assert.ok(evil.startsWith("/callback?"));
    },
    "sets cookies apart, and keeps responses out of caches": async () => {
      const login = await open().visit("/auth/login");
      assert.equal(login.headers.get("cache-control"), "no-store");
      assert.match(login.headers.getSetCookie()[0], /^__Host-gd_[\w-]{6}_f_.*Secure.*SameSite=Lax/);
    },
  };
  for (const [name, step] of Object.entries(steps)) {
    await step();
    console.log(`ok    ${name}`);
  }
};

const sandboxProgram = ["packages/sandbox/src/main.ts", "--port", "0", "--seed", "1"];
const sandboxProcess = spawn(process.execPath, sandboxProgram, {
  cwd: root,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [ready] = await once(createInterface({ input: sandboxProcess.stdout }), "line");
  const sandbox = JSON.parse(ready);
  await withConsumer(DEPENDENCIES, async (folder) => {
    for (const [file, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    process.env.NEXT_TELEMETRY_DISABLED = "1";
    const next = join("node_modules", "next", "dist", "bin", "next");
    run(folder, process.execPath, next, "build");
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const { clientId } = sandbox.clients.find(({ kind }) => kind === "public");
    const server = spawn(
      process.execPath,
      [next, "start", "--port", `${port}`, "--hostname", "127.0.0.1"],
      {
        cwd: folder,
        stdio: "inherit",
        env: {
          ...process.env,
          AUTH_URL: sandbox.authUrl,
          CLIENT_ID: clientId,
          REDIRECT_URI: `${origin}/callback`,
        },
      },
    );
    try {
      const deadline = performance.now() + START_TIMEOUT_MS;
      while (!(await fetch(origin).catch(() => undefined))?.ok) {
        if (performance.now() > deadline) throw new Error("Next did not start");
        await sleep(200);
      }
      await story(origin, sandbox);
    } finally {
      const gone = once(server, "exit");
      server.kill("SIGTERM");
      await gone;
    }
  });
} finally {
  sandboxProcess.kill("SIGTERM");
}

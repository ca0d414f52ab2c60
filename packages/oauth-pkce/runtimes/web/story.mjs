// The story of a browser that signs in to an application which a framework serves in production: the
// packed packages in a project of somebody else, a sandbox as the service. Throws when a step of
// the story ends differently. For next.mjs and sveltekit.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run, withConsumer, withSandbox } from "../../../../support/src/packed.mjs";
import { freePort } from "../../../../support/src/Network.ts";

const START_TIMEOUT_MS = 60_000;

/** The sign-in of an application, made by the first request: the build runs that file, too. */
export const SIGN_IN = `import { createPublicOAuth, memoryStore } from "@game-data/oauth-pkce/promise";
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
`;

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

/** The steps of the story: a browser signs in, out, and wrongly. */
const STEPS = {
  "the page links to the login": async ({ open }) => {
    assert.match(await (await open().visit("/")).text(), /href="\/auth\/login/);
  },
  "signs in, keeps the path, signs out": async ({ consent, more, name, open, origin }) => {
    const browser = open();
    assert.equal(await whoami(browser), "nobody");
    const back = await browser.visit(await consent(browser, "/auth/login?returnTo=/me%3Fa%3D1"));
    assert.deepEqual([back.status, back.headers.get("location")], [303, "/me?a=1"]);
    assert.equal(await whoami(browser), name);
    await more?.(browser, name);
    const cross = { method: "POST", headers: { "sec-fetch-site": "cross-site" } };
    assert.equal((await browser.visit("/auth/logout", cross)).status, 403);
    assert.equal((await browser.visit("/auth/logout")).status, 405);
    // As browsers do; SvelteKit refuses a POST without its own origin.
    const own = { method: "POST", headers: { "sec-fetch-site": "same-origin", origin } };
    assert.equal((await browser.visit("/auth/logout", own)).status, 303);
    assert.equal(await whoami(browser), "nobody");
  },
  "keeps two tabs apart, joins a reload, and drops the oldest of forty flows": async ({
    consent,
    open,
  }) => {
    const browser = open();
    const one = await consent(browser, "/auth/login?returnTo=/one");
    const two = await consent(browser, "/auth/login?returnTo=/two");
    const reload = browser.copy();
    const both = await Promise.all([browser.visit(two), reload.visit(two)]);
    for (const { headers } of both) assert.equal(headers.get("location"), "/two");
    assert.equal((await browser.visit(one)).headers.get("location"), "/one");
    for (let tab = 0; tab < 40; tab++) await browser.visit("/auth/login");
    // Node and proxies in front of it refuse headers of 8 or 16 kB.
    const header = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    assert.ok(header.length > 3_000 && header.length < 6_500, `${header.length} characters`);
  },
  "refuses what a browser did not begin, and what no person asked for": async ({
    consent,
    open,
  }) => {
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
  "sets cookies apart, and keeps responses out of caches": async ({ open }) => {
    const login = await open().visit("/auth/login");
    assert.equal(login.headers.get("cache-control"), "no-store");
    assert.match(login.headers.getSetCookie()[0], /^__Host-gd_[\w-]{6}_f_.*Secure.*SameSite=Lax/);
  },
};

/** Tells the story at an origin; prints each step that ended as it should. */
const tellStory = async (origin, sandbox, more) => {
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
  for (const [title, step] of Object.entries(STEPS)) {
    await step({ consent, more, name: sandbox.accounts[0].name, open, origin });
    console.log(`ok    ${title}`);
  }
};

/**
 * Builds the application of `files`, starts it, and tells the story. `build` is a command of its
 * project, `start` makes the command of its server at a port; `more` is asked for the signed-in
 * browser's further pages.
 */
export const checkFramework = ({ build, dependencies, environment, files, more, start }) =>
  withSandbox((line) =>
    withConsumer(dependencies, async (folder) => {
      const sandbox = JSON.parse(line);
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), text);
      }
      const port = await freePort();
      const origin = `http://127.0.0.1:${port}`;
      // For builds that hold the origin.
      process.env.APP_ORIGIN = origin;
      run(folder, process.execPath, ...build);
      const { clientId } = sandbox.clients.find(({ kind }) => kind === "public");
      const server = spawn(process.execPath, start(port), {
        cwd: folder,
        stdio: "inherit",
        env: {
          ...process.env,
          AUTH_URL: sandbox.authUrl,
          CLIENT_ID: clientId,
          REDIRECT_URI: `${origin}/callback`,
          ...environment?.(port),
        },
      });
      try {
        const deadline = performance.now() + START_TIMEOUT_MS;
        while (!(await fetch(origin).catch(() => undefined))?.ok) {
          if (performance.now() > deadline) throw new Error("the server did not start");
          await sleep(200);
        }
        await tellStory(origin, sandbox, more);
      } finally {
        const gone = once(server, "exit");
        server.kill("SIGTERM");
        await gone;
      }
    }),
  );

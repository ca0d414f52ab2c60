/** What attackers, link scanners and caches try: one block for each property of the sign-in. */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { inspect } from "node:util";
import { assert, describe, it } from "vitest";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import { Browser, makeApp, ORIGIN, sessionCookie, useApp, whoami, withApp } from "./app.ts";

const { oauth, open } = useApp();
const OTHER = "http://127.0.0.1:9090";

it("the sign-in refuses a callback of a flow that this browser did not begin", async () => {
  const { browser, other } = await open();
  const planted = await other.consent();
  const response = await browser.visit(planted);
  assert.strictEqual(response.status, 400);
  assert.deepStrictEqual(response.headers.getSetCookie(), []);
  assert.strictEqual(oauth.state.exchanges, 0);
  // The flow is still good where it began.
  assert.strictEqual((await other.visit(planted)).status, 303);
});

it("logout ends the session only if a page of the same origin sent the request", async () => {
  const { browser } = await open();
  await browser.signIn();
  const refused: ReadonlyArray<Record<string, string>> = [
    {},
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: ORIGIN, "sec-fetch-site": "cross-site" },
  ];
  for (const headers of refused) {
    const response = await browser.visit("/auth/logout", { method: "POST", headers });
    assert.strictEqual(response.status, 403, JSON.stringify(headers));
  }
  assert.strictEqual((await browser.visit("/auth/logout")).status, 405);
  assert.strictEqual(await whoami(browser), "Account");
  // A page under `no-referrer` posts `Origin: null`, and old browsers send the origin alone.
  for (const headers of [{ origin: "null", "sec-fetch-site": "same-origin" }, { origin: ORIGIN }]) {
    await browser.signIn();
    const thief = browser.copy();
    const response = await browser.visit("/auth/logout", { method: "POST", headers });
    assert.strictEqual(response.status, 303);
    assert.strictEqual(await whoami(browser), "nobody");
    assert.strictEqual(await whoami(thief), "nobody");
  }
});

describe("fixation", () => {
  it("sign-in makes a new session id at every sign-in, and ends the old one", async () => {
    const { browser } = await open();
    await browser.signIn();
    const thief = browser.copy();
    const before = browser.cookies.get(sessionCookie(browser));
    await browser.signIn();
    assert.notStrictEqual(browser.cookies.get(sessionCookie(browser)), before);
    assert.strictEqual(await whoami(thief), "nobody");
    assert.strictEqual(await whoami(browser), "Account");
  });

  it("the sign-in ignores a session cookie that the visitor made up", async () => {
    const { browser } = await open();
    await browser.signIn();
    const name = sessionCookie(browser);
    const secret = browser.cookies.get(name)!;
    const made = [`${secret}.`, secret.slice(1), `${secret}A`, "A".repeat(43)];
    for (const id of [...made, "__proto__", "'; drop table", "A".repeat(5000)]) {
      browser.cookies.set(name, id);
      assert.strictEqual(await whoami(browser), "nobody");
    }
  });
});

it("login and callback refuse requests of an image, a frame or a script", async () => {
  const { browser } = await open();
  const path = await browser.consent();
  for (const destination of ["image", "iframe", "empty", "script"]) {
    const headers = { "sec-fetch-dest": destination };
    assert.strictEqual((await browser.visit("/auth/login", { headers })).status, 403);
    assert.strictEqual((await browser.visit(path, { headers })).status, 403);
  }
  const headers = { "sec-fetch-dest": "document" };
  assert.strictEqual((await browser.visit(path, { headers })).status, 303);
});

it("a HEAD of the callback uses up no code, and a prefetch of login begins no flow", async () => {
  const { browser } = await open();
  const path = await browser.consent();
  const head = await browser.visit(path, { method: "HEAD" });
  assert.deepStrictEqual([head.status, head.headers.get("allow")], [405, "GET"]);
  for (const headers of [
    { "sec-purpose": "prefetch" },
    { "sec-purpose": "prefetch;prerender" },
    { "sec-purpose": "prerender" },
    { purpose: "prefetch" },
  ] as const) {
    const response = await browser.visit("/auth/login", { headers });
    assert.strictEqual(response.status, 503);
    assert.deepStrictEqual(response.headers.getSetCookie(), []);
  }
  assert.strictEqual((await browser.visit(path)).status, 303);
});

it("the sign-in takes scheme, host and paths from its options, and logs a callback at another host", async () => {
  const logged: Array<string> = [];
  const { app } = await open({ log: (line) => logged.push(line) });
  const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
  const moved = await app.handle(
    new Request("http://evil.example/auth/login?returnTo=/a%3Fb", { headers }),
  );
  assert.strictEqual(moved!.status, 303);
  const target = moved!.headers.get("location")!;
  assert.strictEqual(target, `${ORIGIN}/auth/login?moved=&returnTo=%2Fa%3Fb`);
  // A proxy that rewrites `Host` makes no loop.
  const response = await app.handle(new Request(target, { headers }));
  const location = new URL(response!.headers.get("location")!);
  assert.strictEqual(location.searchParams.get("redirect_uri"), `${ORIGIN}/callback`);
  assert.notInclude(location.href, "evil");
  // This browser has no flow there.
  const callback = new Request("http://evil.example/callback?code=x&state=y", { headers });
  assert.strictEqual((await app.handle(callback))?.status, 400);
  assert.match(logged.join(), /another host than http:\/\/127\.0\.0\.1:8080/);
});

it("two sign-ins on one store and host are separate if their origins differ", async () => {
  const store = memoryStore();
  const [here, there] = [await makeApp(oauth, { store }), await makeApp(oauth, { store }, OTHER)];
  const browser = new Browser(withApp(here));
  await browser.signIn();
  assert.strictEqual(await whoami(browser), "Account");
  assert.strictEqual(await whoami(browser.copy(withApp(there))), "nobody");
});

it("open redirect: `returnTo` leads to no other origin", async () => {
  const { browser } = await open();
  for (const evil of ["//evil.example", "/\t/evil.example"]) {
    const login = `/auth/login?returnTo=${encodeURIComponent(evil)}`;
    assert.strictEqual((await browser.signIn(login)).headers.get("location"), "/");
  }
  const path = await browser.consent("/auth/login?returnTo=/app/1");
  const response = await browser.visit(`${path}&returnTo=/admin`);
  assert.strictEqual(response.headers.get("location"), "/app/1");
});

it("the sign-in sets __Host- cookies that scripts and other sites cannot read", async () => {
  const { browser } = await open();
  const login = await browser.visit("/auth/login");
  const callback = await new Browser(withApp((await open()).app)).signIn();
  const lines = [...login.headers.getSetCookie(), ...callback.headers.getSetCookie()];
  assert.strictEqual(lines.length, 2);
  for (const line of lines) {
    assert.match(line, /^__Host-gd_[\w-]{6}_(f_[\w-]{22}_\w+|s)=/);
    for (const attribute of ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"])
      assert.include(line.split("; "), attribute);
    assert.notInclude(line, "Domain");
  }
  assert.include(lines[0], "Max-Age=600");
  const [, age] = /Max-Age=(\d+)/.exec(lines[1]!)!;
  assert.closeTo(Number(age), Lifetimes.refreshToken.public, 9);
});

it("responses of the sign-in have headers against caches, frames and referrers", async () => {
  const { browser } = await open();
  const responses = [
    await browser.visit("/auth/login"),
    await browser.signIn(),
    await browser.visit("/callback?code=x&state=y", { headers: { cookie: "" } }),
    await browser.visit("/auth/logout"),
    await browser.visit("/auth/login", { method: "HEAD" }),
  ];
  for (const { headers } of responses) {
    assert.strictEqual(headers.get("cache-control"), "no-store");
    assert.strictEqual(headers.get("referrer-policy"), "no-referrer");
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff");
    assert.include(headers.get("content-security-policy"), "default-src 'none'");
  }
});

it("the sign-in shows no token in cookies, responses, logs or a dump of the store", async () => {
  const entries: Array<string> = [];
  const memory = memoryStore();
  const spy: Backend = {
    read: memory.read,
    write: (key, expected, next) => {
      entries.push(key, next?.text ?? "");
      return memory.write(key, expected, next);
    },
  };
  const logged: Array<string> = [];
  const { app, browser } = await open({ store: spy, log: (line) => logged.push(line) });
  const path = await browser.consent();
  const response = await browser.visit(path);
  oauth.state.status = 503;
  oauth.state.body = { error: "x", error_description: "refresh-sentinel-1" };
  const failed = await browser.signIn();
  const seen = [
    ...entries,
    ...logged,
    inspect(response.headers),
    await failed.text(),
    inspect([...browser.cookies]),
    inspect(app, { depth: 9 }),
  ].join("\n");
  const state = new URLSearchParams(path.split("?")[1]).get("state")!;
  const id = browser.cookies.get(sessionCookie(browser))!;
  assert.notInclude(seen, "sentinel");
  assert.notInclude(entries.join(), state);
  assert.notInclude(entries.join(), id);
});

describe("reload-during-exchange", () => {
  it("a reload of the callback waits for the running code exchange", async () => {
    const { browser } = await open();
    oauth.state.delayMillis = 100;
    const path = await browser.consent();
    const reload = browser.copy();
    const responses = await Promise.all([browser.visit(path), reload.visit(path)]);
    assert.deepStrictEqual(
      responses.map(({ status }) => status),
      [303, 303],
    );
    assert.strictEqual(oauth.state.exchanges, 1);
    assert.strictEqual(
      browser.cookies.get(sessionCookie(browser)),
      reload.cookies.get(sessionCookie(reload)),
    );
  });

  it("a callback that is loaded again redirects a signed-in browser, and answers 400 to another browser", async () => {
    const { browser, other } = await open();
    const path = await browser.consent();
    await browser.visit(path);
    for (const name of browser.cookies.keys())
      if (name.includes("_f_")) browser.cookies.delete(name);
    assert.strictEqual((await browser.visit(path)).headers.get("location"), "/");
    assert.strictEqual((await other.visit(path)).status, 400);
    assert.strictEqual(oauth.state.exchanges, 1);
  });
});

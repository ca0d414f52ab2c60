/** The rules of the web sign-in, one test each, named after them. */
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest";
import { inspect } from "node:util";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import { createSignIn } from "../../src/web/index.ts";
import {
  Browser,
  KEYS,
  makeApp,
  ORIGIN,
  startOAuthServer,
  withApp,
  type OAuthServer,
} from "./app.ts";

let oauth: OAuthServer;
beforeAll(async () => {
  oauth = await startOAuthServer();
});
afterAll(() => oauth.close());
beforeEach(() => {
  Object.assign(oauth.state, {
    exchanges: 0,
    revoked: [],
    delayMillis: 0,
    status: 200,
    body: undefined,
    scope: "account:characters",
    expiresIn: 3600,
  });
});

const open = async (options: Parameters<typeof makeApp>[1] = {}) => {
  const app = await makeApp(oauth, options);
  return { app, browser: new Browser(withApp(app)), other: new Browser(withApp(app)) };
};

const whoami = async (browser: Browser) => (await browser.visit("/me")).text();

describe("signing in", () => {
  it("leads to the kept path, signed in", async () => {
    const { browser } = await open();
    const response = await browser.signIn("/auth/login?returnTo=/guild%3Ftab%3D1");
    assert.strictEqual(response.status, 303);
    assert.strictEqual(response.headers.get("location"), "/guild?tab=1");
    assert.strictEqual(await whoami(browser), "Account");
  });

  it("gives the user's fresh token to the application", async () => {
    const { app, browser } = await open();
    await browser.signIn();
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const user = await app.session(new Request(ORIGIN, { headers: { cookie } }));
    assert.strictEqual(user?.sub, "3f1f4c5e-0000-4000-8000-000000000001");
    assert.strictEqual(await user?.withFreshToken(async (token) => token), "access-sentinel-1");
    await app.close();
  });

  it("keeps several tabs apart, and drops the oldest flow beyond five", async () => {
    const { browser } = await open();
    const flows: Array<string> = [];
    for (let tab = 0; tab < 9; tab++)
      flows.push(await browser.consent(`/auth/login?returnTo=/${tab}`));
    assert.strictEqual(browser.cookies.size, 5);
    const header = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    assert.isBelow(header.length, 6_000);
    assert.strictEqual((await browser.visit(flows[0]!)).status, 400);
    const last = await browser.visit(flows[8]!);
    assert.strictEqual(last.headers.get("location"), "/8");
  });

  it("says nothing of what arrived on its error page", async () => {
    const { browser } = await open();
    const denied = await browser.visit(
      await browser.consent("/auth/login", {
        error: "access_denied",
        error_description: "<script>x</script>",
      }),
    );
    assert.strictEqual(denied.status, 403);
    const page = await denied.text();
    assert.include(page, "You did not allow access.");
    assert.notInclude(page, "script");
    assert.include(page, 'href="/auth/login"');
    assert.strictEqual(await whoami(browser), "nobody");
  });

  it("tells an outage from an expired code and from a broken registration", async () => {
    const { browser } = await open();
    oauth.state.status = 503;
    const outage = await browser.signIn();
    assert.strictEqual(outage.status, 503);
    assert.strictEqual(outage.headers.get("retry-after"), "17");
    oauth.state.status = 400;
    oauth.state.body = { error: "invalid_grant" };
    assert.strictEqual((await browser.signIn()).status, 400);
    oauth.state.status = 401;
    oauth.state.body = { error: "invalid_client" };
    assert.strictEqual((await browser.signIn()).status, 500);
  });

  it("lets the application answer, and logs what users cannot mend", async () => {
    const logged: Array<string> = [];
    const { browser } = await open({
      log: (message) => logged.push(message),
      onError: (error) => Response.json({ tag: error._tag }, { status: 418 }),
    });
    oauth.state.status = 401;
    oauth.state.body = { error: "invalid_client", error_description: "refresh-sentinel" };
    const response = await browser.signIn();
    assert.deepStrictEqual(await response.json(), { tag: "InvalidClient" });
    assert.strictEqual(logged.length, 1);
  });

  it("fails at the start without usable keys or a redirect URI", async () => {
    for (const options of [
      { keys: { current: "none", keys: KEYS.keys } },
      { keys: { current: "a", keys: { a: new Uint8Array(3) } } },
      { base: "//evil.example" },
    ])
      await makeApp(oauth, options).then(
        () => assert.fail("it was made"),
        (error) => assert.strictEqual(error._tag, "ConfigurationInvalid"),
      );
    assert.isFunction(createSignIn);
  });
});

describe("login-csrf", () => {
  it("refuses a callback of a flow that this browser did not begin", async () => {
    const { browser, other } = await open();
    const planted = await other.consent();
    const response = await browser.visit(planted);
    assert.strictEqual(response.status, 400);
    assert.deepStrictEqual(response.headers.getSetCookie(), []);
    assert.strictEqual(oauth.state.exchanges, 0);
    // The flow is still good where it began.
    assert.strictEqual((await other.visit(planted)).status, 303);
  });
});

describe("fixation", () => {
  it("makes a new session id at every sign-in, and ends the old one", async () => {
    const { browser } = await open();
    await browser.signIn();
    const thief = browser.copy();
    const before = browser.cookies.get("__Host-gd_session");
    await browser.signIn();
    assert.notStrictEqual(browser.cookies.get("__Host-gd_session"), before);
    assert.strictEqual(await whoami(thief), "nobody");
    assert.strictEqual(await whoami(browser), "Account");
  });

  it("ignores a session id of the visitor's own making", async () => {
    const { browser } = await open();
    for (const id of ["A".repeat(43), "__proto__", "'; drop table", "A".repeat(5000)]) {
      browser.cookies.set("__Host-gd_session", id);
      assert.strictEqual(await whoami(browser), "nobody");
    }
  });
});

describe("flow-once-across-servers", () => {
  it("exchanges once, and gives all servers' requests the same session", async () => {
    const store = memoryStore();
    const one = await makeApp(oauth, { store });
    const two = await makeApp(oauth, { store });
    oauth.state.delayMillis = 150;
    const browser = new Browser(withApp(one));
    const path = await browser.consent();
    const same = browser.copy(withApp(two));
    const [first, second] = await Promise.all([browser.visit(path), same.visit(path)]);
    assert.deepStrictEqual([first.status, second.status], [303, 303]);
    assert.strictEqual(oauth.state.exchanges, 1);
    assert.deepStrictEqual(
      browser.cookies.get("__Host-gd_session"),
      same.cookies.get("__Host-gd_session"),
    );
    // Later, too, for whoever still has the flow's cookie.
    const later = browser.copy(withApp(two));
    assert.strictEqual((await later.visit(path)).headers.get("location"), "/");
    assert.strictEqual(oauth.state.exchanges, 1);
  });
});

describe("reload-during-exchange", () => {
  it("joins the exchange under way", async () => {
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
      browser.cookies.get("__Host-gd_session"),
      reload.cookies.get("__Host-gd_session"),
    );
  });

  it("sends a signed-in user inside after Back, and shows others the page", async () => {
    const { browser, other } = await open();
    const path = await browser.consent();
    await browser.visit(path);
    for (const name of browser.cookies.keys())
      if (name.includes("flow")) browser.cookies.delete(name);
    assert.strictEqual((await browser.visit(path)).status, 303);
    assert.strictEqual((await other.visit(path)).status, 400);
    assert.strictEqual(oauth.state.exchanges, 1);
  });
});

describe("open-redirect", () => {
  it("never leaves the origin, over 200,000 made-up targets", async () => {
    const { browser } = await open();
    const pieces = [
      "/",
      "\\",
      "//",
      "evil.example",
      "https:",
      "javascript:",
      "@",
      ".",
      "..",
      "%2f",
      "%5c",
      "\t",
      "\n",
      " ",
      "?",
      "#",
      "a",
      ":",
      "\u0000",
      "．",
      "。",
    ];
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed % below;
    };
    const { safeReturnTo } = await import("../../src/index.ts");
    for (let at = 0; at < 200_000; at++) {
      const target = Array.from(
        { length: 1 + random(6) },
        () => pieces[random(pieces.length)],
      ).join("");
      const path = safeReturnTo(target);
      const url = new URL(path, "https://own.example/login");
      if (url.origin !== "https://own.example") assert.fail(JSON.stringify(target));
    }
    for (const evil of [
      "//evil.example",
      "/\\evil.example",
      "https:evil.example",
      "/\t/evil.example",
    ]) {
      const login = `/auth/login?returnTo=${encodeURIComponent(evil)}`;
      assert.strictEqual((await browser.signIn(login)).headers.get("location"), "/");
    }
  });

  it("keeps to the allow-list of the application, and reads no target at the callback", async () => {
    const { browser } = await open({ isAllowedReturn: (path) => path.startsWith("/app") });
    const other = await browser.signIn("/auth/login?returnTo=/admin");
    assert.strictEqual(other.headers.get("location"), "/");
    const path = await browser.consent("/auth/login?returnTo=/app/1");
    const response = await browser.visit(`${path}&returnTo=/admin`);
    assert.strictEqual(response.headers.get("location"), "/app/1");
  });
});

describe("signout-csrf", () => {
  it("signs out from one's own pages only", async () => {
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
    // A page under `no-referrer` posts `Origin: null`.
    const headers = { origin: "null", "sec-fetch-site": "same-origin" };
    const thief = browser.copy();
    const response = await browser.visit("/auth/logout", { method: "POST", headers });
    assert.strictEqual(response.status, 303);
    assert.strictEqual(await whoami(browser), "nobody");
    assert.strictEqual(await whoami(thief), "nobody");
  });

  it("takes the Origin header where the browser sends no Sec-Fetch-Site", async () => {
    const { browser } = await open();
    await browser.signIn();
    const headers = { origin: ORIGIN };
    assert.strictEqual(
      (await browser.visit("/auth/logout", { method: "POST", headers })).status,
      303,
    );
    assert.strictEqual(await whoami(browser), "nobody");
  });

  it("revokes what the token may revoke", async () => {
    oauth.state.scope = "account:characters oauth:revoke";
    const { browser } = await open();
    await browser.signIn();
    const headers = { "sec-fetch-site": "same-origin" };
    await browser.visit("/auth/logout", { method: "POST", headers });
    assert.deepStrictEqual(oauth.state.revoked, ["refresh-sentinel-1", "access-sentinel-1"]);
  });
});

describe("cookie-attributes", () => {
  it("sets __Host- cookies that scripts and other sites cannot read", async () => {
    const { browser } = await open();
    const login = await browser.visit("/auth/login");
    const callback = await new Browser(withApp((await open()).app)).signIn();
    const lines = [...login.headers.getSetCookie(), ...callback.headers.getSetCookie()];
    assert.strictEqual(lines.length, 2);
    for (const line of lines) {
      assert.match(line, /^__Host-gd_(flow_[\w-]{22}_\w+|session)=/);
      for (const attribute of ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"])
        assert.include(line.split("; "), attribute);
      assert.notInclude(line, "Domain");
    }
    assert.include(lines[0], "Max-Age=600");
    assert.match(lines[1]!, /Max-Age=(604800|60479\d)/);
  });
});

describe("no-store", () => {
  it("keeps every response out of caches, frames and referrers", async () => {
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
});

describe("head-and-prefetch", () => {
  it("burns no code for a link scanner and begins no flow for a prefetch", async () => {
    const { browser } = await open();
    const path = await browser.consent();
    const head = await browser.visit(path, { method: "HEAD" });
    assert.deepStrictEqual([head.status, head.headers.get("allow")], [405, "GET"]);
    for (const purpose of ["prefetch", "prefetch;prerender"]) {
      const headers = { "sec-purpose": purpose };
      const response = await browser.visit("/auth/login", { headers });
      assert.strictEqual(response.status, 503);
      assert.deepStrictEqual(response.headers.getSetCookie(), []);
    }
    assert.strictEqual((await browser.visit(path)).status, 303);
  });
});

describe("fetch-dest", () => {
  it("runs no flow in an image or a frame", async () => {
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
});

describe("host-header-ignored", () => {
  it("takes scheme, host and paths from the configuration", async () => {
    const { app } = await open();
    const response = await app.handle(
      new Request("http://evil.example/auth/login", {
        headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
      }),
    );
    const location = new URL(response!.headers.get("location")!);
    assert.strictEqual(location.searchParams.get("redirect_uri"), `${ORIGIN}/callback`);
    assert.notInclude(location.href, "evil");
  });

  it("leaves other paths to the application", async () => {
    const { app } = await open();
    for (const path of ["/", "/auth", "/auth/login/", "/auth/loginx", "/callback/x", "/authlogin"])
      assert.isUndefined(await app.handle(new Request(ORIGIN + path)));
  });
});

describe("tokensPer user", () => {
  it("shares one set among a user's browsers, and one's sign-out leaves the other", async () => {
    const { browser, other } = await open({ tokensPer: "user" });
    await browser.signIn();
    await other.signIn();
    assert.deepStrictEqual([await whoami(browser), await whoami(other)], ["Account", "Account"]);
    const headers = { "sec-fetch-site": "same-origin" };
    await browser.visit("/auth/logout", { method: "POST", headers });
    assert.deepStrictEqual([await whoami(browser), await whoami(other)], ["nobody", "Account"]);
  });
});

describe("redacted", () => {
  it("shows no token in cookies, responses, logs, or a dump of the store", async () => {
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
    const id = browser.cookies.get("__Host-gd_session")!;
    assert.notInclude(seen, "sentinel");
    assert.notInclude(entries.join(), state);
    assert.notInclude(entries.join(), id);
  });
});

describe("an unavailable store", () => {
  it("is a 503 with the error page, and quotes nothing", async () => {
    const broken: Backend = {
      read: () => Promise.reject(new Error("refresh-sentinel")),
      write: () =>
        Promise.reject(Object.assign(new Error("refresh-sentinel"), { code: "ECONNREFUSED" })),
    };
    const logged: Array<string> = [];
    const { browser } = await open({ store: broken, log: (line) => logged.push(line) });
    const response = await browser.signIn();
    assert.strictEqual(response.status, 503);
    assert.notInclude((await response.text()) + logged.join(), "sentinel");
    assert.include(logged.join(), "ECONNREFUSED");
  });
});

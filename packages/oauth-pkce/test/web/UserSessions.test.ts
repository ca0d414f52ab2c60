/** The sessions of a user: what a request says about them, their list, and their ends. */
import { Effect } from "effect";
import { assert, describe, it } from "vitest";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import { runPromise } from "../../src/promise/run.ts";
import type { SignedInUser, SignIn, UserState } from "../../src/web/index.ts";
import {
  Browser,
  cookieOf,
  makeApp,
  ORIGIN,
  sessionCookie,
  useApp,
  whoami,
  withApp,
  OUT,
} from "./app.ts";

const SUB = "3f1f4c5e-0000-4000-8000-000000000001";
const stateOf = (app: SignIn, browser: Browser): Promise<UserState> => app.user(cookieOf(browser));
const ended = (reason: string) => ({ _tag: "Ended", reason });

const { oauth, open } = useApp();

describe("the sessions of a user", () => {
  it("a session ends as idle even if a background job renews its tokens", async () => {
    const memory = memoryStore();
    let ahead = 0;
    const store: Backend = {
      ...memory,
      read: async (key) => {
        const entry = await memory.read(key);
        return entry && { ...entry, now: entry.now + ahead };
      },
    };
    const { app, browser } = await open({ store, idle: "30 minutes" });
    await browser.signIn();
    const [info] = await app.sessions(SUB).list();
    ahead = 25 * 60_000;
    await info!.session.withFreshToken(async () => new Response(null, { status: 401 }));
    assert.strictEqual(oauth.state.exchanges, 2);
    ahead = 31 * 60_000;
    assert.deepStrictEqual(await stateOf(app, browser), ended("idle") as UserState);
  });

  it("`end` ends one session of a user, and `endAll` all sessions except the given one", async () => {
    const { app } = await open();
    const browsers = Array.from({ length: 3 }, () => new Browser(withApp(app)));
    for (const browser of browsers) await browser.signIn();
    const states = await Promise.all(browsers.map((browser) => stateOf(app, browser)));
    const ids = states.map((state) => (state._tag === "SignedIn" ? state.user.sessionId : ""));
    assert.strictEqual(await app.sessions(SUB).end(ids[0]!), 1);
    assert.strictEqual(await app.sessions(SUB).end(ids[0]!), 0);
    assert.strictEqual(await app.sessions(SUB).endAll({ except: ids[1]! }), 1);
    const names = await Promise.all(browsers.map(whoami));
    assert.deepStrictEqual(names, ["nobody", "Account", "nobody"]);
    assert.deepStrictEqual(await stateOf(app, browsers[0]!), ended("signedOut") as UserState);
  });

  it("ended sessions revoke their tokens if the scopes allow it", async () => {
    const { app, browser, other } = await open();
    oauth.state.scope = "account:characters oauth:revoke";
    await browser.signIn();
    // In place of the session before it.
    await browser.signIn();
    await other.signIn();
    await app.sessions(SUB).endAll();
    await app.close();
    assert.strictEqual(oauth.state.revoked.length, 6);
  });

  it.each<readonly [string, (user: SignedInUser) => Promise<unknown>]>([
    ["withFreshToken", ({ withFreshToken }) => withFreshToken(async (token) => token)],
    ["of Effect", ({ credentials }) => runPromise(credentials.withFreshToken(Effect.succeed))],
  ])(
    "a refused refresh token ends the session, which `user` then reports as Ended: %s",
    async (_, call) => {
      const { app, browser } = await open();
      oauth.state.expiresIn = 0;
      await browser.signIn();
      oauth.state.status = 400;
      oauth.state.body = { error: "invalid_grant" };
      const state = await stateOf(app, browser);
      assert(state._tag === "SignedIn");
      await call(state.user).then(
        () => assert.fail("it gave a token"),
        (error) => assert.strictEqual(error._tag, "InvalidGrant"),
      );
      await app.close();
      assert.deepStrictEqual(await stateOf(app, browser), ended("consent") as UserState);
    },
  );
});

describe("user", () => {
  it("`user` accepts the requests of every framework", async () => {
    const { app, browser } = await open();
    await browser.signIn();
    const cookie = cookieOf(browser);
    const pairs = [...browser.cookies].map(([name, value]) => ({ name, value }));
    const headers = new Headers({ cookie });
    const get = (name: string) => ({ name, value: "an object, as Next gives" });
    const ofBun = Object.assign(new Headers({ cookie }), {
      getAll: (): never => {
        throw new TypeError("only set-cookie");
      },
    });
    // Of two with one name the first counts.
    const twice = `${cookie}; ${sessionCookie(browser)}=${"A".repeat(43)}.${"B".repeat(43)}`;
    for (const input of [
      new Request(ORIGIN, { headers }),
      headers,
      ofBun,
      cookie,
      twice,
      { headers },
      { headers: { cookie } },
      { headers: { cookie }, get },
      { getAll: () => pairs, get },
      { get: (name: string) => (name === "cookie" ? cookie : null) } as never,
    ])
      assert.strictEqual((await app.user(input))._tag, "SignedIn");
  });

  it("`user` is Anonymous for input without a cookie of the sign-in", async () => {
    const { app } = await open();
    const thrower = {
      get headers(): never {
        throw new Error("refresh-sentinel");
      },
    };
    for (const other of [undefined, "", 3, {}, { headers: null }, { getAll: () => null }, thrower])
      assert.deepStrictEqual(await app.user(other as string), { _tag: "Anonymous" });
  });

  it("`user` is Ended if the store has no entry, and Unavailable if the store fails", async () => {
    const { app, browser } = await open();
    await browser.signIn();
    const empty = (await open()).app;
    assert.deepStrictEqual(await stateOf(empty, browser), ended("signedOut") as UserState);
    assert.deepStrictEqual(await empty.sessions(SUB).list(), []);
    const fail = () => Promise.reject(Object.assign(new Error("sentinel"), { code: "ECONNRESET" }));
    const broken = (await open({ store: { read: fail, write: fail } })).app;
    const state = await stateOf(broken, browser);
    assert(state._tag === "Unavailable");
    assert.deepInclude(state.error, { operation: "read", reason: "ECONNRESET" });
    assert.notInclude(JSON.stringify(state) + state.error.message, "sentinel");
    assert.strictEqual((await stateOf(app, browser))._tag, "SignedIn");
  });

  it("`user` costs one read of the store, and a sign-in at most three reads and five writes", async () => {
    const memory = memoryStore();
    const counts = { read: 0, write: 0 };
    const store: Backend = {
      read: (key) => ((counts.read += 1), memory.read(key)),
      write: (...all) => ((counts.write += 1), memory.write(...all)),
    };
    const { app, browser } = await open({ store });
    await browser.signIn();
    await app.close();
    assert.isAtMost(counts.read, 3);
    assert.isAtMost(counts.write, 5);
    counts.read = 0;
    await stateOf(app, browser);
    assert.strictEqual(counts.read, 1);
  });
});

it("another root key ends a session as `unreadable` until the user signs in again", async () => {
  const store = memoryStore();
  const before = await makeApp(oauth, { store });
  const user = new Browser(withApp(before));
  await user.signIn();
  const logged: Array<string> = [];
  const keys = { current: "k2", keys: { k2: crypto.getRandomValues(new Uint8Array(32)) } };
  const log = (line: string) => logged.push(line);
  const after = await makeApp(oauth, { store, keys, log });
  const same = user.copy(withApp(after));
  assert.deepStrictEqual(await stateOf(after, same), ended("unreadable") as UserState);
  assert.deepStrictEqual(logged, ["Sign-in: no key opens a user's entry; they must sign in again"]);
  assert.deepStrictEqual(await after.sessions(SUB).list(), []);
  const copy = same.copy(withApp(after));
  assert.strictEqual((await copy.visit("/auth/logout", OUT)).status, 303);
  assert.deepStrictEqual(
    [...copy.cookies.keys()].filter((name) => name.endsWith("_s")),
    [],
  );
  await same.signIn();
  assert.strictEqual(await whoami(same), "Account");
});

describe("signing in", () => {
  it("the sign-in uses the response of `onError`, and logs failures that users cannot fix", async () => {
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
    assert.match(logged[0]!, /^Sign-in: .*invalid_client/);
    assert.strictEqual(browser.cookies.size, 0);
  });

  it("a reloaded callback restores no ended session, at any server", async () => {
    const store = memoryStore();
    const { app, browser } = await open({ store });
    const path = await browser.consent();
    const reloads = [browser.copy(), browser.copy(withApp(await makeApp(oauth, { store })))];
    await browser.visit(path);
    await browser.visit("/auth/logout", OUT);
    for (const reload of reloads) {
      const { status } = await reload.visit(path);
      assert.deepStrictEqual([status, sessionCookie(reload)], [400, ""]);
      // What ends behind the response has ended.
      await app.close();
    }
  });

  it("a closed sign-in refuses logins and callbacks, but still signs out", async () => {
    const { app, browser } = await open();
    await browser.signIn();
    const path = await browser.consent();
    await app.close();
    for (const target of [path, "/auth/login"]) {
      const { headers, status } = await browser.visit(target);
      assert.deepStrictEqual([status, headers.get("retry-after")], [503, "5"]);
    }
    assert.strictEqual(await whoami(browser), "Account");
    assert.strictEqual((await browser.visit("/auth/logout", OUT)).status, 303);
    assert.strictEqual(await whoami(browser), "nobody");
  });
});

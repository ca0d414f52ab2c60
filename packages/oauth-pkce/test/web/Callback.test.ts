/** A callback at a second server, of a user without a name, and the life of what it begins. */
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import type { SignInOptions } from "../../src/web/index.ts";
import { openServer } from "./badStore.ts";
import { Browser, OUT, sessionCookie } from "./app.ts";
import { inVirtualTime, pause, useRealTime, useVirtualTime } from "./virtualTime.ts";

beforeEach(useVirtualTime);
afterEach(useRealTime);

const TOKENS = { access_token: "a", token_type: "bearer", expires_in: 3600, refresh_token: "r" };

/** Servers on one store, whose OAuth server gives `responses` in turn, and never after the last. */
const setUp = async (
  responses: ReadonlyArray<readonly [number, object]>,
  options: Partial<SignInOptions> = {},
) => {
  const left = [...responses];
  const texts: Array<string> = [];
  const memory = memoryStore();
  const seen = { exchanges: 0, reads: 0 };
  const store: Backend = {
    ...memory,
    read: (key) => ((seen.reads += key.includes(":flow:") ? 1 : 0), memory.read(key)),
  };
  const send: typeof fetch = async (input) => {
    seen.exchanges += 1;
    const [status, body] = left.shift() ?? [0, {}];
    if (status === 0) return new Promise(() => undefined);
    const response = Response.json({ scope: "account:characters", ...body }, { status });
    Object.defineProperty(response, "url", { value: new Request(input as Request).url });
    return response;
  };
  let isDead = false;
  const dying: Backend = {
    ...store,
    write: (...all) => (isDead ? Promise.reject(new Error("gone")) : store.write(...all)),
  };
  const one = await openServer(dying, send, options, []);
  const two = await openServer(store, send, options, texts);
  const browser = new Browser(async (request) => (await one.handle(request))!);
  const elsewhere = () => browser.copy(async (request) => (await two.handle(request))!);
  /** The first server writes nothing any more. */
  const end = () => {
    isDead = true;
  };
  return { one, two, browser, elsewhere, end, seen, texts };
};
const cookieOf = (browser: Browser) =>
  [...browser.cookies].map((pair) => pair.join("=")).join("; ");

describe("a callback that another server took first", () => {
  it.each([
    ["invalid_grant", 400, 400],
    ["server_error", 500, 503],
    ["invalid_client", 401, 400],
  ])("fails as it did there: %s", (code, status, told) =>
    inVirtualTime(async () => {
      const { browser, elsewhere, seen } = await setUp([[status, { error: code }]]);
      const path = await browser.consent();
      const other = elsewhere();
      const [, response] = await Promise.all([browser.visit(path), other.visit(path)]);
      assert.strictEqual(response.status, told);
      assert.deepStrictEqual([seen.exchanges, other.cookies.size], [1, 0]);
    }),
  );

  it("is given up when that server must be gone, and not asked after all the time", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, end, seen, texts } = await setUp([]);
      const path = await browser.consent();
      const other = elsewhere();
      void browser.visit(path);
      await pause(1);
      end();
      const waiting = [];
      for (let response = await other.visit(path); ; response = await other.visit(path)) {
        waiting.push(response.status);
        if (response.status !== 202) break;
        assert.strictEqual(response.headers.get("refresh"), "1");
        assert.include(
          await response.text(),
          "Signing in takes longer than usual. Please wait.</p></html>",
        );
      }
      assert.deepStrictEqual([waiting.at(-1), other.cookies.size], [503, 0]);
      assert.include(texts.join(), "the server that sent the code is gone");
      assert.isTrue(seen.exchanges === 1 && seen.reads > 90 && seen.reads < 100, `${seen.reads}`);
    }));

  it("is no longer waited for by a server that closes", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, two } = await setUp([]);
      const path = await browser.consent();
      void browser.visit(path);
      await pause(1);
      const waiting = elsewhere().visit(path);
      await pause(500);
      const closing = Date.now();
      await two.close();
      assert.isAtMost(Date.now() - closing, 1_000);
      assert.strictEqual((await waiting).status, 503);
    }));
});

describe("a session", () => {
  it.each<readonly [object, Partial<SignInOptions>, string]>([
    [{}, {}, "; Max-Age=604800"],
    [{}, { absolute: "1 hour" }, "; Max-Age=3600"],
    [{ refresh_token: null }, {}, "; Max-Age=3600"],
    [{ refresh_token: null }, { absolute: 1_500 }, "; Max-Age=1"],
    [{ refresh_token: null }, { absolute: 1 }, "; Max-Age=1"],
    [{ refresh_token: null, expires_in: null }, {}, ""],
  ])("of tokens with %j, and %j, has a cookie with %j", (changes, options, life) =>
    inVirtualTime(async () => {
      const { browser } = await setUp([[200, { ...TOKENS, ...changes }]], options);
      const response = await browser.visit(await browser.consent());
      const [cookie = ""] = response.headers.getSetCookie();
      assert.isTrue(cookie.endsWith(`; SameSite=Lax${life}`), cookie);
    }),
  );

  it.each(["session", "user"] as const)(
    "of a user without a name is on its own, with tokens per %s",
    (tokensPer) =>
      inVirtualTime(async () => {
        const { browser, elsewhere, one } = await setUp(
          [
            [200, { ...TOKENS, access_token: "first" }],
            [200, { ...TOKENS, access_token: "second" }],
          ],
          { tokensPer },
        );
        const other = elsewhere();
        await browser.visit(await browser.consent());
        await other.visit(await other.consent());
        assert.notStrictEqual(
          browser.cookies.get(sessionCookie(browser))?.split(".")[0],
          other.cookies.get(sessionCookie(other))?.split(".")[0],
        );
        const tokenOf = async (each: Browser) => {
          const state = await one.user(cookieOf(each));
          if (state._tag !== "SignedIn") return state._tag;
          assert.deepInclude(state.user, { sub: undefined, username: undefined });
          return state.user.session.accessToken();
        };
        assert.deepStrictEqual([await tokenOf(browser), await tokenOf(other)], ["first", "second"]);
        await browser.visit("/auth/logout", OUT);
        assert.deepStrictEqual(
          [await tokenOf(browser), await tokenOf(other)],
          ["Anonymous", "second"],
        );
      }),
  );
});

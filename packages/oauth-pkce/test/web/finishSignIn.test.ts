/** A callback at a second server, of a user without a name, and the life of what it begins. */
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import type { SignInOptions } from "../../src/web/index.ts";
import { openServer } from "./badStore.ts";
import { Browser, cookieOf, OUT, sessionCookie } from "./app.ts";
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
  const seen = {
    exchanges: 0,
    reads: 0,
    delayMillis: 0,
    areReadsFailing: false,
    onSend: (): void => undefined,
  };
  const store: Backend = {
    ...memory,
    read: async (key) => {
      if (seen.areReadsFailing) throw new Error("gone");
      seen.reads += key.includes(":flow:") ? 1 : 0;
      return memory.read(key);
    },
  };
  const send: typeof fetch = async (input) => {
    seen.exchanges += 1;
    seen.onSend();
    const [status, body] = left.shift() ?? [0, {}];
    if (status === 0) return new Promise(() => undefined);
    await pause(seen.delayMillis);
    if (status < 0) throw new TypeError("fetch failed");
    const response = Response.json({ scope: "account:characters", ...body }, { status });
    Object.defineProperty(response, "url", { value: new Request(input as Request).url });
    return response;
  };
  let fault: "gone" | "gone for rows" | "loses" | undefined;
  const dying: Backend = {
    ...store,
    write: async (key, ...rest) => {
      if (fault === "gone" || (fault === "gone for rows" && /^[^:]+:user:/.test(key)))
        throw new Error("gone");
      return fault !== "loses" && store.write(key, ...rest);
    },
  };
  const own: Array<string> = [];
  const one = await openServer(dying, send, options, own);
  const two = await openServer(store, send, options, texts);
  const browser = new Browser(async (request) => (await one.handle(request))!);
  const elsewhere = () => browser.copy(async (request) => (await two.handle(request))!);
  /** The first server writes nothing any more. */
  const end = (how: typeof fault = "gone") => {
    fault = how;
  };
  const heal = () => {
    fault = undefined;
  };
  return { one, two, browser, elsewhere, end, heal, own, seen, texts };
};

describe("a callback that another server took first", () => {
  it.each([
    ["invalid_grant", 400, 400],
    ["server_error", 500, 503],
    ["invalid_client", 401, 400],
    ["no response", -1, 503],
  ])("fails as it did there: %s", (code, status, told) =>
    inVirtualTime(async () => {
      const { browser, elsewhere, seen } = await setUp([[status, { error: code }]]);
      seen.delayMillis = 500;
      const path = await browser.consent();
      const other = elsewhere();
      void browser.visit(path);
      await pause(1);
      assert.strictEqual((await other.visit(path)).status, told);
      assert.deepStrictEqual([seen.exchanges, other.cookies.size], [1, 0]);
    }),
  );

  it("is given up when that server must be gone, and not asked after all the time", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, end, own, seen, texts } = await setUp([]);
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
      assert.match(own.join("\n"), /^Sign-in: .*operation write/m);
      assert.isTrue(seen.exchanges === 1 && seen.reads > 90 && seen.reads < 100, `${seen.reads}`);
    }));

  it("is waited for over a store that fails meanwhile", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, seen } = await setUp([[200, TOKENS]]);
      seen.delayMillis = 5_000;
      const path = await browser.consent();
      const other = elsewhere();
      const responses = [browser.visit(path), pause(1).then(() => other.visit(path))];
      await pause(1_000);
      seen.areReadsFailing = true;
      await pause(3_000);
      seen.areReadsFailing = false;
      for (const response of responses) assert.strictEqual((await response).status, 303);
      assert.strictEqual(cookieOf(other), cookieOf(browser));
      assert.strictEqual((await elsewhere().visit(path)).headers.get("location"), "/");
    }));

  it("is finished there where the tokens were written, and no more", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, end, seen, two } = await setUp([[200, TOKENS]]);
      end("gone for rows");
      const path = await browser.consent();
      const other = elsewhere();
      assert.strictEqual((await browser.visit(path)).status, 503);
      assert.strictEqual((await other.visit(path)).status, 303);
      assert.strictEqual((await two.user(cookieOf(other)))._tag, "SignedIn");
      assert.strictEqual(seen.exchanges, 1);
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

it("a callback is taken ten minutes late, for another server's clock, and not twenty", () =>
  inVirtualTime(async () => {
    const { browser } = await setUp([[200, TOKENS]]);
    for (const [minutes, status] of [
      [21, 400],
      [11, 303],
    ] as const) {
      const path = await browser.consent();
      await pause(minutes * 60_000);
      assert.strictEqual((await browser.visit(path)).status, status);
    }
  }));

describe("a callback over a store that fails", () => {
  it("sends no code before it is claimed; a reload does", () =>
    inVirtualTime(async () => {
      const { browser, end, heal, seen } = await setUp([[200, TOKENS]]);
      end();
      const path = await browser.consent();
      const { headers, status } = await browser.visit(path);
      assert.deepStrictEqual([status, headers.get("refresh"), seen.exchanges], [503, null, 0]);
      heal();
      assert.strictEqual((await browser.visit(path)).status, 303);
    }));

  it("writes the same tokens again at a reload, and revokes none", () =>
    inVirtualTime(async () => {
      const tokens = { ...TOKENS, sub: "s", scope: "oauth:revoke" };
      const { browser, end, heal, seen } = await setUp([[200, tokens]], { tokensPer: "user" });
      end("gone for rows");
      const path = await browser.consent();
      assert.strictEqual((await browser.visit(path)).status, 503);
      heal();
      assert.strictEqual((await browser.visit(path)).status, 303);
      await pause(1_000);
      assert.strictEqual(seen.exchanges, 1);
    }));

  it("is waited for by close", () =>
    inVirtualTime(async () => {
      const { browser, one, seen } = await setUp([[200, TOKENS]]);
      seen.delayMillis = 5_000;
      const coming = browser.visit(await browser.consent());
      await pause(1);
      const started = Date.now();
      await one.close();
      assert.isAtLeast(Date.now() - started, 4_999);
      assert.strictEqual((await coming).status, 303);
    }));
});

describe("tokens that no store takes", () => {
  it.each<readonly [string, object, RegExp]>([
    ["are told where they cannot be revoked", { scope: "oauth:revoke" }, /revoked: .*code_of_it/],
    ["are told where their scopes do not allow it", {}, /revoked: their scopes lack oauth:revoke$/],
  ])("%s", (_, scope, line) =>
    inVirtualTime(async () => {
      const { browser, end, one, own, seen } = await setUp([
        [200, { ...TOKENS, ...scope }],
        [400, { error: "code_of_it" }],
      ]);
      seen.onSend = () => end();
      const { headers, status } = await browser.visit(await browser.consent());
      assert.deepStrictEqual([status, headers.get("refresh")], [503, "5"]);
      own.length = 0;
      await one.close();
      assert.strictEqual(own.length, 1);
      assert.match(own[0]!, /^Sign-in: tokens could neither be stored nor /);
      assert.match(own[0]!, line);
    }),
  );
});

describe("a session", () => {
  it("is listed by its sign-in, and counts where it ends unless it was over", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, one } = await setUp(
        [
          [200, { ...TOKENS, sub: "s" }],
          [200, { ...TOKENS, sub: "s" }],
          [200, { ...TOKENS, sub: "s" }],
        ],
        { idle: "3 hours" },
      );
      const started = Date.now();
      const [other, third] = [elsewhere(), elsewhere()];
      await browser.visit(await browser.consent());
      await pause(60_000);
      await other.visit(await other.consent());
      const seenAt = async () => {
        const list = await one.sessions("s").list();
        return list.map((info) =>
          [Number(info.startedAt), Number(info.seenAt)].map((at) => at - started),
        );
      };
      assert.deepStrictEqual(await seenAt(), [
        [60_000, 60_000],
        [0, 0],
      ]);
      // Noted after a tenth of the idle time, and not before.
      for (const [minutes, at] of [
        [17.9, 0],
        [18, 1_080_000],
      ] as const) {
        await pause(started + minutes * 60_000 - Date.now());
        await one.user(cookieOf(browser));
        await pause(1);
        assert.deepStrictEqual(await seenAt(), [
          [60_000, 60_000],
          [0, at],
        ]);
      }
      await third.visit(await third.consent());
      const [latest, ...rest] = await seenAt();
      assert.deepStrictEqual([latest?.[0], rest.map(([at]) => at)], [1_080_001, [60_000, 0]]);
      await third.visit("/auth/logout", OUT);
      await pause(started + 3 * 3_600_000 + 60_000 - Date.now());
      assert.deepStrictEqual(await one.user(cookieOf(other)), { _tag: "Ended", reason: "idle" });
      assert.strictEqual((await one.sessions("s").list()).length, 1);
      assert.strictEqual(await one.sessions("s").endAll(), 1);
      assert.strictEqual(await one.sessions("s").endAll(), 0);
    }));

  it("that shares its user's tokens keeps them until all sessions end", () =>
    inVirtualTime(async () => {
      const tokens = (access_token: string, sub: string) =>
        [200, { ...TOKENS, access_token, sub, scope: "oauth:revoke" }] as const;
      const revoked = Array.from({ length: 2 }, () => [200, {}] as const);
      const { browser, elsewhere, one, seen, two } = await setUp(
        [tokens("first", "s"), tokens("second", "s"), ...revoked, tokens("third", "t"), ...revoked],
        { tokensPer: "user" },
      );
      const [other, stranger] = [elsewhere(), elsewhere()];
      for (const each of [browser, other, stranger]) {
        await each.visit(await each.consent());
        await pause(1_000);
      }
      const userOf = async (each: Browser) => {
        const state = await two.user(cookieOf(each));
        return state._tag === "SignedIn" ? state.user : undefined;
      };
      const tokenOf = async (each: Browser) => (await userOf(each))?.session.accessToken();
      const except = (await userOf(other))!.sessionId;
      assert.strictEqual(await one.sessions("s").endAll({ except }), 1);
      await pause(1_000);
      // Three exchanges, and two to revoke the first tokens.
      assert.strictEqual(seen.exchanges, 5);
      assert.deepStrictEqual(await Promise.all([browser, other, stranger].map(tokenOf)), [
        undefined,
        "second",
        "third",
      ]);
      assert.strictEqual(await one.sessions("s").endAll(), 1);
      await pause(1_000);
      assert.strictEqual(seen.exchanges, 7);
      assert.deepStrictEqual(await Promise.all([other, stranger].map(tokenOf)), [
        undefined,
        "third",
      ]);
    }));

  it("that cannot be ended, because its row keeps changing, is a typed failure", () =>
    inVirtualTime(async () => {
      const { browser, end, one } = await setUp([[200, { ...TOKENS, sub: "s" }]]);
      await browser.visit(await browser.consent());
      end("loses");
      const error = await one
        .sessions("s")
        .endAll()
        .catch((failure: unknown) => failure);
      assert.deepInclude(error, { operation: "write", reason: "the entry keeps changing" });
    }));

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

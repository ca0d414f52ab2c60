/** A callback at a second server and over a failing store, and the life of the session it starts. */
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import type { SignInOptions } from "../../src/web/index.ts";
import { openServer } from "./badStore.ts";
import { Browser, cookieOf, OUT } from "./app.ts";
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
      seen.reads += 1;
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
  let fault: "gone" | "gone for tokens" | "gone for the index" | "loses" | undefined;
  let writes = 0;
  const dying: Backend = {
    ...store,
    write: async (key, ...rest) => {
      writes += 1;
      const isGone =
        fault === "gone" ||
        (fault === "gone for tokens" && writes > 1) ||
        (fault === "gone for the index" && key.includes(":user:"));
      if (isGone) throw new Error("gone");
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
    ["slow_down", 429, 503],
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

  it("is given up within the lifetime of a code, if that server was killed before it sent", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, end, seen, texts } = await setUp([]);
      const path = await browser.consent();
      const other = elsewhere();
      void browser.visit(path);
      await pause(1);
      end();
      const started = Date.now();
      const statuses = [];
      for (let response = await other.visit(path); ; response = await other.visit(path)) {
        statuses.push(response.status);
        const page = await response.text();
        if (response.status !== 202) {
          assert.include(page, "Sign in again");
          assert.isNull(response.headers.get("refresh"));
          break;
        }
        assert.strictEqual(response.headers.get("refresh"), "1");
        assert.include(page, "Signing in takes longer than usual. Please wait.</p></html>");
        await pause(1_000);
      }
      assert.deepStrictEqual([statuses.at(-1), other.cookies.size], [503, 0]);
      assert.isAtMost(Date.now() - started, 30_000);
      assert.include(texts.join(), "the response to the code was lost");
      // Each second, and not all the time.
      assert.isTrue(seen.exchanges === 1 && seen.reads < 60, `${seen.reads}`);
    }));

  it("is waited for over a store that fails meanwhile", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, seen } = await setUp([[200, TOKENS]]);
      seen.delayMillis = 5_000;
      const path = await browser.consent();
      const other = elsewhere();
      const first = browser.visit(path);
      await pause(1_000);
      seen.areReadsFailing = true;
      const { headers, status } = await other.visit(path);
      assert.deepStrictEqual([status, headers.get("refresh")], [503, "5"]);
      await pause(3_000);
      seen.areReadsFailing = false;
      assert.strictEqual((await first).status, 303);
      assert.strictEqual((await other.visit(path)).status, 303);
      assert.strictEqual(cookieOf(other), cookieOf(browser));
      assert.strictEqual((await elsewhere().visit(path)).headers.get("location"), "/");
    }));

  it("is finished by another server once the tokens were written", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, end, seen, two } = await setUp([[200, { ...TOKENS, sub: "s" }]]);
      end("gone for the index");
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
      assert.deepStrictEqual([status, headers.get("refresh"), seen.exchanges], [503, "5", 0]);
      heal();
      assert.strictEqual((await browser.visit(path)).status, 303);
    }));

  it("writes the same tokens again at a reload, and revokes none", () =>
    inVirtualTime(async () => {
      const tokens = { ...TOKENS, sub: "s", scope: "oauth:revoke" };
      const { browser, end, heal, seen } = await setUp([[200, tokens]]);
      end("gone for tokens");
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
    ["are reported if they cannot be revoked", { scope: "oauth:revoke" }, /: .*code_of_it/],
    ["are reported if their scopes do not allow it", {}, /: their scopes lack oauth:revoke$/],
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
      assert.match(own[0]!, /^Tokens could neither be stored nor revoked/);
      assert.match(own[0]!, line);
    }),
  );
});

describe("a session", () => {
  it("is listed in the order of sign-ins, with its last use, until it ends", () =>
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

  it("that cannot be ended, because its entry keeps changing, is a typed failure", () =>
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

  it("of a user without a name is on its own", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, one } = await setUp([
        [200, { ...TOKENS, access_token: "first" }],
        [200, { ...TOKENS, access_token: "second" }],
      ]);
      const other = elsewhere();
      for (const each of [browser, other]) await each.visit(await each.consent());
      const tokenOf = async (each: Browser) => {
        const state = await one.user(cookieOf(each));
        return state._tag === "SignedIn" ? state.user.session.accessToken() : state._tag;
      };
      assert.deepStrictEqual(await Promise.all([browser, other].map(tokenOf)), ["first", "second"]);
    }));

  it("has the scopes that a refresh left", () =>
    inVirtualTime(async () => {
      const { browser, one } = await setUp([
        [200, { ...TOKENS, scope: "account:characters account:stashes" }],
        [200, { ...TOKENS, access_token: "b", scope: "account:characters" }],
      ]);
      await browser.visit(await browser.consent());
      const scopes = async () => {
        const state = await one.user(cookieOf(browser));
        assert(state._tag === "SignedIn");
        return [state.user.scopes, state.user.session] as const;
      };
      const [before, session] = await scopes();
      assert.deepStrictEqual(before, ["account:characters", "account:stashes"]);
      assert.strictEqual(await session.renew("a"), "b");
      assert.deepStrictEqual((await scopes())[0], ["account:characters"]);
    }));

  it("is renewed by two workers while its user is away, with one refresh", () =>
    inVirtualTime(async () => {
      const { browser, one, seen, two } = await setUp([
        [200, { ...TOKENS, sub: "s" }],
        [200, { ...TOKENS, access_token: "b", sub: "s" }],
      ]);
      await browser.visit(await browser.consent());
      await pause(3_600_000);
      const tokens = await Promise.all(
        [one, two].map(async (worker) => {
          const [info] = await worker.sessions("s").list();
          return info!.session.accessToken();
        }),
      );
      assert.deepStrictEqual([tokens, seen.exchanges], [["b", "b"], 2]);
    }));

  it("is limited to 32 at once: the oldest ends, and ended ones do not count", () =>
    inVirtualTime(async () => {
      const tokens = Array.from({ length: 36 }, () => [200, { ...TOKENS, sub: "s" }] as const);
      const { browser, elsewhere, one } = await setUp(tokens);
      const browsers = [browser, ...Array.from({ length: 31 }, elsewhere)];
      for (const each of browsers) await each.visit(await each.consent());
      assert.strictEqual((await one.sessions("s").list()).length, 32);
      // A session that has ended makes room.
      await browsers[5]!.visit("/auth/logout", OUT);
      await browsers[5]!.visit(await browsers[5]!.consent());
      assert.strictEqual((await one.user(cookieOf(browser)))._tag, "SignedIn");
      const latest = elsewhere();
      await latest.visit(await latest.consent());
      assert.deepStrictEqual(await one.user(cookieOf(browser)), {
        _tag: "Ended",
        reason: "signedOut",
      });
      assert.strictEqual((await one.sessions("s").list()).length, 32);
    }));
});

it("the client's time limit ends the exchange, and not a longer one", () =>
  inVirtualTime(async () => {
    const { browser, seen } = await setUp([]);
    const started = Date.now();
    const path = await browser.consent();
    let response = await browser.visit(path);
    while (response.status === 202) response = await browser.visit(path);
    assert.deepStrictEqual([response.status, seen.exchanges], [503, 1]);
    assert.closeTo(Date.now() - started, 20_000, 100);
  }));

it("an onError that hangs delays the page by three seconds at most", () =>
  inVirtualTime(async () => {
    const onError = () => new Promise<never>(() => undefined);
    const { browser, own } = await setUp([], { onError });
    const denied = await browser.consent("/auth/login", { error: "access_denied" });
    const started = Date.now();
    assert.strictEqual((await browser.visit(denied)).status, 403);
    assert.closeTo(Date.now() - started, 3_000, 10);
    assert.deepStrictEqual(own, ["Sign-in: onError failed"]);
  }));

/** A callback at a second server and over a failing store, and the life of the session it starts. */
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import type { SignInOptions } from "../../src/web/index.ts";
import { Browser, cookieOf, makeApp, OUT, withApp } from "./app.ts";
import { inVirtualTime, pause, useRealTime, useVirtualTime } from "./virtualTime.ts";

beforeEach(useVirtualTime);
afterEach(useRealTime);

const TOKENS = { access_token: "a", token_type: "bearer", expires_in: 3600, refresh_token: "r" };

/** A function of the application that throws, such as a logger. */
const fail = (): never => {
  throw new Error("x");
};

/** Two servers on one store, whose OAuth server gives `responses` in turn, and never after the last. */
const setUp = async (
  responses: ReadonlyArray<readonly [number, object]>,
  options: Partial<SignInOptions> = {},
) => {
  const left = [...responses];
  const [own, texts]: [Array<string>, Array<string>] = [[], []];
  const memory = memoryStore();
  const seen = { exchanges: 0, reads: 0, delayMillis: 0, onSend: (): void => undefined };
  const store: Backend = { ...memory, read: (key) => ((seen.reads += 1), memory.read(key)) };
  const send = async () => {
    seen.exchanges += 1;
    seen.onSend();
    const [status, body] = left.shift() ?? [0, {}];
    if (status === 0) return new Promise<never>(() => undefined);
    await pause(seen.delayMillis);
    if (status < 0) throw new TypeError("fetch failed");
    return Response.json({ scope: "account:characters", ...body }, { status });
  };
  let isGone: (key: string) => boolean = () => false;
  const dying: Backend = {
    ...store,
    write: async (key, ...rest) => {
      if (isGone(key)) throw new Error("gone");
      return store.write(key, ...rest);
    },
  };
  const open = (log: Array<string>, over: Backend) =>
    makeApp({ send }, { ...options, store: over, log: (line) => (log.push(line), fail()) });
  const one = await open(own, dying);
  const two = await open(texts, store);
  const browser = new Browser(withApp(one));
  const elsewhere = () => browser.copy(withApp(two));
  /** From now on the first server writes no key of which `which` is true. */
  const end = (which: typeof isGone = () => true) => {
    isGone = which;
  };
  return { one, two, browser, elsewhere, end, own, seen, texts };
};

describe("a callback that another server took first", () => {
  it.each([
    ["invalid_grant", 400, 400],
    ["server_error", 500, 503],
    ["invalid_client", 401, 400],
    ["slow_down", 429, 503],
    ["no response", -1, 503],
  ])("a callback that another server exchanges has the same result: %s", (code, status, told) =>
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

  it("a callback fails within 30 seconds if the server that took it was killed before it stored tokens", () =>
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

  it("a callback whose tokens one server stored before it failed is finished by another server", () =>
    inVirtualTime(async () => {
      const { browser, elsewhere, end, seen, two } = await setUp([[200, { ...TOKENS, sub: "s" }]]);
      end((key) => key.includes(":user:"));
      const path = await browser.consent();
      const other = elsewhere();
      assert.strictEqual((await browser.visit(path)).status, 503);
      assert.strictEqual((await other.visit(path)).status, 303);
      assert.strictEqual((await two.user(cookieOf(other)))._tag, "SignedIn");
      assert.strictEqual(seen.exchanges, 1);
    }));
});

it("a callback is accepted ten minutes late, because clocks of servers differ, but not twenty", () =>
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

it("a callback sends no code while the store fails to record it, and a reload sends the code", () =>
  inVirtualTime(async () => {
    const { browser, end, seen } = await setUp([[200, TOKENS]]);
    end();
    const path = await browser.consent();
    const { headers, status } = await browser.visit(path);
    assert.deepStrictEqual([status, headers.get("refresh"), seen.exchanges], [503, "5", 0]);
    end(() => false);
    assert.strictEqual((await browser.visit(path)).status, 303);
  }));

it.each<readonly [string, object, number, RegExp | undefined]>([
  ["are revoked when the server closes", { scope: "oauth:revoke" }, 200, undefined],
  ["are reported if they cannot be revoked", { scope: "oauth:revoke" }, 400, /: .*code_of_it/],
  ["are reported if their scopes do not allow it", {}, 400, /: their scopes lack oauth:revoke$/],
])("new tokens that the store fails to keep %s", (_, scope, revoked, line) =>
  inVirtualTime(async () => {
    const revocation = [revoked, { error: "code_of_it" }] as const;
    const exchange = [200, { ...TOKENS, ...scope }] as const;
    const { browser, end, one, own, seen } = await setUp([exchange, revocation, revocation]);
    seen.onSend = () => end();
    const path = await browser.consent();
    for (let reloads = 0; reloads < 3; reloads++) {
      const { headers, status } = await browser.visit(path);
      assert.deepStrictEqual([status, headers.get("refresh")], [503, "5"]);
    }
    own.length = 0;
    await one.close();
    if (line === undefined) return assert.deepStrictEqual([own, seen.exchanges], [[], 3]);
    assert.strictEqual(own.length, 1);
    assert.match(own[0]!, /^Tokens may not be stored, and were not revoked/);
    assert.match(own[0]!, line);
  }),
);

describe("a session", () => {
  it("sessions(sub).list has the latest sign-in first, with its last use, until it is idle", () =>
    inVirtualTime(async () => {
      const answer = [200, { ...TOKENS, sub: "s" }] as const;
      const { browser, elsewhere, one } = await setUp([answer, answer], { idle: "3 hours" });
      const started = Date.now();
      const at = (millis: number) => pause(started + millis - Date.now());
      const other = elsewhere();
      await browser.visit(await browser.consent());
      await at(60_000);
      await other.visit(await other.consent());
      const times = async () =>
        (await one.sessions("s").list()).flatMap(({ seenAt, startedAt }) => [
          Number(startedAt) - started,
          Number(seenAt) - started,
        ]);
      // Recorded after a tenth of the idle time, and not before.
      for (const [millis, seenAt] of [
        [1_079_000, 0],
        [1_080_000, 1_080_000],
      ] as const) {
        await at(millis);
        await one.user(cookieOf(browser));
        await pause(1);
        assert.deepStrictEqual(await times(), [60_000, 60_000, 0, seenAt]);
      }
      await at(3 * 3_600_000 + 60_000);
      assert.deepStrictEqual(await one.user(cookieOf(other)), { _tag: "Ended", reason: "idle" });
      assert.strictEqual(await one.sessions("s").endAll(), 1);
      assert.deepStrictEqual(await one.sessions("s").list(), []);
    }));

  it.each<readonly [object, Partial<SignInOptions>, string]>([
    [{}, {}, "; Max-Age=604800"],
    [{}, { absolute: "1 hour" }, "; Max-Age=3600"],
    [{ refresh_token: null }, {}, "; Max-Age=3600"],
    [{ refresh_token: null }, { absolute: 1_500 }, "; Max-Age=1"],
    [{ refresh_token: null }, { absolute: 1 }, "; Max-Age=1"],
    [{ refresh_token: null, expires_in: null }, {}, ""],
  ])("the session cookie for tokens %j and options %j ends with %j", (changes, options, life) =>
    inVirtualTime(async () => {
      const { browser } = await setUp([[200, { ...TOKENS, ...changes }]], options);
      const response = await browser.visit(await browser.consent());
      const [cookie = ""] = response.headers.getSetCookie();
      assert.isTrue(cookie.endsWith(`; SameSite=Lax${life}`), cookie);
    }),
  );

  it("the user's `scopes` are those that the last refresh returned", () =>
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

  it("two servers renew the session of an absent user with one refresh", () =>
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

  it("a user has at most 32 sessions: the oldest ends, and ended sessions do not count", () =>
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

it("the client's `timeout` of 20 seconds ends a code exchange without a response", () =>
  inVirtualTime(async () => {
    const { browser, seen } = await setUp([]);
    const started = Date.now();
    const path = await browser.consent();
    let response = await browser.visit(path);
    while (response.status === 202) response = await browser.visit(path);
    assert.deepStrictEqual([response.status, seen.exchanges], [503, 1]);
    assert.closeTo(Date.now() - started, 20_000, 100);
  }));

it.each<readonly [string, () => unknown, number, ReadonlyArray<string>]>([
  ["throws", fail, 0, ["Sign-in: onError failed"]],
  ["rejects", () => Promise.reject(new Error("x")), 0, ["Sign-in: onError failed"]],
  ["returns no response", () => "text", 0, []],
  ["never settles", () => new Promise(() => undefined), 3_000, ["Sign-in: onError failed"]],
])("the sign-in shows its own error page if `onError` %s", (_, onError, millis, lines) =>
  inVirtualTime(async () => {
    const { browser, own } = await setUp([], { onError: onError as () => undefined });
    const denied = await browser.consent("/auth/login", { error: "access_denied" });
    const started = Date.now();
    const response = await browser.visit(denied);
    assert.strictEqual(response.status, 403);
    assert.include(await response.text(), "You did not allow access.");
    assert.closeTo(Date.now() - started, millis, 10);
    assert.deepStrictEqual(own, lines);
  }),
);

it("`close` waits for this server's running callback, but not for another server's", () =>
  inVirtualTime(async () => {
    const { browser, elsewhere, one, seen, two } = await setUp([[200, TOKENS]]);
    seen.delayMillis = 5_000;
    const path = await browser.consent();
    const other = elsewhere();
    const coming = browser.visit(path);
    await pause(1);
    const waiting = other.visit(path);
    await pause(500);
    const started = Date.now();
    await two.close();
    assert.isAtMost(Date.now() - started, 1_000);
    assert.strictEqual((await waiting).status, 503);
    await one.close();
    assert.closeTo(Date.now() - started, 4_499, 10);
    assert.strictEqual((await coming).status, 303);
  }));

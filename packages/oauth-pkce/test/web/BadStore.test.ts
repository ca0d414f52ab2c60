/** The sign-in over a store that stays broken. BadStore.long.test.ts has every fault at every call. */
import { afterEach, assert, beforeEach, it } from "vitest";
import { badStore } from "./badStore.ts";
import { Browser, makeApp, makeOAuthServer, OUT, withApp } from "./app.ts";
import { inVirtualTime, useRealTime, useVirtualTime } from "./virtualTime.ts";

beforeEach(useVirtualTime);
afterEach(useRealTime);

it("a sign-out removes the cookie within 10 seconds if the store throws or hangs, and reports it", () =>
  inVirtualTime(async () => {
    for (const way of ["throws", "hangs"] as const) {
      const oauth = makeOAuthServer();
      const browser = new Browser(withApp(await makeApp(oauth)));
      await browser.signIn();
      const texts: Array<string> = [];
      const { store } = badStore({ way, at: 1, lasts: Infinity });
      const app = await makeApp(oauth, { store, log: (line) => texts.push(line) });
      const leaving = browser.copy(withApp(app));
      const started = Date.now();
      const response = await leaving.visit("/auth/logout", OUT);
      assert.isAtMost(Date.now() - started, 10_000);
      assert.strictEqual(response.status, 503);
      assert.include(await response.text(), "You are signed out in this browser.");
      assert.isFalse([...leaving.cookies.keys()].some((name) => name.endsWith("_s")));
      assert.strictEqual(response.headers.get("retry-after"), "5");
      await app.close();
      assert.match(texts.join(), /^Sign-in: a session could not be ended: /);
    }
  }));

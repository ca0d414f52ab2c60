/** The sign-in over a store that stays broken. BadStore.long.test.ts has every fault at every call. */
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { openServer, slowServer, badStore } from "./badStore.ts";
import { Browser, OUT } from "./app.ts";
import { inVirtualTime, pause, useRealTime, useVirtualTime } from "./virtualTime.ts";

beforeEach(useVirtualTime);
afterEach(useRealTime);

it("a sign-out takes the cookie away whatever the store does, in time, and says what it could not do", () =>
  inVirtualTime(async () => {
    for (const way of ["throws", "hangs"] as const) {
      const { send } = slowServer(0);
      const good = await openServer(badStore(undefined).store, send, {}, []);
      const browser = new Browser(async (request) => (await good.handle(request))!);
      await browser.visit(await browser.consent());
      const texts: Array<string> = [];
      const bad = badStore({ way, at: 1, lasts: Infinity });
      const app = await openServer(bad.store, send, {}, texts);
      const leaving = browser.copy(async (request) => (await app.handle(request))!);
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

describe("a store that never heals", () => {
  /** Signs in over a store that fails from its third call on, and closes the server. */
  const signInAndClose = async (way: "throws" | "hangs") => {
    const oauth = slowServer(100);
    const { store } = badStore({ way, at: 3, lasts: Infinity });
    const app = await openServer(store, oauth.send, {}, []);
    const browser = new Browser(async (request) => (await app.handle(request))!);
    const path = await browser.consent();
    const statuses = [];
    for (let reloads = 0; reloads < 3; reloads++) {
      statuses.push((await browser.visit(path)).status);
      await pause(1_000);
    }
    return { app, oauth, statuses };
  };

  it("loses no tokens: they are revoked when the server closes", async () => {
    for (const way of ["throws", "hangs"] as const) {
      const { oauth, statuses } = await inVirtualTime(() =>
        signInAndClose(way).then(async (found) => {
          await found.app.close();
          return found;
        }),
      );
      assert.deepStrictEqual([...oauth.revoked], ["refresh-sentinel-0", "access-sentinel-1"]);
      assert.isTrue(statuses.every((status) => status === 202 || status === 503));
    }
  });
});

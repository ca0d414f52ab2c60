/** The way through the sign-in: success, failures, and an unavailable store. */
import { assert, describe, it } from "vitest";
import { memoryStore } from "../../src/promise/index.ts";
import { makeApp, sessionCookie, useApp, whoami, withApp, OUT } from "./app.ts";

const { oauth, open } = useApp();

describe("signing in", () => {
  it("uses the response of onError, and logs failures that users cannot fix", async () => {
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

  it("brings back no session that has ended, at whichever server the callback is reloaded", async () => {
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

  it("begins no more once it is closed, but still signs out", async () => {
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

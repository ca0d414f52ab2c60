/** A flow is exchanged once, however many servers its callback reaches. */
import { assert, describe, it } from "vitest";
import { memoryStore } from "../../src/promise/index.ts";
import { Browser, makeApp, sessionCookie, useApp, withApp } from "./app.ts";

const { oauth } = useApp();

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
      browser.cookies.get(sessionCookie(browser)),
      same.cookies.get(sessionCookie(same)),
    );
    // Later, too, for whoever still has the flow's cookie.
    const later = browser.copy(withApp(two));
    assert.strictEqual((await later.visit(path)).headers.get("location"), "/");
    assert.strictEqual(oauth.state.exchanges, 1);
  });
});

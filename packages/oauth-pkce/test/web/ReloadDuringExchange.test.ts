/** A reload of the callback joins the exchange under way. */
import { assert, describe, it } from "vitest";
import { sessionCookie, useApp } from "./app.ts";

const { oauth, open } = useApp();

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
      browser.cookies.get(sessionCookie(browser)),
      reload.cookies.get(sessionCookie(reload)),
    );
  });

  it("sends a signed-in user inside after Back, and shows others the page", async () => {
    const { browser, other } = await open();
    const path = await browser.consent();
    await browser.visit(path);
    for (const name of browser.cookies.keys())
      if (name.includes("_f_")) browser.cookies.delete(name);
    assert.strictEqual((await browser.visit(path)).status, 303);
    assert.strictEqual((await other.visit(path)).status, 400);
    assert.strictEqual(oauth.state.exchanges, 1);
  });
});

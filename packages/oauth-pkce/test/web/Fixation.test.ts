/** Every sign-in makes a new session id. */
import { assert, describe, it } from "vitest";
import { sessionCookie, useApp, whoami } from "./app.ts";

const { open } = useApp();

describe("fixation", () => {
  it("makes a new session id at every sign-in, and ends the old one", async () => {
    const { browser } = await open();
    await browser.signIn();
    const thief = browser.copy();
    const before = browser.cookies.get(sessionCookie(browser));
    await browser.signIn();
    assert.notStrictEqual(browser.cookies.get(sessionCookie(browser)), before);
    assert.strictEqual(await whoami(thief), "nobody");
    assert.strictEqual(await whoami(browser), "Account");
  });

  it("ignores a session id of the visitor's own making", async () => {
    const { browser } = await open();
    await browser.signIn();
    const name = sessionCookie(browser);
    const [row = ""] = browser.cookies.get(name)!.split(".");
    const secret = "A".repeat(43);
    const made = [`${row}.${secret}`, row, `.${secret}`, `${secret}.${secret}`];
    for (const id of [...made, "__proto__", "'; drop table", "A".repeat(5000)]) {
      browser.cookies.set(name, id);
      assert.strictEqual(await whoami(browser), "nobody");
    }
  });
});

/** Every sign-in makes a new session id. */
import { assert, describe, it } from "vitest";
import { useApp, whoami } from "./app.ts";

const { open } = useApp();

describe("fixation", () => {
  it("makes a new session id at every sign-in, and ends the old one", async () => {
    const { browser } = await open();
    await browser.signIn();
    const thief = browser.copy();
    const before = browser.cookies.get("__Host-gd_session");
    await browser.signIn();
    assert.notStrictEqual(browser.cookies.get("__Host-gd_session"), before);
    assert.strictEqual(await whoami(thief), "nobody");
    assert.strictEqual(await whoami(browser), "Account");
  });

  it("ignores a session id of the visitor's own making", async () => {
    const { browser } = await open();
    for (const id of ["A".repeat(43), "__proto__", "'; drop table", "A".repeat(5000)]) {
      browser.cookies.set("__Host-gd_session", id);
      assert.strictEqual(await whoami(browser), "nobody");
    }
  });
});

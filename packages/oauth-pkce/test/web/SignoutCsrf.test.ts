/** Only pages of the same origin sign a user out. */
import { assert, describe, it } from "vitest";
import { ORIGIN, useApp, whoami, OUT } from "./app.ts";

const { oauth, open } = useApp();

describe("signout-csrf", () => {
  it("signs out from one's own pages only", async () => {
    const { browser } = await open();
    await browser.signIn();
    const refused: ReadonlyArray<Record<string, string>> = [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: ORIGIN, "sec-fetch-site": "cross-site" },
    ];
    for (const headers of refused) {
      const response = await browser.visit("/auth/logout", { method: "POST", headers });
      assert.strictEqual(response.status, 403, JSON.stringify(headers));
    }
    assert.strictEqual((await browser.visit("/auth/logout")).status, 405);
    assert.strictEqual(await whoami(browser), "Account");
    // A page under `no-referrer` posts `Origin: null`.
    const headers = { origin: "null", "sec-fetch-site": "same-origin" };
    const thief = browser.copy();
    const response = await browser.visit("/auth/logout", { method: "POST", headers });
    assert.strictEqual(response.status, 303);
    assert.strictEqual(await whoami(browser), "nobody");
    assert.strictEqual(await whoami(thief), "nobody");
  });

  it("takes the Origin header where the browser sends no Sec-Fetch-Site", async () => {
    const { browser } = await open();
    await browser.signIn();
    const headers = { origin: ORIGIN };
    assert.strictEqual(
      (await browser.visit("/auth/logout", { method: "POST", headers })).status,
      303,
    );
    assert.strictEqual(await whoami(browser), "nobody");
  });

  it("revokes what the token may revoke", async () => {
    oauth.state.scope = "account:characters oauth:revoke";
    const { app, browser } = await open();
    await browser.signIn();
    await browser.visit("/auth/logout", OUT);
    await app.close();
    assert.deepStrictEqual(oauth.state.revoked, ["refresh-sentinel-1", "access-sentinel-1"]);
  });
});

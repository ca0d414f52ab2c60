/** The same story through each framework's own machinery, over HTTP. */
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { Browser, OUT, useApp, whoami } from "./app.ts";
import { frameworks, serve } from "./frameworks.ts";

const { oauth } = useApp();

describe.each(Object.entries(frameworks))("%s", (_, makeListener) => {
  let close: () => void;
  let open: () => Browser;
  beforeAll(async () => {
    const served = await serve(oauth, makeListener);
    close = served.close;
    open = () => new Browser((request) => fetch(request), served.url);
  });
  afterAll(() => close());

  it("signs in, keeps the path, and signs out", async () => {
    const browser = open();
    assert.strictEqual(await whoami(browser), "nobody");
    const response = await browser.signIn("/auth/login?returnTo=/me%3Fa%3D1");
    assert.strictEqual(response.headers.get("location"), "/me?a=1");
    assert.strictEqual(await whoami(browser), "Account");
    assert.strictEqual((await browser.visit("/auth/logout", OUT)).status, 303);
    assert.strictEqual(await whoami(browser), "nobody");
  });

  it("refuses what a browser did not begin, and what no person asked for", async () => {
    const browser = open();
    const planted = await open().consent();
    assert.strictEqual((await browser.visit(planted)).status, 400);
    const own = await browser.consent();
    assert.strictEqual((await browser.visit(own, { method: "HEAD" })).status, 405);
    const image = { headers: { "sec-fetch-dest": "image" } };
    assert.strictEqual((await browser.visit(own, image)).status, 403);
    const prefetch = { headers: { "sec-purpose": "prefetch" } };
    assert.strictEqual((await browser.visit("/auth/login", prefetch)).status, 503);
    const cross = { method: "POST", headers: { "sec-fetch-site": "cross-site" } };
    assert.strictEqual((await browser.visit("/auth/logout", cross)).status, 403);
    assert.strictEqual((await browser.visit("/auth/logout")).status, 405);
    assert.strictEqual((await browser.visit(own)).status, 303);
    const denied = await browser.consent("/auth/login", { error: "access_denied" });
    assert.strictEqual((await open().visit(denied)).status, 400);
    const evil = await browser.signIn("/auth/login?returnTo=//evil.example");
    assert.strictEqual(evil.headers.get("location"), "/");
  });

  it("tells an outage, with the time to wait, and keeps other routes", async () => {
    const browser = open();
    oauth.state.status = 503;
    const response = await browser.signIn();
    oauth.state.status = 200;
    assert.deepStrictEqual([response.status, response.headers.get("retry-after")], [503, "17"]);
    assert.strictEqual(await whoami(browser), "nobody");
  });
});

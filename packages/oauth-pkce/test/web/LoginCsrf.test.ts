/** A callback counts only in the browser that began its flow. */
import { assert, describe, it } from "vitest";
import { useApp } from "./app.ts";

const { oauth, open } = useApp();

describe("login-csrf", () => {
  it("refuses a callback of a flow that this browser did not begin", async () => {
    const { browser, other } = await open();
    const planted = await other.consent();
    const response = await browser.visit(planted);
    assert.strictEqual(response.status, 400);
    assert.deepStrictEqual(response.headers.getSetCookie(), []);
    assert.strictEqual(oauth.state.exchanges, 0);
    // The flow is still good where it began.
    assert.strictEqual((await other.visit(planted)).status, 303);
  });
});

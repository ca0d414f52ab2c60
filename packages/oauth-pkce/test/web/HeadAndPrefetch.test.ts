/** Link scanners and prefetches use up no code and begin no flow. */
import { assert, describe, it } from "vitest";
import { useApp } from "./app.ts";

const { open } = useApp();

describe("head-and-prefetch", () => {
  it("burns no code for a link scanner and begins no flow for a prefetch", async () => {
    const { browser } = await open();
    const path = await browser.consent();
    const head = await browser.visit(path, { method: "HEAD" });
    assert.deepStrictEqual([head.status, head.headers.get("allow")], [405, "GET"]);
    for (const purpose of ["prefetch", "prefetch;prerender"]) {
      const headers = { "sec-purpose": purpose };
      const response = await browser.visit("/auth/login", { headers });
      assert.strictEqual(response.status, 503);
      assert.deepStrictEqual(response.headers.getSetCookie(), []);
    }
    assert.strictEqual((await browser.visit(path)).status, 303);
  });
});

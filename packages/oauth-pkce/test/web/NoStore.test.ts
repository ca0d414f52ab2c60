/** No response of the sign-in is cached, framed, or named in a referrer. */
import { assert, describe, it } from "vitest";
import { useApp } from "./app.ts";

const { open } = useApp();

describe("no-store", () => {
  it("keeps every response out of caches, frames and referrers", async () => {
    const { browser } = await open();
    const responses = [
      await browser.visit("/auth/login"),
      await browser.signIn(),
      await browser.visit("/callback?code=x&state=y", { headers: { cookie: "" } }),
      await browser.visit("/auth/logout"),
      await browser.visit("/auth/login", { method: "HEAD" }),
    ];
    for (const { headers } of responses) {
      assert.strictEqual(headers.get("cache-control"), "no-store");
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer");
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff");
      assert.include(headers.get("content-security-policy"), "default-src 'none'");
    }
  });
});

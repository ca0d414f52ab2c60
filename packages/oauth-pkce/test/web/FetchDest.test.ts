/** No image, frame or script runs a flow. */
import { assert, describe, it } from "vitest";
import { useApp } from "./app.ts";

const { open } = useApp();

describe("fetch-dest", () => {
  it("runs no flow in an image or a frame", async () => {
    const { browser } = await open();
    const path = await browser.consent();
    for (const destination of ["image", "iframe", "empty", "script"]) {
      const headers = { "sec-fetch-dest": destination };
      assert.strictEqual((await browser.visit("/auth/login", { headers })).status, 403);
      assert.strictEqual((await browser.visit(path, { headers })).status, 403);
    }
    const headers = { "sec-fetch-dest": "document" };
    assert.strictEqual((await browser.visit(path, { headers })).status, 303);
  });
});

/** `returnTo` never leaves the origin. */
import { assert, describe, it } from "vitest";
import { safeReturnTo } from "../../src/index.ts";
import { useApp } from "./app.ts";

const { open } = useApp();

describe("open-redirect", () => {
  it("never leaves the origin, over 200,000 made-up targets", async () => {
    const { browser } = await open();
    const pieces = [
      "/",
      "\\",
      "//",
      "evil.example",
      "https:",
      "javascript:",
      "@",
      ".",
      "..",
      "%2f",
      "%5c",
      "\t",
      "\n",
      " ",
      "?",
      "#",
      "a",
      ":",
      "\u0000",
      "．",
      "。",
    ];
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed % below;
    };
    for (let at = 0; at < 200_000; at++) {
      const target = Array.from(
        { length: 1 + random(6) },
        () => pieces[random(pieces.length)],
      ).join("");
      const path = safeReturnTo(target);
      const url = new URL(path, "https://own.example/login");
      if (url.origin !== "https://own.example") assert.fail(JSON.stringify(target));
    }
    for (const evil of [
      "//evil.example",
      "/\\evil.example",
      "https:evil.example",
      "/\t/evil.example",
    ]) {
      const login = `/auth/login?returnTo=${encodeURIComponent(evil)}`;
      assert.strictEqual((await browser.signIn(login)).headers.get("location"), "/");
    }
  });

  it("keeps to the allow-list of the application, and reads no target at the callback", async () => {
    const { browser } = await open({ isAllowedReturn: (path) => path.startsWith("/app") });
    const other = await browser.signIn("/auth/login?returnTo=/admin");
    assert.strictEqual(other.headers.get("location"), "/");
    const path = await browser.consent("/auth/login?returnTo=/app/1");
    const response = await browser.visit(`${path}&returnTo=/admin`);
    assert.strictEqual(response.headers.get("location"), "/app/1");
  });
});

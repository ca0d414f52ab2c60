import { assert, it } from "@effect/vitest";
import { safeReturnTo } from "../src/index.ts";

const cases: ReadonlyArray<readonly [string | null | undefined, string]> = [
  ["/stashes", "/stashes"],
  ["/stashes?tab=1&x=%2F#top", "/stashes?tab=1&x=%2F#top"],
  ["/", "/"],
  ["/a/../b", "/b"],
  ["", "/home"],
  [null, "/home"],
  [undefined, "/home"],
  ["stashes", "/home"],
  ["//evil.example", "/home"],
  ["///evil.example", "/home"],
  ["/\\evil.example", "/home"],
  ["\\\\evil.example", "/home"],
  ["/a\\..\\\\evil.example", "/home"],
  ["https:evil.example", "/home"],
  ["https://evil.example/", "/home"],
  ["HTTPS://evil.example/", "/home"],
  ["javascript:alert(1)", "/home"],
  ["/\t/evil.example", "/home"],
  ["\t//evil.example", "/home"],
  ["/\n/evil.example", "/home"],
  ["/a\r\nSet-Cookie: x", "/home"],
  [" //evil.example", "/home"],
  ["/\u202e/evil.example", "/home"],
  ["@evil.example", "/home"],
];

it.each(cases)("safeReturnTo(%j) is %j", (value, expected) => {
  assert.strictEqual(safeReturnTo(value, "/home"), expected);
  // Whatever passes stays on the page's own origin when a browser resolves it.
  const resolved = new URL(safeReturnTo(value, "/home"), "https://own.example/login");
  assert.strictEqual(resolved.origin, "https://own.example");
});

it("safeReturnTo refuses a path that resolves to a double slash", () => {
  assert.strictEqual(safeReturnTo("/.//evil.example", "/home"), "/home");
  assert.strictEqual(safeReturnTo("/a/..//evil.example", "/home"), "/home");
});

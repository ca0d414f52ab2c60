/** `Retry-After` has one reading in all packages. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const codeOf = (path: string): string =>
  readFileSync(new URL(path, import.meta.url), "utf8").replaceAll(/\/\*\*[\s\S]*?\*\//gu, "");

it("reads Retry-After by the very code of rate-limit", () => {
  expect(codeOf("../src/internal/retryAfterMillis.ts")).toBe(
    codeOf("../../rate-limit/src/retryAfter.ts"),
  );
});

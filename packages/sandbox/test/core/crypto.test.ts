/** Tokens: 256 bits of the system's randomness each, none of them twice. */
import { expect, it } from "vitest";
import { nodePlatform } from "../../src/platform/node.ts";

it("draws tokens of 256 bits that never come twice, over many refills of the pool", () => {
  const tokens = Array.from({ length: 5_000 }, () => nodePlatform.random(32));
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
  expect(new Set(tokens).size).toBe(tokens.length);
  // Every bit is set in about one half of them: more than seven standard deviations are allowed
  // for.
  for (let bit = 0; bit < 256; bit += 1) {
    const set = tokens.filter(
      (token) => ((Buffer.from(token, "base64url")[bit >> 3] ?? 0) >> (bit & 7)) & 1,
    ).length;
    expect(Math.abs(set - 2_500)).toBeLessThan(260);
  }
});

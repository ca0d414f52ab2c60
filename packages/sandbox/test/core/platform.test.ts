/** The two platforms: the same hashes as `node:crypto`, and random tokens. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { hex } from "../../src/internal/encoding.ts";
import { sha256Bytes } from "../../src/internal/sha256.ts";
import { nodePlatform } from "../../src/platform/node.ts";
import { webPlatform } from "../../src/platform/web.ts";

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31 + 7) & 255);

it.each([0, 1, 55, 56, 63, 64, 119, 120, 1000])(
  "sha256Bytes hashes %i bytes as Node does",
  (length) => {
    const message = bytes(length);
    expect(hex(sha256Bytes(message))).toBe(createHash("sha256").update(message).digest("hex"));
  },
);

it("the platforms for Node and the web compute equal hashes, also beyond ASCII", async () => {
  for (const text of ["", "token", "Łucja#0077", "🐝".repeat(40)]) {
    for (const encoding of ["hex", "base64url"] as const)
      expect(webPlatform.sha256(text, encoding)).toBe(nodePlatform.sha256(text, encoding));
  }
  expect(webPlatform.random(32)).toMatch(/^[\w-]{43}$/u);
  const packed = await webPlatform.compress(new TextEncoder().encode("x".repeat(5000)), "gzip");
  expect(packed.length).toBeLessThan(200);
});

it("random tokens of the Node platform never repeat, over many refills of its pool", () => {
  const tokens = Array.from({ length: 5_000 }, () => nodePlatform.random(32));
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
  expect(new Set(tokens).size).toBe(tokens.length);
});

/** SHA-256 and HMAC in JavaScript give what `node:crypto` gives. */
import { createHash, createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { hex } from "../../src/internal/encoding.ts";
import { hmacSha256, sha256Bytes } from "../../src/internal/sha256.ts";
import { nodePlatform } from "../../src/platform/node.ts";
import { webPlatform } from "../../src/platform/web.ts";

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31 + 7) & 255);

it.each([0, 1, 55, 56, 63, 64, 119, 120, 1000])("hashes %i bytes", (length) => {
  const message = bytes(length);
  expect(hex(sha256Bytes(message))).toBe(createHash("sha256").update(message).digest("hex"));
  const key = bytes(length);
  expect(hex(hmacSha256(key, message))).toBe(
    createHmac("sha256", key).update(message).digest("hex"),
  );
});

it("is the same on both platforms, for texts beyond ASCII too", async () => {
  for (const text of ["", "token", "Łucja#0077", "🐝".repeat(40)]) {
    for (const encoding of ["hex", "base64url"] as const)
      expect(webPlatform.sha256(text, encoding)).toBe(nodePlatform.sha256(text, encoding));
    expect(webPlatform.hmac("key", text)).toBe(nodePlatform.hmac("key", text));
  }
  expect(webPlatform.random(32)).toMatch(/^[\w-]{43}$/u);
  const packed = await webPlatform.compress(new TextEncoder().encode("x".repeat(5000)), "gzip");
  expect(packed.length).toBeLessThan(200);
});

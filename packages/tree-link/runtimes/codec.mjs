// The codec in this runtime: every way of conversion that it may have chosen reads and writes the
// same.
import assert from "node:assert/strict";
import { decode, encode, encodeBytes, decodeBytes, safeDecode } from "@game-data/tree-link";
import { extractPayload } from "@game-data/tree-link/url";

const list = (length, step) => Array.from({ length }, (_, i) => (i * step + 1) % 65_536);
for (const length of [0, 1, 2, 3, 120, 255]) {
  const link = {
    version: 6,
    class: 3,
    ascendancy: 2,
    alternateAscendancy: 63,
    hashes: list(length, 7919),
    extendedHashes: list(length, 31),
    masteries: list(length, 257).map((node) => ({ node, effect: 65_535 - node })),
  };
  const payload = encode(link);
  assert.deepEqual(decode(payload), link);
  assert.deepEqual(decodeBytes(encodeBytes(link)), link);
  assert.equal(encode(decode(payload)), payload);
  assert.equal(
    extractPayload(`https://www.example.com/passive-skill-tree/${payload}`).payload,
    payload,
  );
}
const long = { version: 4, class: 0, ascendancy: 0, fullscreen: 1, hashes: list(20_000, 3) };
assert.deepEqual(decode(encode(long)), long);
for (const [payload, reason] of [
  ["\u0141AAABgABAAAA", "invalid-character"],
  ["AAAA BgABAAAA", "invalid-character"],
  ["AAAABv+-AAAA", "invalid-character"],
  ["AAAABgMCAQABAAB=", "non-zero-tail-bits"],
  ["AAAABwAAAAAA", "unknown-version"],
]) {
  const result = safeDecode(payload);
  assert.equal(result.ok ? "accepted" : result.error.reason, reason);
}

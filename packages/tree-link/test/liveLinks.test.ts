/**
 * Links in the shapes that sites and programs pass around. The payloads were written byte by byte
 * from the published layout and not by the codec.
 */
import { encode, safeDecode } from "@game-data/tree-link";
import { expect, it } from "vitest";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex").toString("base64url");

const tree = { class: 3, ascendancy: 1, hashes: [5, 0xaf_eb] };

it.each([
  [4, "00000004 03 01 00 0005afeb", { fullscreen: 0 }],
  [5, "00000005 03 01 02 0005afeb 01 0100", { extendedHashes: [256] }],
  [
    6,
    "00000006 03 09 02 0005afeb 00 01 00070009",
    { alternateAscendancy: 2, extendedHashes: [], masteries: [{ effect: 7, node: 9 }] },
  ],
])("reads version %i by its fields, and writes the same bytes", (version, hex, fields) => {
  const payload = bytes(hex);
  const decoded = safeDecode(payload);
  expect(decoded).toMatchObject({ ok: true, link: { version, ...tree, ...fields } });
  if (decoded.ok) expect(encode(decoded.link).replace(/=+$/u, "")).toBe(payload);
});

it.each([
  ["version 2, which programs wrote until 2014", "00000002 02 00 0005afeb"],
  ["version 3", "00000003 02 01 00 0005"],
  ["a payload that ends within its version", "000000"],
  ["a payload that ends within a hash", "00000006 03 01 02 0005af"],
])("rejects %s", (_name, hex) => {
  expect(safeDecode(bytes(hex))).toMatchObject({ ok: false });
});

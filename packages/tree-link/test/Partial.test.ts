import { encode, encodeBytes, safeDecode } from "@game-data/tree-link";
import { layout } from "@game-data/tree-link/layout";
import { decodePartial } from "@game-data/tree-link/partial";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { link as anyLink, nearlyPayload } from "@game-data/tree-link/arbitrary";
import { LINK as link } from "./support.ts";

const payload = encode(link);

describe("decodePartial", () => {
  it("reads a whole link as `decode` and `layout` do", () => {
    fc.assert(
      fc.property(anyLink, (value) => {
        const text = encode(value);
        const read = decodePartial(text);
        expect(read).not.toHaveProperty("error");
        expect(read.link).toMatchObject(value);
        expect(read.fields).toEqual(layout(text).fields);
        expect([...read.bytes]).toEqual([...encodeBytes(value)]);
        expect(read.rest).toHaveLength(0);
      }),
      { numRuns: 100, seed: 20_261_121 },
    );
  });

  it("reads each prefix as far as it goes", () => {
    for (let end = 0; end < payload.length - 2; end++) {
      const text = payload.slice(0, end);
      const { bytes, error, expected, fields, link: read, rest } = decodePartial(text);
      expect(error?.reason).toBe("truncated");
      expect(bytes).toHaveLength((end * 3) >> 2);
      expect(read.hashes).toEqual(link.hashes.slice(0, read.hashes.length));
      expect(bytes.length).toBe((fields.at(-1)?.bytes.end ?? 0) + rest.length);
      const counts = Object.entries({ hashes: 3, extendedHashes: 1, masteries: 1 });
      expect(Object.entries(expected)).toEqual(counts.slice(0, Object.keys(expected).length));
      expect(fields).toEqual(layout(payload).fields.slice(0, fields.length));
    }
    const half = decodePartial(payload.slice(0, 15));
    const lists = { hashes: [2151, 4397], extendedHashes: [], masteries: [] };
    expect(half.link).toEqual({ ...link, ...lists });
    expect(half.expected).toEqual({ hashes: 3 });
  });

  it("reads as many characters as it is told, and none of what is no text", () => {
    expect(decodePartial(payload)).not.toHaveProperty("error");
    expect(decodePartial(payload, { maxLength: 12 }).bytes).toHaveLength(9);
    expect(decodePartial(7 as never).fields).toEqual([]);
  });

  it("stops at a foreign character", () => {
    const { error, link: read } = decodePartial(`${payload.slice(0, 12)}*${payload.slice(13)}`);
    expect(error).toMatchObject({ reason: "invalid-character", offset: 12 });
    expect(read.hashes).toEqual([2151]);
  });

  it("reads everything before surplus bytes, and shows these", () => {
    const text = Buffer.from([...encodeBytes(link), 1, 2]).toString("base64url");
    const { error, link: read, rest } = decodePartial(text);
    expect(error?.reason).toBe("trailing-bytes");
    expect(read).toEqual(link);
    expect([...rest]).toEqual([1, 2]);
    const { bytes } = decodePartial(text);
    decodePartial("AAAABwMCAAAA");
    expect([...bytes]).toEqual([...encodeBytes(link), 1, 2]);
  });

  it("reads everything of a link with tail bits", () => {
    const { bytes, error, expected, link: read } = decodePartial("AAAABgMCAvvvvv8AAB");
    expect(error?.reason).toBe("non-zero-tail-bits");
    expect(bytes).toHaveLength(13);
    expect(expected).toEqual({ hashes: 2, extendedHashes: 0, masteries: 0 });
    expect(read.hashes).toEqual([0xfbef, 0xbeff]);
    expect(read.masteries).toEqual([]);
  });

  it("reads the version alone of a version that it does not know", () => {
    const { fields, link: read, rest } = decodePartial("AAAABwMCAAAA");
    expect(read).toEqual({ version: 7, hashes: [], extendedHashes: [], masteries: [] });
    expect(fields).toHaveLength(1);
    expect(rest).toHaveLength(5);
  });

  it("never throws, whatever the text", () => {
    const text = fc.oneof(nearlyPayload, fc.string({ unit: "binary", maxLength: 40 }));
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 50 }), (value, maxLength) => {
        const result = safeDecode(value, { maxLength });
        const read = decodePartial(value, { maxLength });
        if (result.ok) expect(read.link).toMatchObject(result.link);
        else expect(read.error?.message).toBe(result.error.message);
      }),
      { numRuns: 500, seed: 20_261_121 },
    );
    expect(decodePartial(7 as never).error?.reason).toBe("invalid-type");
    expect(decodePartial(payload, { maxLength: Number.NaN }).fields).toEqual([]);
  });
});

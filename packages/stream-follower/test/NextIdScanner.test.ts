import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { COMPRESSED_HEAD_BYTES as MOST, inflateHead } from "../src/core/inflateHead.ts";
import { NextIdScanner, scanNextId } from "../src/core/NextIdScanner.ts";
import { share } from "./support/RandomPages.ts";

const bytes = (text: string) => Buffer.from(text);

describe("the early id", () => {
  it("is found as soon as its string is whole", () => {
    const text = '{"next_change_id":"1-2-3","stashes":[';
    const end = text.indexOf('"1-2-3"') + 7;
    for (let length = 0; length < text.length; length += 1) {
      expect(scanNextId(bytes(text.slice(0, length)))).toBe(length >= end ? "1-2-3" : undefined);
    }
  });

  const trap =
    '{"stashes":[{"next_change_id":"trap"}],"a":"next_change_id","b":"\\"next_change_id\\":\\"x\\""';
  it.each([
    ["a number whose end has not come", '{"next_change_id":17728164', undefined],
    ["a number before a comma", '{"next_change_id":1772816400,', "1772816400"],
    ["a number at the end", '{"markets":[],"next_change_id":5}', "5"],
    ["a number before a space", '{"next_change_id":5 ', "5"],
    [
      "a number of 16 digits, and none of 17",
      '{"next_change_id":1234567890123456,',
      "1234567890123456",
    ],
    ["a number that is longer", '{"next_change_id":12345678901234567,', undefined],
    ["a fraction", '{"next_change_id":1.5,', undefined],
    ["no id in items, texts or values", `${trap}}`, undefined],
    ["the id after them", `${trap},"next_change_id" : "real"}`, "real"],
    ["a text of that name before it", '{"a":["next_change_id"],"next_change_id":"b"', "b"],
    ["a key whose colon has not come", '{"next_change_id" ', undefined],
    ["a key that has no colon", '{"next_change_id" "a","next_change_id":"b"', "b"],
    ["an escaped id", '{"next_change_id":"a\\u002db\\"","x":1', 'a-b"'],
    ["an id that ends with an escape", '{"next_change_id":"a\\\\","x":1', "a\\"],
    ["an id that is no JSON", '{"next_change_id":"a\\x","x":1', undefined],
    ["an id of another script", '{"next_change_id":"이름","x":1', "이름"],
    ["an id in a list at the top", '["next_change_id":"a"', "a"],
    ["an id behind an object that has ended", '{},"next_change_id":"a"', undefined],
    ["an id behind 64 KiB", `{"a":"${"x".repeat(65_536)}","next_change_id":"b"`, undefined],
  ])("is read of %s", (_, text, id) => {
    expect(scanNextId(bytes(text))).toBe(id);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    "never differs from JSON.parse, at any prefix of any page: %i",
    (seed) => {
      const member = fc
        .tuple(fc.string(), fc.jsonValue())
        .map(([key, value]) => ({ [key]: value }));
      fc.assert(
        fc.property(
          fc.array(member, { maxLength: 4 }),
          fc.array(member, { maxLength: 4 }),
          fc.oneof(fc.string({ minLength: 1 }), fc.nat().map(String)),
          fc.boolean(),
          fc.double({ min: 0, max: 1, noNaN: true }),
          (before, after, id, isNumber, part) => {
            const value = isNumber && /^\d+$/.test(id) ? Number(id) : id;
            const page = Object.assign(
              {},
              ...before,
              { next_change_id: value },
              ...after,
            ) as object;
            const text = bytes(JSON.stringify(page));
            const seen = scanNextId(text.subarray(0, Math.ceil(text.length * part)));
            const parsed = (JSON.parse(text.toString()) as { next_change_id: unknown })
              .next_change_id;
            if (seen !== undefined) expect(seen).toBe(String(parsed));
            if (typeof parsed === "string" || Number.isInteger(parsed)) {
              expect(scanNextId(text)).toBe(String(parsed));
            }
          },
        ),
        { numRuns: share(150), seed },
      );
    },
  );
});

describe("the head of a compressed body", () => {
  const text = `{"next_change_id":"1-2-3","stashes":[${'{"id":"x"},'.repeat(20_000)}`;

  it("shows the id in the first 256 bytes of gzip and the first 1024 of brotli; zstd is not looked into", () => {
    const gzip = gzipSync(text).subarray(0, 256);
    expect(scanNextId(inflateHead(gzip, "gzip")!)).toBe("1-2-3");
    const brotli = brotliCompressSync(text).subarray(0, 1024);
    expect(scanNextId(inflateHead(brotli, "br", ["br"])!)).toBe("1-2-3");
    expect(inflateHead(zstdCompressSync(text), "zstd", ["zstd"])).toBe(undefined);
  });

  const NONE = [1, 1, 2, 3, 4, 7, 8];
  it.each([
    ["", [...NONE, 65_535, 65_536, 131_072, 262_144], [1, 2, 4, 8, 65_535, 131_072]],
    ["identity", [MOST, 65_536, 131_072], [MOST, 65_536]],
    ["gzip", [...NONE, MOST, MOST * 2], [1, 2, 4, 8, MOST]],
    ["br", [MOST - 1, MOST, 2 * MOST - 2, 4 * MOST], [MOST - 1, 2 * MOST - 2]],
  ])("is searched where it has doubled, up to its bound: %s %j", (encoding, lengths, searched) => {
    const watch = new NextIdScanner(encoding);
    const looks = lengths.flatMap((length) => {
      let isLook = false;
      watch.look(length, () => ((isLook = true), Buffer.alloc(0)));
      return isLook ? [length] : [];
    });
    expect(looks).toEqual(searched);
  });

  it("is searched no more once it has shown the id", () => {
    const watch = new NextIdScanner("identity");
    expect(watch.look(1, () => bytes('{"next_change_id":"a"'))).toBe("a");
    expect(watch.look(100, () => bytes('{"next_change_id":"b"'))).toBe("a");
  });
});

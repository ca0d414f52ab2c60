import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { inflateHead } from "@game-data/contract/inflate";
import { NextIdScanner, scanNextId } from "../src/core/NextIdScanner.ts";

const bytes = (text: string) => Buffer.from(text);

describe("the early id", () => {
  it("is found as soon as its string is whole", () => {
    const text = '{"next_change_id":"1-2-3","stashes":[';
    const end = text.indexOf('"1-2-3"') + 7;
    for (let length = 0; length < text.length; length += 1) {
      expect(scanNextId(bytes(text.slice(0, length)))).toBe(length >= end ? "1-2-3" : undefined);
    }
  });

  it("is a number only when the byte after it has come: 17728164 is not yet 1772816400", () => {
    expect(scanNextId(bytes('{"next_change_id":17728164'))).toBe(undefined);
    expect(scanNextId(bytes('{"next_change_id":1772816400,'))).toBe("1772816400");
    expect(scanNextId(bytes('{"markets":[],"next_change_id":5}'))).toBe("5");
  });

  it("is looked for at the top only: not in items, not in texts, not as a value", () => {
    const trap =
      '{"stashes":[{"next_change_id":"trap"}],"a":"next_change_id","b":"\\"next_change_id\\":\\"x\\""';
    expect(scanNextId(bytes(`${trap}}`))).toBe(undefined);
    expect(scanNextId(bytes(`${trap},"next_change_id" : "real"}`))).toBe("real");
  });

  it("unescapes", () => {
    expect(scanNextId(bytes('{"next_change_id":"a\\u002db\\"","x":1'))).toBe('a-b"');
  });

  it("never differs from JSON.parse, at any prefix of any page", () => {
    const member = fc.tuple(fc.string(), fc.jsonValue()).map(([key, value]) => ({ [key]: value }));
    fc.assert(
      fc.property(
        fc.array(member, { maxLength: 4 }),
        fc.array(member, { maxLength: 4 }),
        fc.oneof(fc.string({ minLength: 1 }), fc.nat().map(String)),
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (before, after, id, isNumber, part) => {
          const value = isNumber && /^\d+$/.test(id) ? Number(id) : id;
          const page = Object.assign({}, ...before, { next_change_id: value }, ...after) as object;
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
      { numRuns: 500, seed: 3 },
    );
  });
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

  it("costs at most twice its size to search, however small the pieces are", () => {
    const body = Buffer.from(`{"stashes":["${"x".repeat(60_000)}`);
    const watch = new NextIdScanner("identity");
    let searched = 0;
    for (let length = 1; length <= body.length; length += 1) {
      watch.look(length, () => {
        searched += length;
        return body.subarray(0, length);
      });
    }
    expect(searched).toBeLessThan(2 * 65_536);
  });
});

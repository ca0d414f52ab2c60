/**
 * Properties of the codec, over generated links, bytes and texts; seeded, so that a failure is the
 * same on every machine.
 */
import {
  decode,
  decodeBytes,
  encode,
  encodeBytes,
  safeDecode,
  type TreeLink,
  TreeLinkError,
} from "@game-data/tree-link";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bufferCodec, uint8ArrayCodec } from "../src/internal/Base64Url.ts";
import {
  link,
  nearlyInput,
  nearlyPayload,
  payload as anyPayload,
} from "@game-data/tree-link/arbitrary";
import { VERSIONS } from "../src/internal/table.ts";
import { plainCodec } from "./faults/plainCodec.ts";

const RUNS = { numRuns: 500, seed: 20_261_121 };
const unpadded = (payload: string) => payload.replace(/=+$/u, "");

describe("round trips", () => {
  it("gives back the link that was encoded", () => {
    fc.assert(
      fc.property(link, (value) => {
        expect(decode(encode(value))).toEqual(value);
        expect(decodeBytes(encodeBytes(value))).toEqual(value);
      }),
      { ...RUNS, numRuns: 200 },
    );
  });

  // So no two texts are one link.
  it("gives back every payload that it accepts, and throws nothing but TreeLinkError", () => {
    const any = fc.oneof(nearlyPayload, fc.string({ unit: "binary", maxLength: 40 }));
    fc.assert(
      fc.property(any, (text) => {
        const result = safeDecode(text);
        if (result.ok) {
          expect(unpadded(encode(result.link))).toBe(unpadded(text));
          return;
        }
        expect(result.error).toBeInstanceOf(TreeLinkError);
        expect(result.error.offset).toBeLessThanOrEqual(text.length);
      }),
      RUNS,
    );
  });

  it("throws nothing but TreeLinkError, whatever is called a link", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...VERSIONS), (value, version) => {
        for (const candidate of [value, { ...(value as object), version, hashes: [value] }]) {
          try {
            encode(candidate as never);
          } catch (error) {
            expect(error).toBeInstanceOf(TreeLinkError);
          }
        }
      }),
      RUNS,
    );
  });
});

describe("a second codec", () => {
  it("agrees on every text", () => {
    fc.assert(
      fc.property(fc.oneof(nearlyPayload, anyPayload), (text) => {
        const result = safeDecode(text);
        expect(result.ok ? result.link : undefined).toEqual(plainCodec().decode(text));
      }),
      RUNS,
    );
  });

  it("agrees on every link, and on those that fit no payload", () => {
    fc.assert(
      fc.property(link, nearlyInput, (value, wrong) => {
        expect(encode(value)).toBe(plainCodec().encode!(value));
        expect(() => encode(wrong as never)).toThrow(TreeLinkError);
        expect(plainCodec().encode!(wrong)).toBeUndefined();
      }),
      { ...RUNS, numRuns: 500 },
    );
  });
});

/**
 * `setFromBase64` where the engine has it, else a stand-in that behaves as the standard says: laxly.
 */
const modern = () => {
  const prototype = Uint8Array.prototype as unknown as Record<string, unknown>;
  if (!("setFromBase64" in prototype)) {
    prototype["setFromBase64"] = function (this: Uint8Array, text: string, options: Options) {
      const alphabet = options.alphabet === "base64url" ? /[^\w-]/u : /[^A-Za-z0-9+/]/u;
      const compact = text.replace(/[ \t\n\f\r]/gu, "").replace(/={1,2}$/u, "");
      if (alphabet.test(compact) || compact.length % 4 === 1) throw new SyntaxError("base64");
      const bytes = Buffer.from(compact, "base64url").subarray(0, this.length);
      this.set(bytes);
      return { read: text.length, written: bytes.length };
    };
    prototype["toBase64"] = function (this: Uint8Array, options: Options) {
      const encoding = options.alphabet === "base64url" ? "base64url" : "base64";
      const text = Buffer.from(this.buffer, this.byteOffset, this.length).toString(encoding);
      return options.omitPadding ? text : text.padEnd(Math.ceil(text.length / 4) * 4, "=");
    };
  }
  return uint8ArrayCodec(true);
};

interface Options {
  readonly alphabet?: string;
  readonly omitPadding?: boolean;
}

const WAYS = [
  ["bufferCodec", bufferCodec()],
  ["tableCodec", uint8ArrayCodec(false)],
  ["uint8ArrayCodec", modern()],
] as const;

describe.each(WAYS)("the conversion of %s", (_, way) => {
  const read = (text: string, end: number) => {
    const view = way.toBytes(text, end);
    return view && Array.from({ length: (end * 3) >>> 2 }, (__, at) => view.getUint8(at));
  };

  // Short texts go through a table in all ways, so each text is also tried behind a long start.
  const start = fc.constantFrom("", "A".repeat(36), "A".repeat(96), "A".repeat(128));

  it("reads the bytes of every UTF-16 text that is canonical, and refuses the others", () => {
    const unit = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(..."AAAAABCDEFGQZabz019-_") },
      { weight: 1, arbitrary: fc.constantFrom(..."+/= \t\n%", "\u0141", "é", "\ud83d", "\0") },
      { weight: 1, arbitrary: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) },
    );
    const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
    fc.assert(
      fc.property(start, text, (before, after) => {
        const whole = before + after;
        const bytes = Buffer.from(whole, "base64url");
        const isCanonical = /^[\w-]*$/u.test(whole) && bytes.toString("base64url") === whole;
        expect(read(whole, whole.length)).toEqual(isCanonical ? [...bytes] : undefined);
      }),
      { ...RUNS, numRuns: 1_500 },
    );
  });

  it("writes the text of every stream, whatever the buffer held before", () => {
    const agrees = (bytes: Uint8Array) => {
      const scratch = way.allocate(bytes.length + 3);
      scratch.fill(255);
      scratch.set(bytes);
      expect(way.toText(scratch, bytes.length)).toBe(Buffer.from(bytes).toString("base64url"));
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5_000 }), agrees), { ...RUNS, numRuns: 100 });
    for (let size = 0; size < 48; size++) agrees(Uint8Array.from({ length: size }, (__, i) => ~i));
  });

  it("reads a payload with its padding as without, as far as it is told", () => {
    const agrees = (value: TreeLink) => {
      const text = encode(value);
      expect(read(text, unpadded(text).length)).toEqual([...encodeBytes(value)]);
    };
    fc.assert(fc.property(link, agrees), { ...RUNS, numRuns: 100 });
  });

  it("shares its buffer up to 4 096 bytes, and no further", () => {
    const shared = way.toBytes("AAAA", 4);
    expect(way.toBytes("A".repeat(5_462), 5_462)).toBe(shared);
    expect(way.toBytes("A".repeat(5_463), 5_463)).not.toBe(shared);
  });

  it("refuses each foreign character at each place: U+0141 is no `A`", () => {
    for (const length of [12, 44, 131]) {
      expect(way.toBytes("A".repeat(length), length)).toBeDefined();
      for (let at = 0; at < length; at++) {
        for (const character of "+/ \n=%\u00c1\u0141\u2010") {
          const text = `${"A".repeat(at)}${character}${"A".repeat(length - at - 1)}`;
          expect(way.toBytes(text, length)).toBeUndefined();
        }
      }
    }
  });
});

describe("the shared buffer", () => {
  it("never shows through: earlier results stay what they were", () => {
    const bytes = encodeBytes(decode("AAAABgABAAAA"));
    const kept = decode("AAAABgMCAQABAAA=");
    const copy = structuredClone(kept);
    encode(decode("AAAABv_-AAAA"));
    encodeBytes(decode("AAAABv_-AAAA"));
    expect([...bytes]).toEqual([0, 0, 0, 6, 0, 1, 0, 0, 0]);
    expect(kept).toEqual(copy);
  });
});

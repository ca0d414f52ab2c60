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
  TreeLinkError,
} from "@game-data/tree-link";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeConversion } from "../src/internal/base64url.ts";
import {
  link,
  nearlyInput,
  nearlyPayload,
  payload as anyPayload,
} from "@game-data/tree-link/arbitrary";
import { VERSIONS } from "../src/internal/table.ts";
import { plainCodec } from "./faults/plainCodec.ts";
import { anyText } from "./support.ts";

const RUNS = { numRuns: 500, seed: 20_261_121 };
const unpadded = (payload: string) => payload.replace(/=+$/u, "");

describe("round trips", () => {
  it("decode returns the link that encode has written", () => {
    fc.assert(
      fc.property(link, (value) => {
        expect(decode(encode(value))).toEqual(value);
        expect(decodeBytes(encodeBytes(value))).toEqual(value);
      }),
      { ...RUNS, numRuns: 200 },
    );
  });

  // So no two texts are one link.
  it("encode gives back each payload that safeDecode accepts, and other texts give a TreeLinkError", () => {
    const any = fc.oneof(nearlyPayload, anyText);
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

  it("encode throws nothing but TreeLinkError, whatever the value", () => {
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
  it("safeDecode reads every text as an independent second codec does", () => {
    fc.assert(
      fc.property(fc.oneof(nearlyPayload, anyPayload), (text) => {
        const result = safeDecode(text);
        expect(result.ok ? result.link : undefined).toEqual(plainCodec().decode(text));
      }),
      RUNS,
    );
  });

  it("encode writes every link as an independent second codec does, and both refuse wrong links", () => {
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

describe.each([
  ["Buffer", true],
  ["the table", false],
])("base64url by %s", (_, hasBuffer) => {
  const { allocate, toBytes, toText } = makeConversion(hasBuffer);
  const read = (text: string, end = text.length) => {
    const view = toBytes(text, end);
    return view && Array.from({ length: (end * 3) >>> 2 }, (__, at) => view.getUint8(at));
  };

  it("toBytes reads every text that is canonical base64url, and refuses all other texts", () => {
    const unit = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(..."AAAAABCDEFGQZabz019-_") },
      { weight: 1, arbitrary: fc.constantFrom(..."+/= \t\n%", "\u0141", "é", "\ud83d", "\0") },
      { weight: 1, arbitrary: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) },
    );
    // `Buffer` reads long texts only.
    const start = fc.constantFrom("", "A".repeat(36), "A".repeat(128));
    const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
    fc.assert(
      fc.property(start, text, (before, after) => {
        const whole = before + after;
        const bytes = Buffer.from(whole, "base64url");
        const isCanonical = /^[\w-]*$/u.test(whole) && bytes.toString("base64url") === whole;
        expect(read(whole)).toEqual(isCanonical ? [...bytes] : undefined);
      }),
      { ...RUNS, numRuns: 2_000 },
    );
  });

  it("toText writes the canonical text of all bytes, whatever the buffer held before", () => {
    const agrees = (bytes: Uint8Array) => {
      const buffer = allocate(bytes.length + 3);
      buffer.fill(255);
      buffer.set(bytes);
      expect(toText(buffer, bytes.length)).toBe(Buffer.from(bytes).toString("base64url"));
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5_000 }), agrees), { ...RUNS, numRuns: 100 });
    for (let size = 0; size < 48; size++) agrees(Uint8Array.from({ length: size }, (__, i) => ~i));
  });
});

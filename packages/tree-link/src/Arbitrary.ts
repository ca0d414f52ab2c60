/**
 * Generators of links and of texts near them: `tree-link/arbitrary`. For property tests and fuzzing
 * of your own codec. Needs `fast-check`, which is an optional peer.
 *
 * ```ts
 * import { decode, encode } from "@game-data/tree-link";
 * import { samplePayloads } from "@game-data/tree-link/arbitrary";
 *
 * for (const payload of samplePayloads(20, 1))
 *   if (encode(decode(payload)) !== payload) throw new Error("a round trip");
 * ```
 */
import fc from "fast-check";
import { encode } from "./Encode.ts";
import type { TreeLink } from "./TreeLink.ts";

const uint8 = fc.integer({ min: 0, max: 255 });
const uint16 = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 65_535 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 255, 256, 32_768, 65_535) },
);
const hashes = (maxLength: number) => fc.array(uint16, { maxLength, size: "max" });
const mastery = fc.record({ node: uint16, effect: uint16 });

/** Any link that a payload can hold, of any version. */
export const link: fc.Arbitrary<TreeLink> = fc.oneof(
  fc.record({
    version: fc.constant(4 as const),
    class: uint8,
    ascendancy: uint8,
    fullscreen: fc.constantFrom(0 as const, 1 as const),
    hashes: hashes(400),
  }),
  fc.record({
    version: fc.constant(5 as const),
    class: uint8,
    ascendancy: uint8,
    hashes: hashes(255),
    extendedHashes: hashes(255),
  }),
  fc.record({
    version: fc.constant(6 as const),
    class: uint8,
    ascendancy: fc.integer({ min: 0, max: 3 }),
    alternateAscendancy: fc.integer({ min: 0, max: 63 }),
    hashes: hashes(255),
    extendedHashes: hashes(255),
    masteries: fc.array(mastery, { maxLength: 255, size: "max" }),
  }),
);

/** Canonical payloads, padded. */
export const payload: fc.Arbitrary<string> = link.map((value) => encode(value));

/** Bytes that look like a link far enough to reach every branch of a decoder. */
export const nearlyLink: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.constantFrom(3, 4, 5, 6, 7),
    fc.uint8Array({ maxLength: 64 }),
    fc.array(uint8, { maxLength: 4 }),
  )
  .map(([version, rest, counts]) => {
    const bytes = Uint8Array.from([0, 0, 0, version, ...rest]);
    // Small counts here and there, so that lists end inside the stream now and then.
    counts.forEach((at, i) => {
      if (at < bytes.length) bytes[at] = i;
    });
    return bytes;
  });

/**
 * Text near base64url: the alphabet, its neighbours, padding, white space, and characters whose low
 * byte is in the alphabet.
 */
export const nearlyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(..."AAAAABCDEFGQZabz019-_") },
      {
        weight: 1,
        arbitrary: fc.constantFrom(..."+/= \t\n%", "\u0141", "\u2010", "é", "\uD83D", "\u0000"),
      },
    ),
    { maxLength: 40 },
  )
  .map((characters) => characters.join(""));

/** Any UTF-16 text, lone surrogates included. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.nat({ max: 0xffff }), { maxLength })
    .map((codes) => codes.map((code) => String.fromCharCode(code)).join(""));

/** Generates canonical payloads without a property test; the same for the same seed. */
export const samplePayloads = (count: number, seed: number): Array<string> =>
  fc.sample(payload, { numRuns: count, seed });

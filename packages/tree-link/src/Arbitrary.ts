/**
 * Generators of links and of what is almost one: `tree-link/arbitrary`. For property tests of your
 * own codec. Needs `fast-check`, which is an optional peer; `tree-link/fuzz` works without.
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
import {
  editPayload,
  makeLink,
  type Pick,
  type WrongLink,
  wrongLinks,
} from "./internal/choices.ts";
import { wrongType } from "./internal/reading.ts";
import type { TreeLink } from "./TreeLink.ts";
import { unpadded } from "./Vectors.ts";

/** Enough for a link and an edit; a generator that asks for more gets 0. */
const CHOICES = 64;

/** Choices that shrink towards 0: shorter lists, smaller numbers, the first edit. */
const choices: fc.Arbitrary<Pick> = fc
  .array(fc.noBias(fc.nat({ max: 0x7fff_ffff })), { minLength: CHOICES, maxLength: CHOICES })
  .map((numbers) => {
    let at = 0;
    return (below) => (numbers[at++] ?? 0) % below;
  });

/**
 * Any link that a payload can hold, of any version. Most lists are short; some have a length at
 * which decoders go wrong, such as 128, 255, or 2,049 in version 4.
 */
export const link: fc.Arbitrary<TreeLink> = choices.map(makeLink);

/** Canonical payloads, padded. */
export const payload: fc.Arbitrary<string> = link.map((value) => encode(value));

/**
 * A canonical payload, half of the times without its padding, with exactly one edit: of a
 * character, of a byte, or around it. Few are links.
 */
export const nearlyPayload: fc.Arbitrary<string> = choices.map((pick) => {
  const text = encode(makeLink(pick));
  return editPayload([text, unpadded(text)][pick(2)]!, pick);
});

/** A link with exactly one member that its version cannot hold: `encode` refuses it. */
export const nearlyInput: fc.Arbitrary<WrongLink["link"]> = choices.map((pick) => {
  const wrong = wrongLinks(makeLink(pick), [Number.NaN, Infinity]);
  return wrong[pick(wrong.length)]!.link;
});

/** Generates canonical payloads without a property test; the same for the same seed. */
export const samplePayloads = (count: number, seed: number): Array<string> => {
  if (!Number.isInteger(count) || count < 0) throw wrongType("count");
  if (!Number.isFinite(seed)) throw wrongType("seed");
  return fc.sample(payload, { numRuns: count, seed });
};

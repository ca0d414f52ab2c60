/** Random text of any code points but surrogates. */
import * as fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 } as const;

const character = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((nth) => String.fromCodePoint(nth < SURROGATES.first ? nth : nth + SURROGATES.count));

/** The unit `binary` of fast-check says the same, and takes a second for its table of them all. */
export const anyText: fc.Arbitrary<string> = fc.string({ unit: character });

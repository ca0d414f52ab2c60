import { decode, encode } from "@game-data/tree-link";
import { nearlyPayload, payload as anyPayload } from "@game-data/tree-link/arbitrary";
import { repair } from "@game-data/tree-link/partial";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const LINK = "AAAABgMCAghnES0AAboaES0=";

describe("repair", () => {
  it.each([
    ["no padding of the right length", `${LINK}=`, "sets the padding to =", LINK],
    [
      "tail bits",
      "AAAABgMCAQABAAB=",
      "clears the unused bits of the last character",
      "AAAABgMCAQABAAA=",
    ],
    [
      "two blanks",
      "AAAA BgMC AghnES0AAboaES0=",
      "leaves out 2 characters that are no base64url (from 4)",
      LINK,
    ],
    ["a line break", "AAAABgMC\nAghnES0AAboaES0=", "leaves out character 8 (no base64url)", LINK],
    ["standard base64", "AAAABv+/AAAA", "writes + as -, writes / as _", "AAAABv-_AAAA"],
    ["a slash", "AAAABgM/AAAA", "writes / as _", "AAAABgM_AAAA"],
    ["bytes at the end", "AAAABgAAAAAAAQ==", "drops byte 9", "AAAABgAAAAAA"],
    [
      "a node less",
      "AAAABgMCBQhnES0=",
      "sets the count of hashes (byte 6) from 5 to 2, appends a count of 0 for extendedHashes and masteries",
      "AAAABgMCAghnES0AAA==",
    ],
    [
      "one character more",
      "AAAABgAAAAAAA=",
      "leaves out the last character, leaves out the padding",
      "AAAABgAAAAAA",
    ],
    [
      "a foreign character and padding",
      "AAAABg*MCAQABAAA==",
      "leaves out character 6 (no base64url), sets the padding to =",
      "AAAABgMCAQABAAA=",
    ],
    ["half a hash", "AAAABAAAAAEB", "", "AAAABAAAAAEB"],
  ])("offers what mends %s", (_, broken, note, mended) => {
    const offers = repair(broken);
    if (note === "") return expect(offers).toEqual([]);
    expect(offers[0]).toEqual({ note, payload: mended });
    expect(encode(decode(mended))).toBe(mended);
  });

  it("offers both readings of bytes at the end: surplus, or a count that is too low", () => {
    const [cut, raised] = repair("AAAABgAAAAAAAAEAAg==");
    expect(cut?.payload).toBe("AAAABgAAAAAA");
    expect(raised?.note).toBe("sets the count of masteries (byte 8) from 0 to 1");
  });

  const textOf = (...bytes: Array<number>) => {
    const standard = btoa(String.fromCharCode(...bytes));
    return standard.replaceAll("+", "-").replaceAll("/", "_");
  };
  const SIX = [0, 0, 0, 6, 3, 2];
  const FIVE = [0, 0, 0, 5, 3, 2];
  const FOUR = [0, 0, 0, 4, 3, 2, 1];
  const list = (length: number) => Array.from({ length: 2 * length }, () => 7);

  it.each([
    ["half a hash", [...FOUR, 9], "drops byte 7", FOUR],
    [
      "no list",
      SIX,
      "appends a count of 0 for hashes and extendedHashes and masteries",
      [...SIX, 0, 0, 0],
    ],
    [
      "no list of version 5",
      FIVE,
      "appends a count of 0 for hashes and extendedHashes",
      [...FIVE, 0, 0],
    ],
    [
      "hashes alone",
      [...SIX, 1, 0, 9],
      "appends a count of 0 for extendedHashes and masteries",
      [...SIX, 1, 0, 9, 0, 0],
    ],
    [
      "hashes of version 5 alone",
      [...FIVE, 0],
      "appends a count of 0 for extendedHashes",
      [...FIVE, 0, 0],
    ],
    ["two lists", [...SIX, 0, 0], "appends a count of 0 for masteries", [...SIX, 0, 0, 0]],
    [
      "half a mastery",
      [...SIX, 0, 0, 2, 1, 2, 3, 4, 5, 6],
      "sets the count of masteries (byte 8) from 2 to 1, drops bytes 13 to 14",
      [...SIX, 0, 0, 1, 1, 2, 3, 4],
    ],
    [
      "extended hashes of which one is half there",
      [...FIVE, 0, 3, 1, 2, 3],
      "sets the count of extendedHashes (byte 7) from 3 to 1, drops byte 10",
      [...FIVE, 0, 1, 1, 2],
    ],
  ])("offers the one end of a link with %s", (_, broken, note, mended) => {
    expect(repair(textOf(...broken))).toEqual([{ note, payload: textOf(...mended) }]);
  });

  it("offers a count of 255, and none above", () => {
    const cut = [...FIVE, 0, 254, ...list(254)];
    expect(repair(textOf(...cut, 7, 7))).toEqual([
      { note: "drops bytes 516 to 517", payload: textOf(...cut) },
      {
        note: "sets the count of extendedHashes (byte 7) from 254 to 255",
        payload: textOf(...FIVE, 0, 255, ...list(255)),
      },
    ]);
    expect(repair(textOf(...cut, 7, 7, 7, 7))).toHaveLength(1);
  });

  it.each([[[0, 0, 0, 4, 3, 2]], [[0, 0, 0, 6, 3]], [[0, 0, 0, 6]]])(
    "offers nothing where the head %j is cut off",
    (bytes) => {
      expect(repair(textOf(...bytes))).toEqual([]);
    },
  );

  it("says of a text all that it changes, and of no padding nothing", () => {
    expect(repair(`${LINK}AA`)).toEqual([
      {
        note: "leaves out character 23 (no base64url), leaves out the last character, drops byte 17",
        payload: LINK,
      },
    ]);
    const tail = "clears the unused bits of the last character";
    expect(repair("AAAABgMCAQABAAB")).toEqual([{ note: tail, payload: "AAAABgMCAQABAAA=" }]);
    expect(repair("AAAABgMCAQABAAB==")[0]?.note).toBe(`${tail}, sets the padding to =`);
  });

  it("reads 10,000 characters and no more", () => {
    const long = textOf(...FOUR, ...list(3_746));
    expect(long).toHaveLength(10_000);
    const broken = `${long.slice(0, -2)}d=`;
    expect(repair(broken)).toEqual([
      { note: "clears the unused bits of the last character", payload: long },
    ]);
    expect(repair(`${broken}=`)).toEqual([]);
  });

  it("offers both values of a fullscreen byte", () => {
    expect(repair("AAAABAAABw==").map(({ note }) => note)).toEqual([
      "sets fullscreen (byte 6) from 7 to 0",
      "sets fullscreen (byte 6) from 7 to 1",
    ]);
  });

  it("offers nothing for a link, another version, or no text", () => {
    for (const text of [LINK, "AAAABwAAAAAA", "", "A", 5 as never, "A".repeat(20_000)])
      expect(repair(text)).toEqual([]);
  });

  it("never throws, offers at most two, and each of them is a link that was changed", () => {
    fc.assert(
      fc.property(fc.oneof(nearlyPayload, anyPayload, fc.string({ unit: "binary" })), (text) => {
        const offers = repair(text);
        expect(offers.length).toBeLessThanOrEqual(2);
        for (const { note, payload } of offers) {
          expect(note).not.toBe("");
          expect(encode(decode(payload))).toBe(payload);
          expect(payload).not.toBe(text);
        }
      }),
      { numRuns: 1_000, seed: 3 },
    );
  });
});

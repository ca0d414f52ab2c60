import { decode, encode } from "@game-data/tree-link";
import { nearlyPayload, payload as anyPayload } from "@game-data/tree-link/arbitrary";
import { repair } from "@game-data/tree-link/partial";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const LINK = "AAAABgMCAghnES0AAboaES0=";

const TAIL = "clears the unused bits of the last character";
const textOf = (...bytes: Array<number>) => {
  const standard = btoa(String.fromCharCode(...bytes));
  return standard.replaceAll("+", "-").replaceAll("/", "_");
};
const SIX = [0, 0, 0, 6, 3, 2];
const FIVE = [0, 0, 0, 5, 3, 2];
const FOUR = [0, 0, 0, 4, 3, 2, 1];
const list = (length: number) => Array.from({ length: 2 * length }, () => 7);

describe("repair", () => {
  it.each([
    [`${LINK}=`, "sets the padding to =", LINK],
    ["AAAABgMCAQABAAB=", TAIL, "AAAABgMCAQABAAA="],
    ["AAAABgMCAQABAAB", TAIL, "AAAABgMCAQABAAA="],
    ["AAAABgMCAQABAAB==", `${TAIL}, sets the padding to =`, "AAAABgMCAQABAAA="],
    ["AAAA BgMC AghnES0AAboaES0=", "leaves out 2 characters that are no base64url (from 4)", LINK],
    ["AAAABgMC\nAghnES0AAboaES0=", "leaves out character 8 (no base64url)", LINK],
    ["AAAABv+/AAAA", "writes + as -, writes / as _", "AAAABv-_AAAA"],
    ["AAAABgM/AAAA", "writes / as _", "AAAABgM_AAAA"],
    ["AAAABgAAAAAAAQ==", "drops byte 9", "AAAABgAAAAAA"],
    [
      "AAAABgMCBQhnES0=",
      "sets the count of hashes (byte 6) from 5 to 2, appends a count of 0 for extendedHashes and masteries",
      "AAAABgMCAghnES0AAA==",
    ],
    ["AAAABgAAAAAAA=", "leaves out the last character, leaves out the padding", "AAAABgAAAAAA"],
    [
      "AAAABg*MCAQABAAA==",
      "leaves out character 6 (no base64url), sets the padding to =",
      "AAAABgMCAQABAAA=",
    ],
    [
      `${LINK}AA`,
      "leaves out character 23 (no base64url), leaves out the last character, drops byte 17",
      LINK,
    ],
  ])("offers first what mends the text %j: %s", (broken, note, mended) => {
    expect(repair(broken)[0]).toEqual({ note, payload: mended });
    expect(encode(decode(mended))).toBe(mended);
  });

  it.each([
    [[...FOUR, 9], "drops byte 7", FOUR],
    [SIX, "appends a count of 0 for hashes and extendedHashes and masteries", [...SIX, 0, 0, 0]],
    [FIVE, "appends a count of 0 for hashes and extendedHashes", [...FIVE, 0, 0]],
    [
      [...SIX, 1, 0, 9],
      "appends a count of 0 for extendedHashes and masteries",
      [...SIX, 1, 0, 9, 0, 0],
    ],
    [[...FIVE, 0], "appends a count of 0 for extendedHashes", [...FIVE, 0, 0]],
    [[...SIX, 0, 0], "appends a count of 0 for masteries", [...SIX, 0, 0, 0]],
    [
      [...SIX, 0, 0, 2, 1, 2, 3, 4, 5, 6],
      "sets the count of masteries (byte 8) from 2 to 1, drops bytes 13 to 14",
      [...SIX, 0, 0, 1, 1, 2, 3, 4],
    ],
    [
      [...FIVE, 0, 3, 1, 2, 3],
      "sets the count of extendedHashes (byte 7) from 3 to 1, drops byte 10",
      [...FIVE, 0, 1, 1, 2],
    ],
  ])("offers the one end of the bytes %j: %s", (broken, note, mended) => {
    expect(repair(textOf(...broken))).toEqual([{ note, payload: textOf(...mended) }]);
  });

  it("offers both readings of bytes at the end: surplus, or a count that is too low", () => {
    const [cut, raised] = repair("AAAABgAAAAAAAAEAAg==");
    expect(cut?.payload).toBe("AAAABgAAAAAA");
    expect(raised?.note).toBe("sets the count of masteries (byte 8) from 0 to 1");
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

  it("reads 10,000 characters and no more", () => {
    const long = textOf(...FOUR, ...list(3_746));
    expect(long).toHaveLength(10_000);
    const broken = `${long.slice(0, -2)}d=`;
    expect(repair(broken)).toEqual([{ note: TAIL, payload: long }]);
    expect(repair(`${broken}=`)).toEqual([]);
  });

  it("offers both values of a fullscreen byte", () => {
    const notes = [0, 1].map((value) => `sets fullscreen (byte 6) from 7 to ${value}`);
    expect(repair("AAAABAAABw==").map(({ note }) => note)).toEqual(notes);
  });

  it("offers nothing for a link, another version, half a hash, no head, or no text", () => {
    const heads = [
      [0, 0, 0, 4, 3, 2],
      [0, 0, 0, 6, 3],
      [0, 0, 0, 6],
    ].map((all) => textOf(...all));
    const texts = [LINK, "AAAABwAAAAAA", "AAAABAAAAAEB", "", "A", 5 as never, "A".repeat(20_000)];
    for (const text of [...texts, ...heads]) expect(repair(text)).toEqual([]);
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
      { numRuns: 500, seed: 3 },
    );
  });
});

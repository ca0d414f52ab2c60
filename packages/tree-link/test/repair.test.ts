import { decode, encode } from "@game-data/tree-link";
import { nearlyPayload, payload as anyPayload } from "@game-data/tree-link/arbitrary";
import { repair } from "@game-data/tree-link/partial";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const LINK = "AAAABgMCAghnES0AAboaES0=";

describe("repair", () => {
  it.each([
    ["no padding of the right length", `${LINK}=`, "sets the padding", LINK],
    [
      "tail bits",
      "AAAABgMCAQABAAB=",
      "clears the unused bits of the last character",
      "AAAABgMCAQABAAA=",
    ],
    ["a line break", "AAAABgMC\nAghnES0AAboaES0=", "leaves out what is no base64url", LINK],
    ["standard base64", "AAAABv+/AAAA", "writes + and / as - and _", "AAAABv-_AAAA"],
    ["bytes at the end", "AAAABgAAAAAAAQ==", "cuts off 1 byte at the end", "AAAABgAAAAAA"],
    [
      "a node less",
      "AAAABgMCBQhnES0=",
      "sets the count of hashes from 5 to 2",
      "AAAABgMCAghnES0AAA==",
    ],
    ["one character more", "AAAABgAAAAAAA=", "leaves out the last character", "AAAABgAAAAAA"],
    [
      "a foreign character and padding",
      "AAAABg*MCAQABAAA==",
      "leaves out what is no base64url",
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
    expect(raised?.note).toBe("sets the count of masteries from 0 to 1");
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
    ["half a hash", [...FOUR, 9], "cuts off half a hash", FOUR],
    ["no list", SIX, "ends the link without nodes", [...SIX, 0, 0, 0]],
    ["no list of version 5", FIVE, "ends the link without nodes", [...FIVE, 0, 0]],
    ["hashes alone", [...SIX, 1, 0, 9], "ends the link behind hashes", [...SIX, 1, 0, 9, 0, 0]],
    ["hashes of version 5 alone", [...FIVE, 0], "ends the link behind hashes", [...FIVE, 0, 0]],
    ["two lists", [...SIX, 0, 0], "ends the link behind extendedHashes", [...SIX, 0, 0, 0]],
    [
      "half a mastery",
      [...SIX, 0, 0, 2, 1, 2, 3, 4, 5, 6],
      "sets the count of masteries from 2 to 1",
      [...SIX, 0, 0, 1, 1, 2, 3, 4],
    ],
    [
      "extended hashes of which one is half there",
      [...FIVE, 0, 3, 1, 2, 3],
      "sets the count of extendedHashes from 3 to 1",
      [...FIVE, 0, 1, 1, 2],
    ],
  ])("offers the one end of a link with %s", (_, broken, note, mended) => {
    expect(repair(textOf(...broken))).toEqual([{ note, payload: textOf(...mended) }]);
  });

  it("offers a count of 255, and none above", () => {
    const cut = [...FIVE, 0, 254, ...list(254)];
    expect(repair(textOf(...cut, 7, 7))).toEqual([
      { note: "cuts off 2 bytes at the end", payload: textOf(...cut) },
      {
        note: "sets the count of extendedHashes from 254 to 255",
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
        note: "leaves out what is no base64url, leaves out the last character, cuts off 1 byte at the end",
        payload: LINK,
      },
    ]);
    const tail = "clears the unused bits of the last character";
    expect(repair("AAAABgMCAQABAAB")).toEqual([{ note: tail, payload: "AAAABgMCAQABAAA=" }]);
    expect(repair("AAAABgMCAQABAAB==")[0]?.note).toBe(`sets the padding, ${tail}`);
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
      "sets fullscreen to 0",
      "sets fullscreen to 1",
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

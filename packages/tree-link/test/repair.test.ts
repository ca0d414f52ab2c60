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
    ["bytes at the end", "AAAABgAAAAAAAQ==", "cuts off 1 bytes at the end", "AAAABgAAAAAA"],
    [
      "a node less",
      "AAAABgMCBQhnES0=",
      "sets the count of hashes from 5 to 2",
      "AAAABgMCAghnES0AAA==",
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

  it("never throws, offers at most three, and each of them is a link that was changed", () => {
    fc.assert(
      fc.property(fc.oneof(nearlyPayload, anyPayload, fc.string({ unit: "binary" })), (text) => {
        const offers = repair(text);
        expect(offers.length).toBeLessThanOrEqual(3);
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

import { decode, encode, safeDecode, TreeLinkError } from "@game-data/tree-link";
import { view } from "@game-data/tree-link/view";
import fc from "fast-check";
import { expect, it } from "vitest";
import { link as anyLink, nearlyPayload } from "@game-data/tree-link/arbitrary";

it("has the fields of every link, and 0 or an empty list for those of other versions", () => {
  fc.assert(
    fc.property(anyLink, (link) => {
      const seen = view(encode(link));
      const empty = { alternateAscendancy: 0, extendedHashes: [], fullscreen: 0, masteries: [] };
      const expected = { ...empty, ...link };
      for (const [name, value] of Object.entries(expected))
        expect([name, seen[name as keyof typeof seen]]).toEqual([name, value]);
      expect(seen.hashCount).toBe(expected.hashes.length);
      expect(seen.extendedHashCount).toBe(expected.extendedHashes.length);
      expect(seen.masteryCount).toBe(expected.masteries.length);
      expect(seen.toLink()).toEqual(link);
    }),
    { numRuns: 300, seed: 20_261_121 },
  );
});

it("refuses what `decode` refuses, for the same reason", () => {
  fc.assert(
    fc.property(nearlyPayload, (text) => {
      const result = safeDecode(text);
      if (result.ok) expect(view(text).toLink()).toEqual(result.link);
      else expect(() => view(text)).toThrow(result.error);
    }),
    { numRuns: 500, seed: 20_261_121 },
  );
});

it("stays what it was while other links are read", () => {
  const seen = view("AAAABgMCAghnES0AAboaES0=");
  decode("AAAABv_-AAAA");
  const { hashes } = seen;
  expect(hashes).toEqual([2151, 4397]);
  decode("AAAABgAAAfdPAAA=");
  expect(seen.hashes).toBe(hashes);
  expect(seen.masteries).toEqual([{ node: 4397, effect: 47_642 }]);
});

it("reads payloads above the default limit if it is told to", () => {
  const hashes = Array.from({ length: 400_000 }, (_, i) => i & 0xffff);
  const link = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes } as const;
  const payload = encode(link, { maxLength: 2_000_000 });
  expect(() => view(payload)).toThrow(TreeLinkError);
  const seen = view(payload, { maxLength: 2_000_000 });
  // Compared as text: a difference of 400,000 entries would be printed for minutes.
  expect(seen.hashes.join() === hashes.join()).toBe(true);
  expect(seen.toLink().hashes.join() === hashes.join()).toBe(true);
});

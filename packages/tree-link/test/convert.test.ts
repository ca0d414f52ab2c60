import { decode, encode, TreeLinkError } from "@game-data/tree-link";
import type { TreeLinkV4, TreeLinkV6 } from "@game-data/tree-link";
import { convert, losses } from "@game-data/tree-link/convert";
import fc from "fast-check";
import { expect, it } from "vitest";
import { link as anyLink } from "@game-data/tree-link/arbitrary";
import { LINK, NO_VERSION, numbers } from "./support.ts";

const full: TreeLinkV6 = { ...LINK, hashes: [7, 8], extendedHashes: [1, 2, 3] };
const old: TreeLinkV4 = { version: 4, class: 3, ascendancy: 2, fullscreen: 0, hashes: [7, 8] };

it("loses nothing on the way up [TL-09]", () => {
  expect(convert(old, 6)).toEqual({
    link: { ...full, alternateAscendancy: 0, extendedHashes: [], masteries: [] },
    lost: [],
  });
  expect(convert(full, 6).link).toBe(full);
});

it("names what each older version has no place for, and refuses [TL-12, TL-13]", () => {
  const [second, masteries] = [
    { field: "alternateAscendancy", count: 1 },
    { field: "masteries", count: 1 },
  ];
  expect(losses(full, 5)).toEqual([second, masteries]);
  expect(losses(full, 4)).toEqual([second, { field: "extendedHashes", count: 3 }, masteries]);
  expect(() => convert(full, 4)).toThrow(TreeLinkError);
  expect(() => convert(full, 5)).toThrow("No room in alternateAscendancy, at element 0.");
});

it("drops what is named once that is accepted", () => {
  const { link, lost } = convert(full, 4, { allowLoss: true });
  expect(link).toEqual({ version: 4, class: 3, ascendancy: 2, fullscreen: 0, hashes: [7, 8] });
  expect(lost).toEqual(losses(full, 4));
});

it("names fullscreen, a wide ascendancy byte and hashes past 255 on the way up", () => {
  const link: TreeLinkV4 = { ...old, ascendancy: 0x1b, fullscreen: 1, hashes: numbers(300) };
  expect(losses(link, 6)).toEqual([
    { field: "ascendancy", count: 1 },
    { field: "fullscreen", count: 1 },
    { field: "hashes", count: 45 },
  ]);
  expect(losses(link, 5).map(({ field }) => field)).toEqual(["fullscreen", "hashes"]);
  expect(convert(link, 6, { allowLoss: true }).link.hashes).toEqual(numbers(255));
});

it("gives links that encode, and loses nothing where it names nothing", () => {
  fc.assert(
    fc.property(anyLink, fc.constantFrom(4, 5, 6), (link, version) => {
      const converted = convert(link, version, { allowLoss: true });
      expect(decode(encode(converted.link))).toEqual(converted.link);
      expect(converted.link.version).toBe(version);
      if (converted.lost.length > 0) return;
      expect(convert(converted.link, link.version).link).toEqual(link);
    }),
    { numRuns: 200, seed: 20_261_121 },
  );
});

it.each([
  [
    NO_VERSION,
    full,
    { reason: "unknown-version", field: "version", actual: NO_VERSION, unit: "element" },
  ],
  ["6", full, { reason: "unknown-version", field: "version", actual: undefined }],
  [6, { ...full, version: NO_VERSION }, { reason: "invalid-type", field: "link" }],
])("refuses version %j of %j by the name of what is wrong", (version, link, error) => {
  expect(() => convert(link as never, version as never)).toThrow(TreeLinkError);
  expect(() => convert(link as never, version as never)).toThrow(expect.objectContaining(error));
});

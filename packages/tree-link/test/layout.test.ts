import { decodeBytes, encode, type TreeLink } from "@game-data/tree-link";
import { layout } from "@game-data/tree-link/layout";
import fc from "fast-check";
import { expect, it } from "vitest";
import { LINK } from "./support.ts";
import { link as anyLink } from "@game-data/tree-link/arbitrary";

const link: TreeLink = {
  ...{ ...LINK, ascendancy: 1, alternateAscendancy: 6, hashes: [0x1234], extendedHashes: [] },
  masteries: [{ node: 0xa1c7, effect: 0xba1a }],
};

it("gives each field its bits, bytes and characters [TL-04, TL-08, TL-10, TL-11]", () => {
  const rows = layout(encode(link)).fields.map(
    ({ bits, bytes, characters, group, index, name, value }) =>
      [group, name, index, value, bits, bytes, characters].map((part) =>
        typeof part === "object" ? `${part.start}–${part.end}` : part,
      ),
  );
  expect(layout(encode(link)).fields[0]).not.toHaveProperty("index");
  expect(rows).toEqual([
    ["version", "version", undefined, 6, "0–32", "0–4", "0–6"],
    ["class", "class", undefined, 3, "32–40", "4–5", "5–7"],
    ["ascendancy", "alternateAscendancy", undefined, 6, "40–46", "5–6", "6–8"],
    ["ascendancy", "ascendancy", undefined, 1, "46–48", "5–6", "7–8"],
    ["hashes", "count", undefined, 1, "48–56", "6–7", "8–10"],
    ["hashes", "hash", 0, 0x1234, "56–72", "7–9", "9–12"],
    ["extendedHashes", "count", undefined, 0, "72–80", "9–10", "12–14"],
    ["masteries", "count", undefined, 1, "80–88", "10–11", "13–15"],
    ["masteries", "effect", 0, 0xba1a, "88–104", "11–13", "14–18"],
    ["masteries", "node", 0, 0xa1c7, "104–120", "13–15", "17–20"],
  ]);
});

it("covers the stream without gap or overlap, and its values are those of the bits", () => {
  fc.assert(
    fc.property(anyLink, (value) => {
      const { bytes, fields } = layout(encode(value));
      const stream = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
      const ends = fields.map(({ bits }) => bits.end);
      expect(fields.map(({ bits }) => bits.start)).toEqual([0, ...ends.slice(0, -1)]);
      expect(ends.at(-1)).toBe(stream.length);
      const read = fields.map(({ bits }) => Number.parseInt(stream.slice(bits.start, bits.end), 2));
      expect(fields.map((field) => field.value)).toEqual(read);
      expect(decodeBytes(bytes)).toEqual(value);
    }),
    { numRuns: 100, seed: 20_261_121 },
  );
});

it("refuses as the decoder does", () => {
  expect(() => layout("AAAABgAA")).toThrow("Truncated in hashes, at byte 6.");
});

it("lists the hashes of version 4, which runs to its end without a count", () => {
  const fields = layout("AAAABAYDAKvNAAE=").fields.map(({ name, value }) => `${name} ${value}`);
  expect(fields).toEqual([
    ...["version 4", "class 6", "ascendancy 3", "fullscreen 0", "hash 43981", "hash 1"],
  ]);
});

/**
 * The table of fields, and what is written by hand beside it: `decode`, `encode` and `view` read
 * and write what the table says, for every version and every width.
 */
import { decode, decodeBytes, encode, encodeBytes, TreeLinkError } from "@game-data/tree-link";
import { link as anyLink } from "@game-data/tree-link/arbitrary";
import { convert, VERSIONS } from "@game-data/tree-link/convert";
import { layout } from "@game-data/tree-link/layout";
import { view } from "@game-data/tree-link/view";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsOfVersion } from "../src/internal/table.ts";

/** Bits of a link by the table alone. */
const bitsOf = (link: any): string => {
  const bits = (value: number, width: number) => value.toString(2).padStart(width, "0");
  const fields = fieldsOfVersion(link.version).map((field) => {
    const value = link[field.name];
    if (!("count" in field)) return bits(value, field.bits);
    const count = field.count === "rest" ? "" : bits(value.length, field.count);
    const entries = value.flatMap((entry: any) =>
      field.entry.map((part) => bits(typeof entry === "number" ? entry : entry[part], 16)),
    );
    return count + entries.join("");
  });
  return bits(link.version, 32) + fields.join("");
};

describe("the table", () => {
  it("is what decode, encode and view do", () => {
    fc.assert(
      fc.property(anyLink, (link) => {
        const bytes = (bitsOf(link).match(/.{8}/gu) ?? []).map((byte) => Number.parseInt(byte, 2));
        expect([...encodeBytes(link)]).toEqual(bytes);
        expect(decodeBytes(Uint8Array.from(bytes))).toEqual(link);
        const seen = view(encode(link)) as any;
        for (const { name } of fieldsOfVersion(link.version))
          expect(seen[name]).toEqual((link as any)[name]);
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it("names every member of a link in the order of its stream", () => {
    fc.assert(
      fc.property(anyLink, (link) => {
        const names = fieldsOfVersion(link.version).map(({ name }) => name);
        expect(new Set(["version", ...names])).toEqual(new Set(Object.keys(link)));
        const { fields } = layout(encode(link));
        const singles = fields.filter(({ index, name }) => index === undefined && name !== "count");
        const known = names.filter((name) => typeof (link as any)[name] === "number");
        expect(singles.map(({ name }) => name)).toEqual(["version", ...known]);
      }),
      { numRuns: 50, seed: 2 },
    );
  });

  it("has the bounds that encode checks", () => {
    for (const version of VERSIONS) {
      const { link } = convert(decode("AAAABgAAAAAA"), version);
      for (const field of fieldsOfVersion(version)) {
        if (field.max === Infinity) continue;
        const value = (size: number) =>
          "count" in field
            ? Array.from({ length: size }, () =>
                field.entry.length === 1 ? 1 : { node: 1, effect: 1 },
              )
            : size;
        const written = encode({ ...link, [field.name]: value(field.max) } as never);
        expect((decode(written) as any)[field.name]).toEqual(value(field.max));
        const wide = { ...link, [field.name]: value(field.max + 1) };
        expect(() => encode(wide as never)).toThrow(TreeLinkError);
      }
    }
  });
});

describe("lists to encode", () => {
  const bare = { version: 6, class: 0, ascendancy: 0, extendedHashes: [], masteries: [] } as const;
  const expected = encode({ ...bare, hashes: [1, 65_535] });

  it.each([
    ["a Uint16Array", () => Uint16Array.of(1, 65_535)],
    ["a Set", () => new Set([1, 65_535])],
    ["a generator", () => [1, 65_535].values()],
  ])("may be %s", (_, hashes) => {
    expect(encode({ ...bare, hashes: hashes() })).toBe(expected);
  });

  it("may be masteries out of a Map", () => {
    const masteries = new Map([[1, { node: 2, effect: 3 }]]).values();
    const written = encode({ ...bare, hashes: [], masteries });
    expect(decode(written)).toMatchObject({ masteries: [{ node: 2, effect: 3 }] });
  });

  it.each([
    ["a text", "12", "invalid-type"],
    ["an object", {}, "invalid-type"],
    ["numbers that do not fit", Uint32Array.of(65_536), "out-of-range"],
    ["fractions", Float64Array.of(1.5), "out-of-range"],
    ["a Map", new Map([[1, 2]]), "out-of-range"],
  ])("is not %s", (_, hashes, reason) => {
    expect(() => encode({ ...bare, hashes } as never)).toThrow(
      expect.objectContaining({ reason, field: "hashes" }),
    );
  });

  it("may have as many entries as the caller allows, and are not cut", () => {
    const four = { version: 4, class: 0, ascendancy: 0, fullscreen: 0 } as const;
    const hashes = new Uint16Array(1_048_600);
    const bytes = encodeBytes({ ...four, hashes }, { maxLength: 3_000_000 });
    expect(bytes).toHaveLength(7 + 2 * 1_048_600);
  });

  it("are not read for ever", () => {
    function* endless() {
      while (true) yield 1;
    }
    expect(() => encode({ ...bare, hashes: endless() })).toThrow(TreeLinkError);
  });
});

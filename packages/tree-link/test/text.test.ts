import { describe, expect, it } from "vitest";
import { compare } from "../src/Compare.ts";
import { losses } from "../src/Convert.ts";
import { safeDecode } from "../src/Decode.ts";
import { encode } from "../src/Encode.ts";
import { TreeLinkError } from "../src/Errors.ts";
import { layout } from "../src/Layout.ts";
import { summary, diffLines, formatLosses, fieldRows, explain } from "../src/Text.ts";
import type { TreeLink } from "../src/TreeLink.ts";
import { LINK } from "./support.ts";

const link: TreeLink = { ...LINK, hashes: [2151, 4397] };

describe("a link in words", () => {
  it("has the fields of its version, with names where numbers have some", () => {
    expect(summary(link)).toEqual([
      ["version", 6],
      ["class", "3 (witch)"],
      ["ascendancy", 2],
      ["alternateAscendancy", "1 (Warden)"],
      ["hashes (2)", "2151 4397"],
      ["extendedHashes (1)", "7"],
      ["masteries (1)", "4397→47642"],
    ]);
    expect(summary({ version: 4, class: 9, ascendancy: 0, fullscreen: 1, hashes: [] })).toEqual([
      ["version", 4],
      ["class", "9 (not a known class)"],
      ["ascendancy", 0],
      ["fullscreen", 1],
      ["hashes (0)", ""],
    ]);
    const five = summary({ version: 5, class: 0, ascendancy: 0, hashes: [], extendedHashes: [] });
    const names = ["version", "class", "ascendancy", "hashes (0)", "extendedHashes (0)"];
    expect(five.map(([name]) => name)).toEqual(names);
  });

  it("says of a number without a stated meaning that it has none", () => {
    expect(summary({ ...link, alternateAscendancy: 9 })).toContainEqual([
      "alternateAscendancy",
      "9 (without a stated meaning)",
    ]);
  });

  it("shows every field with its bytes and characters", () => {
    const rows = fieldRows(layout(encode(link)));
    expect(rows[0]).toEqual({
      field: "version",
      value: 6,
      bytes: "0–3",
      hex: "00000006",
      characters: "0–5",
    });
    expect(rows[1]).toMatchObject({ bytes: "4", hex: "03", characters: "5–6" });
    expect(rows.map(({ field }) => field)).toEqual([
      ...["version", "class", "alternateAscendancy", "ascendancy"],
      ...["hashes count", "hashes 1 hash", "hashes 2 hash"],
      ...["extendedHashes count", "extendedHashes 1 hash"],
      ...["masteries count", "masteries 1 effect", "masteries 1 node"],
    ]);
    expect(rows.at(-1)).toMatchObject({ value: 4397, hex: "112d" });
  });
});

describe("two links", () => {
  it("differ line by line, and not at all from themselves", () => {
    const other = { ...link, class: 1, hashes: [4397, 9], masteries: [] };
    expect(diffLines(compare(link, other))).toEqual([
      { kind: "changed", text: "class: 3 → 1" },
      { kind: "added", text: "+ hashes 9" },
      { kind: "removed", text: "- hashes 2151" },
      { kind: "removed", text: "- masteries 4397 → 47642" },
    ]);
    expect(diffLines(compare(link, link))).toEqual([]);
  });

  it("differ in the order of a list", () => {
    expect(diffLines(compare(link, { ...link, hashes: [4397, 2151] }))).toEqual([
      { kind: "changed", text: "hashes: the same entries in another order" },
    ]);
  });

  it("are told what a conversion loses", () => {
    expect(formatLosses(losses({ ...link, extendedHashes: [7, 8] }, 4))).toBe(
      "alternateAscendancy, 2 extendedHashes, masteries",
    );
  });
});

describe("an error in words", () => {
  const explained = (...error: ConstructorParameters<typeof TreeLinkError>) =>
    explain(new TreeLinkError(...error));

  it.each<[...ConstructorParameters<typeof TreeLinkError>, words: string]>([
    [
      ["truncated", 6, "hashes"],
      "byte",
      "The link is cut off (hashes). Copy it again, to its end.",
    ],
    [["unknown-version", 0, "version", 3], "byte", "The version is not 4, 5 or 6. It is 3."],
    [
      ["too-many", 255, "hashes", 300],
      "element",
      "A list has more than 255 entries, and its count is one byte (hashes). It is 300.",
    ],
    [
      ["invalid-character", 3],
      "character",
      "A character is outside the base64url alphabet (A–Z, a–z, 0–9, - and _).",
    ],
    [["no-room", 0, "hashes"], "element", "The version has no such field (hashes)."],
    [["out-of-range", 0, "class", 1.5], "element", "1.5 is not a whole number (class)."],
    [["out-of-range", 0, undefined, 1.5], "element", "1.5 is not a whole number."],
  ] as never)("says of %j in %s what is wrong", (detail, unit, words) => {
    expect(explained(detail, unit as never)).toBe(words);
  });

  it.each([
    ["class", " (class). It is 300. It takes 0 to 255."],
    [
      "ascendancy",
      " (ascendancy). It is 300. It takes 0 to 255 in versions 4 and 5, 0 to 3 in version 6.",
    ],
    ["alternateAscendancy", " (alternateAscendancy). It is 300. It takes 0 to 63."],
    ["fullscreen", " (fullscreen). It is 300. It takes 0 to 1."],
    ["hashes", " (hashes). It is 300. It takes 0 to 65535."],
    ["toString", " (toString). It is 300."],
    [undefined, ". It is 300."],
  ])("says what the field %s takes", (field, rest) => {
    const words = explained(["out-of-range", 0, field, 300], "element");
    expect(words).toBe(`A number does not fit its field${rest}`);
  });

  it("takes a large number for no whole one, and knows a build code", () => {
    const huge = explained(["out-of-range", 0, "class", 0x78_00_00_00], "element");
    expect(huge).toContain("number");
    const result = safeDecode("eNrtVVtv2zYUfh_g_0D4eYFlJw");
    expect(result.ok ? "" : explain(result.error)).toContain("build planner");
  });
});

import { changesOf } from "../src/model/changes.ts";
import { decode, encode, type TreeLinkV6 } from "@game-data/tree-link";
import { layout } from "@game-data/tree-link/layout";
import { describe, expect, it } from "vitest";
import { addEntry, removeEntry, setField } from "../src/model/Edit.ts";
import { readFragment, writeFragment } from "../src/model/Fragment.ts";
import { groupsOf } from "../src/model/Groups.ts";
import { inspect } from "../src/model/Inspection.ts";

const link: TreeLinkV6 = {
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [7, 8, 9],
  extendedHashes: [1],
  masteries: [{ node: 9, effect: 5 }],
};

describe("inspection", () => {
  it("inspect distinguishes an empty text, a link and a text without a link", () => {
    expect(inspect("  ")).toEqual({ kind: "empty" });
    const url = `https://www.example.com/passive-skill-tree/3.26.0/${encode(link)}?accountName=x`;
    const found = { gameVersion: "3.26.0" };
    expect(inspect(url)).toMatchObject({ kind: "link", found, layout: { link } });
    expect(inspect("hello there")).toMatchObject({ kind: "refused" });
  });

  it.each([
    ["AAAABg*BAAAA", 6, 7],
    ["AAAABwAAAAAA", 0, 6],
    ["AAAABgAA", 8, 8],
    ["AAAABgABAAAAAAAA", 12, 16],
    ["AAAABAAAAg==", 8, 10],
  ])("inspect returns the characters at fault of the malformed link %s", (payload, start, end) => {
    expect(inspect(payload)).toMatchObject({ kind: "refused", fault: { payload, start, end } });
  });
});

describe("edits", () => {
  const { fields } = layout(encode(link));
  const field = (group: string, name: string, index?: number) =>
    fields.find((one) => one.group === group && one.name === name && one.index === index)!;
  const after = (edited: ReturnType<typeof setField>) =>
    edited.ok ? decode(edited.payload) : edited.message;

  it.each([
    [setField(link, field("class", "class"), 5), { class: 5 }],
    [setField(link, field("hashes", "hash", 1), 80), { hashes: [7, 80, 9] }],
    [setField(link, field("masteries", "effect", 0), 6), { masteries: [{ node: 9, effect: 6 }] }],
    [addEntry(link, "masteries"), { masteries: [...link.masteries, { node: 0, effect: 0 }] }],
    [addEntry(link, "extendedHashes"), { extendedHashes: [1, 0] }],
    [removeEntry(link, "hashes", 0), { hashes: [8, 9] }],
  ])("setField, addEntry and removeEntry change one member of the link: %#", (edit, change) => {
    expect(after(edit)).toEqual({ ...link, ...change });
  });

  it("setField returns the codec's message for a value that does not fit", () => {
    expect(after(setField(link, field("ascendancy", "ascendancy"), 4))).toBe(
      "A number does not fit its field (ascendancy). It is 4. It may be 0 to 255 in versions 4 and 5, 0 to 3 in version 6.",
    );
    expect(after(setField(link, field("hashes", "hash", 2), Number.NaN))).toBe(
      "A field holds a whole number.",
    );
  });
});

describe("the fragment", () => {
  it("writeFragment writes a payload that readFragment returns, and nothing for an empty text", () => {
    expect(readFragment(`#${writeFragment("AAAABgMCAQABAAA=")}`)).toBe("AAAABgMCAQABAAA=");
    expect(writeFragment("")).toBe("");
    expect(readFragment("#AAAABgMCAQABAAA%3D")).toBe("AAAABgMCAQABAAA=");
  });

  it.each([
    "https://www.example.com/passive-skill-tree/AAAABgABAAAA?accountName=Ann",
    "AAAABgABAAAA?accountName=Ann",
    "see AAAABgABAAAA by Ann",
  ])("writeFragment and readFragment keep only the payload of the text %s", (text) => {
    expect(writeFragment(text)).toBe("link=AAAABgABAAAA");
    expect(readFragment(`link=${encodeURIComponent(text)}`)).toBe("AAAABgABAAAA");
  });

  it.each(["Ann", "accountName=Ann", "eNrtVVtv2zYUfh", "https://example.com/?accountName=Ann"])(
    "writeFragment writes nothing of %s",
    (text) => {
      expect(writeFragment(text)).toBe("");
    },
  );
});

describe("groupsOf", () => {
  it.each([
    ["characters", 6],
    ["bytes", 8],
  ])("groupsOf assigns %s to the group of the field that has their first bit", (_, width) => {
    const old = { version: 4, class: 1, ascendancy: 0, fullscreen: 0, hashes: [1, 2] } as const;
    for (const each of [link, old]) {
      const payload = encode(each);
      const { bytes, fields } = layout(payload);
      const count = width === 6 ? payload.length : bytes.length;
      const expected = Array.from({ length: count }, (__, index) => {
        const bit = index * width;
        const field = fields.find(({ bits }) => bits.start <= bit && bit < bits.end);
        return field?.group ?? "padding";
      });
      expect(groupsOf(fields, count, width)).toEqual(expected);
    }
  });
});

describe("changesOf", () => {
  const marked = (from: string, to: string) =>
    changesOf(from, to)
      .map(({ kind, text }) => ({ same: text, del: `-${text}-`, ins: `+${text}+` })[kind])
      .join("");

  it.each([
    ["AAAABgMGBghn", "AAAABgMCBghnAAA=", "AAAABgM-G-+C+Bghn+AAA=+"],
    ["AAAA\nBg*AAAA", "AAAABgAAAA", "AAAA-\n-Bg-*-AAAA"],
    ["AAAABgAAAAAAAQ==", "AAAABgAAAAAA", "AAAABgAAAAAA-AQ==-"],
    ["AAAABgAAAAAB", "AAAABgAAAA==", "AAAABgAAAA-AB-+==+"],
    ["AAAABg==", "AAAABgAAAAAA", "AAAABg-==-+AAAAAA+"],
  ])("changesOf returns the changes from %j to %j", (from, to, expected) => {
    expect(marked(from, to)).toBe(expected);
  });
});

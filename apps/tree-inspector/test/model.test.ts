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

describe("inspect", () => {
  it("tells nothing, a link and a refusal apart", () => {
    expect(inspect("  ")).toEqual({ kind: "empty" });
    const found = inspect(
      `https://www.example.com/passive-skill-tree/3.26.0/${encode(link)}?accountName=x`,
    );
    expect(found).toMatchObject({
      kind: "link",
      found: { gameVersion: "3.26.0" },
      layout: { link },
    });
    expect(inspect("hello there")).toMatchObject({ kind: "refused" });
  });

  it.each([
    ["AAAABg*BAAAA", 6, 7],
    ["AAAABwAAAAAA", 0, 6],
    ["AAAABgAA", 8, 8],
    ["AAAABgABAAAAAAAA", 12, 16],
    ["AAAABAAAAg==", 8, 10],
  ])("points at the fault of %s", (payload, start, end) => {
    expect(inspect(payload)).toMatchObject({ kind: "refused", fault: { payload, start, end } });
  });
});

describe("edits", () => {
  const { fields } = layout(encode(link));
  const field = (group: string, name: string, index?: number) =>
    fields.find((one) => one.group === group && one.name === name && one.index === index)!;
  const after = (edited: ReturnType<typeof setField>) =>
    edited.ok ? decode(edited.payload) : edited.message;

  it("set a value, a hash and one half of a mastery effect", () => {
    expect(after(setField(link, field("class", "class"), 5))).toEqual({ ...link, class: 5 });
    expect(after(setField(link, field("hashes", "hash", 1), 80))).toEqual({
      ...link,
      hashes: [7, 80, 9],
    });
    expect(after(setField(link, field("masteries", "effect", 0), 6))).toEqual({
      ...link,
      masteries: [{ node: 9, effect: 6 }],
    });
  });

  it("add and remove entries", () => {
    expect(after(addEntry(link, "masteries"))).toMatchObject({
      masteries: [
        { node: 9, effect: 5 },
        { node: 0, effect: 0 },
      ],
    });
    expect(after(addEntry(link, "extendedHashes"))).toMatchObject({ extendedHashes: [1, 0] });
    expect(after(removeEntry(link, "hashes", 0))).toEqual({ ...link, hashes: [8, 9] });
  });

  it("are refused where the codec refuses", () => {
    expect(after(setField(link, field("ascendancy", "ascendancy"), 4))).toBe(
      "Out of range (4) in ascendancy, at element 0.",
    );
    expect(after(setField(link, field("hashes", "hash", 2), Number.NaN))).toBe(
      "Out of range (NaN) in hashes, at element 2.",
    );
  });
});

describe("the fragment", () => {
  it("carries both links and nothing that is empty", () => {
    const state = { link: "AAAABgMCAQABAAA=", with: "a b&c" };
    expect(readFragment(`#${writeFragment(state)}`)).toEqual(state);
    expect(writeFragment({ link: "A", with: "" })).toBe("link=A");
  });
});

describe("groupsOf", () => {
  it.each([
    ["characters", 6],
    ["bytes", 8],
  ])("gives %s the group that their first bit is of", (_, width) => {
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

import { decode, encode, TreeLinkError } from "@game-data/tree-link";
import { classId, fromCharacter, fromPassives } from "@game-data/tree-link/passives";
import type { PassivesInput } from "@game-data/tree-link/passives";
import { compare, isSame } from "@game-data/tree-link/compare";
import { describe, expect, it } from "vitest";

const passives: PassivesInput = { hashes: [1, 2], hashes_ex: [3], mastery_effects: { "4": 5 } };

describe("fromPassives", () => {
  it("makes a link with the nodes, cluster nodes and masteries of the passives", () => {
    const link = fromPassives(passives, { class: 3, ascendancy: 2 });
    expect(decode(encode(link))).toEqual({
      version: 6,
      class: 3,
      ascendancy: 2,
      alternateAscendancy: 0,
      hashes: [1, 2],
      extendedHashes: [3],
      masteries: [{ node: 4, effect: 5 }],
    });
  });

  it("reads masteries that are packed into uint32 numbers", () => {
    const packed = { hashes: [], mastery_effects: ["3122307527"] };
    const masteries = [{ node: 41_415, effect: 47_642 }];
    expect(fromPassives(packed, { class: 0 })).toMatchObject({ masteries });
  });

  it("reads members that are absent or null as empty", () => {
    const empty = fromPassives({ hashes: [] }, { class: 0 });
    expect(empty).toMatchObject({ ascendancy: 0, extendedHashes: [], masteries: [] });
    const absent = { hashes_ex: null, mastery_effects: null, alternate_ascendancy: null };
    expect(fromPassives({ hashes: [], ...absent }, { class: 0 })).toEqual(empty);
  });

  it.each([
    ["Warden", 1],
    ["Primalist", 3],
    [2, 2],
    [undefined, 0],
  ])("reads the second ascendancy %s as %i [TL-11]", (name, id) => {
    const link = fromPassives({ hashes: [], alternate_ascendancy: name }, { class: 0 });
    expect(link.alternateAscendancy).toBe(id);
  });

  it("refuses a second ascendancy without a known number, unless the caller gives one", () => {
    const unnamed = { hashes: [], alternate_ascendancy: "Herald" };
    expect(() => fromPassives(unnamed, { class: 0 })).toThrow(
      new TreeLinkError(["out-of-range", 0, "alternateAscendancy"], "element"),
    );
    const link = fromPassives(unnamed, { class: 0, alternateAscendancy: 6 });
    expect(link.alternateAscendancy).toBe(6);
  });
});

describe("fromCharacter", () => {
  const witch = { class: "Witch", realm: "pc", passives };

  it("makes a link of a character of a base class", () => {
    const link = fromPassives(passives, { class: 3 });
    expect(fromCharacter(witch)).toEqual({ ok: true, link });
  });

  it("says why it makes none: game 2, no passives as in lists, a class without numbers", () => {
    const reason = (change: object) => {
      const result = fromCharacter({ ...witch, ...change });
      return result.ok ? "made" : [result.reason, result.message.endsWith(".")];
    };
    expect(reason({ realm: "game2" })).toEqual(["other-game", true]);
    expect(reason({ passives: undefined })).toEqual(["no-passives", true]);
    expect(reason({ class: "Necromancer" })).toEqual(["unknown-class", true]);
    expect(reason({ class: "constructor" })).toEqual(["unknown-class", true]);
  });

  it.each([
    [{ hashes: Array.from({ length: 256 }, () => 1) }, "Too many (256) in hashes, at element 255."],
    [{ hashes_ex: [1, 65_536] }, "Out of range (65536) in extendedHashes, at element 1."],
    [{ alternate_ascendancy: "Herald" }, "Out of range in alternateAscendancy, at element 0."],
    [{ hashes: "text" }, "Invalid type in hashes, at element 0."],
  ])("says why a link does not hold the passives %#", (change, message) => {
    const result = fromCharacter({ ...witch, passives: { ...passives, ...change } as never });
    expect(result).toEqual({ ok: false, reason: "does-not-fit", message });
  });

  it("takes the numbers of an ascendancy class from the caller", () => {
    const occultist = { ...witch, class: "Occultist" };
    const result = fromCharacter(occultist, { Occultist: { class: 3, ascendancy: 1 } });
    expect(result).toMatchObject({ ok: true, link: { class: 3, ascendancy: 1 } });
  });
});

describe("compare with passives", () => {
  const link = fromPassives(passives, { class: 3 });

  it("finds the same nodes in the same order, and nothing else", () => {
    const holds = (change: object) => isSame(compare({ ...link, ...change }, passives));
    expect([{}, { class: 1 }].map(holds)).toEqual([true, true]);
    expect(isSame(compare(link, { ...passives, alternate_ascendancy: "Herald" }))).toBe(true);
    const masteries = [[{ node: 4, effect: 6 }], [{ node: 6, effect: 5 }]];
    const lists = [{ hashes: [1] }, { hashes: [2, 1] }, { extendedHashes: [] }];
    for (const change of [...lists, ...masteries.map((all) => ({ masteries: all }))])
      expect([change, holds(change)]).toEqual([change, false]);
  });

  it("knows that an object has no order, and a list has one", () => {
    const masteries = [
      { node: 500, effect: 1 },
      { node: 100, effect: 2 },
    ];
    const object = { hashes: [], mastery_effects: { "500": 1, "100": 2 } };
    const list = { hashes: [], mastery_effects: [String(2 * 65_536 + 100), String(65_536 + 500)] };
    const bare = { ...link, hashes: [], extendedHashes: [], masteries };
    expect(isSame(compare(bare, object))).toBe(true);
    expect(compare(bare, list).reordered).toEqual(["masteries"]);
  });

  it("compares links of older versions by the nodes that they hold", () => {
    const old = { version: 4, class: 3, ascendancy: 0, fullscreen: 0, hashes: [1, 2] } as const;
    expect(isSame(compare(old, { hashes: [1, 2] }))).toBe(true);
    expect(compare(old, passives).lists.map(({ list }) => list)).toEqual([
      "extendedHashes",
      "masteries",
    ]);
  });
});

describe("classId", () => {
  it("finds base classes in any case, and no ascendancy class", () => {
    expect(["Scion", "witch", "SHADOW"].map(classId)).toEqual([0, 3, 6]);
    expect(classId("Occultist")).toBeUndefined();
  });
});

import { decode, encode, TreeLinkError } from "@game-data/tree-link";
import {
  classId,
  fromCharacter,
  fromPassives,
  hasNodes,
  type PassivesInput,
} from "@game-data/tree-link/passives";
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
    expect(fromPassives(packed, { class: 0 }).masteries).toEqual([
      { node: 41_415, effect: 47_642 },
    ]);
  });

  it("reads members that are absent or null as empty", () => {
    const empty = fromPassives({ hashes: [] }, { class: 0 });
    expect(empty).toMatchObject({ ascendancy: 0, extendedHashes: [], masteries: [] });
    const nulls = {
      hashes: [],
      hashes_ex: null,
      mastery_effects: null,
      alternate_ascendancy: null,
    };
    expect(fromPassives(nulls, { class: 0 })).toEqual(empty);
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
    expect(() => fromPassives(unnamed, { class: 0 })).toThrow(TreeLinkError);
    const link = fromPassives(unnamed, { class: 0, alternateAscendancy: 6 });
    expect(link.alternateAscendancy).toBe(6);
  });
});

describe("fromCharacter", () => {
  const witch = { class: "Witch", realm: "pc", passives };

  it("makes a link of a character of a base class", () => {
    expect(fromCharacter(witch)).toEqual(fromPassives(passives, { class: 3 }));
  });

  it("makes none of a character of game 2, or without passives as in lists", () => {
    expect(fromCharacter({ ...witch, realm: "game2" })).toBeUndefined();
    expect(fromCharacter({ ...witch, passives: undefined })).toBeUndefined();
  });

  it("takes the numbers of an ascendancy class from the caller", () => {
    const occultist = { ...witch, class: "Occultist" };
    expect(fromCharacter(occultist)).toBeUndefined();
    const link = fromCharacter(occultist, { Occultist: { class: 3, ascendancy: 1 } });
    expect(link).toMatchObject({ class: 3, ascendancy: 1 });
    expect(fromCharacter({ ...witch, class: "constructor" })).toBeUndefined();
  });
});

describe("hasNodes", () => {
  const link = fromPassives(passives, { class: 3 });

  it("accepts the same nodes in the same order, and nothing else", () => {
    expect(hasNodes(link, passives)).toBe(true);
    expect(hasNodes({ ...link, class: 1 }, passives)).toBe(true);
    expect(hasNodes({ ...link, hashes: [1] }, passives)).toBe(false);
    expect(hasNodes({ ...link, hashes: [2, 1] }, passives)).toBe(false);
    expect(hasNodes({ ...link, extendedHashes: [] }, passives)).toBe(false);
    expect(hasNodes({ ...link, masteries: [{ node: 4, effect: 6 }] }, passives)).toBe(false);
    expect(hasNodes({ ...link, masteries: [{ node: 6, effect: 5 }] }, passives)).toBe(false);
  });

  it("refuses links of older versions", () => {
    const old = { version: 4, class: 3, ascendancy: 0, fullscreen: 0, hashes: [1, 2] } as const;
    expect(hasNodes(old, { hashes: [1, 2] })).toBe(false);
  });
});

describe("classId", () => {
  it("finds base classes in any case, and no ascendancy class", () => {
    expect(["Scion", "witch", "SHADOW"].map(classId)).toEqual([0, 3, 6]);
    expect(classId("Occultist")).toBeUndefined();
  });
});

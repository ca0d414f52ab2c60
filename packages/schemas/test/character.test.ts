import { describe, expect, it } from "vitest";
import { masteryEffects } from "../src/index.ts";
import * as Drift from "../src/Drift.ts";
import {
  Character,
  ItemJewelData,
  LeagueAccount,
  PassiveGroup,
  PassiveNode,
  Passives,
  StashTab,
} from "../src/effect/index.ts";
import {
  about,
  absent,
  character as ada,
  expectDrift,
  hex10,
  item,
  node as edges,
  passives as tree,
  same,
} from "./support.ts";

const character = about(Character, ada);
const passives = about(Passives, tree);
const node = about(PassiveNode, edges);

describe("Character", () => {
  const flags = ["ruthless", "expired", "deleted", "current"];
  const lists = ["equipment", "skills", "inventory", "rucksack", "jewels"];

  it("has its members [RC-069]", () => {
    const optional = { league: "Standard", passives: tree, metadata: { version: "3.25" } };
    character.has({ ...optional, ...same(flags, true), ...same(lists, [item]) }, "realm");
    for (const name of lists) {
      character.refuses({ [`/${name}`]: [""] });
      about(Character, { ...ada, [name]: [item] }).refuses({ [`/${name}/0/w`]: [-1] });
    }
    character.refuses({ "/level": [-1], "/experience": [-1], "/metadata/version": [3] });
  });

  it("has an id of 64 hexadecimal digits [RC-070]", () =>
    character.drifts("other-form", { "/id": ["ada"] }));

  it("names pc, console_a and console_b as realms [RC-071]", () =>
    character.words("/realm", ["pc", "console_a", "console_b"]));

  it("has flags that are true whenever present [RC-072]", () => character.flags("", ...flags));

  it("has jewel data keyed by the x of a jewel in the same answer [RC-081]", () => {
    const one = about(Character, { ...ada, jewels: [{ ...item, x: 3 }], passives: tree });
    one.takes({ "/passives/jewel_data/3": [{ type: "JewelStr" }] });
    one.breaks({ "/passives/jewel_data/4": [{ type: "JewelStr" }] });
    const without = about(Character, { ...ada, passives: tree });
    without.takes({ "/passives/jewel_data/3": [{ type: "JewelStr" }] });
  });

  it("is read in game2, a realm that its table does not list, and that is reported [NS-17]", () => {
    character.drifts("unknown-word", { "/realm": ["game2"] });
    expect(Drift.typeErrors(Character, character.at("/realm", "game2"))).toEqual([]);
  });
});

describe("Passives", () => {
  const { hashes_ex: _, mastery_effects: __, ...game2 } = tree;

  it("has its members [RC-073]", () => {
    const choices = ["bandit_choice", "pantheon_major", "pantheon_minor", "alternate_ascendancy"];
    expect(Object.keys(Passives.fields).toSorted()).toEqual(
      [...Object.keys(tree), "specialisations", ...choices].toSorted(),
    );
    passives.needs("", "hashes");
    for (const name of ["hashes_ex", "mastery_effects", "skill_overrides", "jewel_data"])
      passives.drifts("missing", { [`/${name}`]: [absent] });
    passives.refuses({ "/hashes/0": [-1], "/hashes_ex/0": [-1] });
    for (const name of choices) passives.takes({ [`/${name}`]: [null] });
  });

  it("asks for members of one game in that game alone [NS-19]", () => {
    const specialisations = { set1: [1], set2: [], shapeshift: [2] };
    about(Passives, { ...game2, specialisations }).takes();
    passives.takes();
  });

  it("has mastery effects by node, and reads the packed form of older answers [RC-075]", () => {
    const packed = [String(4119 * 65_536 + 53_188)];
    passives.takes({ "/mastery_effects": [{ "53188": 4119, "1": -1 }] });
    passives.refuses({ "/mastery_effects/53188": ["4119", 0.5] });
    passives.drifts("other-type", { "/mastery_effects": [packed, []] });
    const choice = [{ node: 53_188, effect: 4119 }];
    expect(masteryEffects({ mastery_effects: packed })).toEqual(choice);
    expect(masteryEffects({ mastery_effects: { "53188": 4119 } })).toEqual(choice);
    expect(masteryEffects({})).toEqual([]);
  });

  it("has specialisations of three sets [RC-076]", () => {
    const specialisations = { set1: [1], set2: [2], shapeshift: [3] };
    const three = about(Passives, { ...game2, specialisations });
    three.drifts("unknown-word", { "/specialisations/set3": [[4]] });
    three.refuses({ "/specialisations/set1/0": [0.5], "/specialisations/set1": [1] });
  });

  it("has skill overrides by node; an empty map may be an array [RC-077]", () => {
    passives.takes({ "/skill_overrides/100": [edges] });
    passives.drifts("other-type", { "/skill_overrides": [[]] });
    expectDrift(
      Passives,
      passives.at("/skill_overrides/100", { isTattoo: true }),
      "missing /skill_overrides/100/out",
      "missing /skill_overrides/100/in",
    );
    passives.refuses({ "/skill_overrides/100": [1] });
  });

  it("has a bandit of four [RC-078]", () =>
    passives.words("/bandit_choice", ["Kraityn", "Alira", "Oak", "Eramir"]));

  it("has a major god of four [RC-079]", () =>
    passives.words("/pantheon_major", ["TheBrineKing", "Arakaali", "Solaris", "Lunaris"]));

  it("has a minor god of eight [RC-080]", () => {
    const gods = "Abberath Gruthkul Yugul Shakari Tukohama Ralakesh Garukhan Ryslatha";
    passives.words("/pantheon_minor", gods.split(" "));
  });

  it("has an alternate ascendancy of three; older answers have a number [RC-082]", () => {
    passives.words("/alternate_ascendancy", ["Warden", "Warlock", "Primalist"]);
    passives.drifts("other-type", { "/alternate_ascendancy": [0] });
  });
});

describe("Jewels and nodes", () => {
  const jewel = about(ItemJewelData, { type: "JewelStr" });
  const subgraph = about(ItemJewelData, { type: "", subgraph: { groups: {}, nodes: {} } });

  it("has jewel data [RC-083]", () => {
    const radii = { radius: 1500, radiusMin: 100, radiusVisual: "Large" };
    jewel.has({ ...radii, subgraph: { groups: {}, nodes: {} } });
    jewel.refuses({ "/radius": [-1], "/radiusMin": [-1] });
    subgraph.needs("/subgraph", "groups", "nodes");
  });

  it("has groups of a sub-graph by id [RC-085]", () => {
    subgraph.takes({ "/subgraph/groups/10": [{ x: 0.5, y: -1, orbits: [1], nodes: ["2"] }] });
    subgraph.needs("/subgraph/groups/10", "x");
    subgraph.drifts("other-type", { "/subgraph/groups": [[]] });
  });

  it("has nodes of a sub-graph by identifier; services send their skill as text [RC-086]", () => {
    const one = about(ItemJewelData, subgraph.at("/subgraph/nodes/65536", edges));
    one.takes();
    one.drifts("other-type", { "/subgraph/nodes/65536/skill": ["65536"] });
    one.refuses({ "/subgraph/nodes/65536/skill": [true] });
  });

  it("has groups with a place and nodes [RC-093]", () => {
    const group = about(PassiveGroup, { x: 1.5, y: -2, orbits: [0, 1], nodes: ["1"] });
    group.has({ isProxy: true, proxy: "1" });
    group.refuses({ "/orbits/0": [-1], "/nodes/0": [1], "/x": [Number.NaN] });
  });

  it("has proxy groups by true alone [RC-094]", () =>
    about(PassiveGroup, { x: 1, y: 2, orbits: [], nodes: [] }).flags("", "isProxy"));

  const kinds = "isKeystone isNotable isMastery isBlighted isTattoo isProxy isJewelSocket";
  const choices = "isAscendancyStart isMultipleChoice isMultipleChoiceOption";
  const flags = `${kinds} ${choices}`.split(" ");
  const granted = ["Strength", "Dexterity", "Intelligence", "PassivePoints"];
  const places = ["skill", "classStartIndex", "orbit", "orbitIndex"];
  const numbers = [...places, ...granted.map((name) => `granted${name}`)];
  const icons = ["icon", "inactiveIcon", "activeIcon", "activeEffectImage"];
  const texts = ["name", ...icons, "ascendancyName", "group"];
  const lists = ["stats", "reminderText", "flavourText"];

  it("has nodes with edges and thirty-one other members [RC-095]", () => {
    const others = { masteryEffects: [], expansionJewel: {}, recipe: ["ClearOil"] };
    const values = [same(flags, true), same(numbers, 1), same(texts, "a"), same(lists, ["a"])];
    const optional = Object.assign({}, others, ...values);
    expect(Object.keys(optional)).toHaveLength(31);
    node.has(optional, "out", "in");
    for (const name of numbers) node.refuses({ [`/${name}`]: [-1] });
    for (const name of [...lists, "out", "in"]) node.refuses({ [`/${name}/0`]: [1] });
  });

  it("has node flags that are true whenever present [RC-096]", () => {
    expect(flags).toHaveLength(10);
    node.flags("", ...flags);
  });

  it("has mastery effects and cluster jewel sockets [RC-097]", () => {
    const effect = { effect: 1, stats: ["text"], reminderText: ["text"] };
    const one = about(PassiveNode, { ...edges, masteryEffects: [effect] });
    one.takes({ "/masteryEffects/1": [{ effect: 2, stats: [] }] });
    one.needs("/masteryEffects/0", "effect", "stats");
    one.refuses({ "/masteryEffects/0/reminderText": ["text"] });
    node.takes({ "/expansionJewel": [{ size: 2, index: 1, proxy: 100, parent: 200 }, {}] });
    for (const name of ["size", "index", "proxy", "parent"])
      node.refuses({ [`/expansionJewel/${name}`]: [-1] });
    for (const name of ["proxy", "parent"])
      node.drifts("other-type", { [`/expansionJewel/${name}`]: ["100"] });
  });

  it("has a recipe of fourteen oils [RC-098]", () => {
    const first = "Clear Sepia Amber Verdant Teal Azure Indigo Violet Crimson Black Opalescent";
    const oils = `${first} Silver Golden Prismatic`.split(" ").map((oil) => `${oil}Oil`);
    expect(oils).toHaveLength(14);
    node.words("/recipe/0", oils);
  });
});

describe("StashTab", () => {
  const tab = { id: hex10, name: "1", type: "PremiumStash", metadata: {} };
  const stash = about(StashTab, tab);

  it("has its members, and tabs in tabs [RC-087]", () => {
    stash.has({ parent: hex10, folder: hex10, index: 0, children: [tab], items: [item] });
    stash.refuses({ "/index": [-1] });
    stash.needs("/items/0", "w");
    const child = { ...tab, children: [tab] };
    about(StashTab, { ...tab, children: [child] }).refuses({ "/children/0/children/0/name": [1] });
  });

  it("has ids of 10 hexadecimal digits [RC-088]", () => {
    for (const pointer of ["/id", "/parent", "/folder"]) {
      stash.takes({ [pointer]: [hex10] });
      stash.drifts("other-form", { [pointer]: ["123", `${hex10}0`, "ABCDEF0123"] });
    }
  });

  it("has metadata flags that are true whenever present [RC-089]", () =>
    stash.flags("/metadata", "public", "folder"));

  it("has a colour of 6 hexadecimal digits; services strip leading zeros [RC-090]", () => {
    stash.takes({ "/metadata/colour": ["ff7f00", "FF7F00"] });
    stash.drifts("other-form", { "/metadata/colour": ["ff", "7f00f", "ff7f00a", "ff7f0g"] });
  });

  it("has map metadata of any contents [RC-091]", () => {
    stash.takes({ "/metadata/map": [{ series: 3, any: [{}] }] });
    stash.refuses({ "/metadata/map": ["x"] });
  });
});

describe("LeagueAccount", () => {
  it("has atlas trees [RC-092]", () => {
    const trees = about(LeagueAccount, { atlas_passive_trees: [{ name: "One", hashes: [1] }] });
    trees.has({ atlas_passives: { hashes: [1, 2] } });
    trees.needs("/atlas_passives", "hashes");
    trees.needs("/atlas_passive_trees/0", "hashes", "name");
    trees.refuses({ "/atlas_passives/hashes/0": [-1] });
  });
});

import { expect, it } from "vitest";
import { masteryEffects } from "../src/index.ts";
import {
  Character,
  ItemJewelData,
  LeagueAccount,
  PassiveGroup,
  PassiveNode,
  Passives,
  StashTab,
} from "../src/effect/index.ts";
import { about, absent, character as ada, expectDrift, hex10, item, same } from "./support.ts";
import { node as edges, passives as tree, under } from "./support.ts";

const character = about(Character, ada);
const passives = about(Passives, tree);
const node = about(PassiveNode, edges);
const tab = { id: hex10, name: "1", type: "PremiumStash", metadata: {} };
const stash = about(StashTab, tab);
const group = about(PassiveGroup, { x: 1.5, y: -2, orbits: [0, 1], nodes: ["1"] });

const flags = ["ruthless", "expired", "deleted", "current"];
const nodeFlags = `isKeystone isNotable isMastery isBlighted isTattoo isProxy isJewelSocket
  isAscendancyStart isMultipleChoice isMultipleChoiceOption`.split(/\s+/u);
const oils = `ClearOil SepiaOil AmberOil VerdantOil TealOil AzureOil IndigoOil VioletOil CrimsonOil
  BlackOil OpalescentOil SilverOil GoldenOil PrismaticOil`.split(/\s+/u);

it("records of characters accept the words of the specification's tables, and Drift reports others [RC-071, RC-078, RC-079, RC-080, RC-082, RC-098]", () => {
  character.hasWords({ "/realm": "pc console_a console_b" });
  passives.hasWords({
    "/bandit_choice": "Kraityn Alira Oak Eramir",
    "/pantheon_major": "TheBrineKing Arakaali Solaris Lunaris",
    "/pantheon_minor": "Abberath Gruthkul Yugul Shakari Tukohama Ralakesh Garukhan Ryslatha",
    "/alternate_ascendancy": "Warden Warlock Primalist",
  });
  expect(oils).toHaveLength(14);
  node.hasWords({ "/recipe/0": oils });
});

it("flags in records of characters and stashes accept true, and Drift reports false [RC-072, RC-089, RC-094, RC-096]", () => {
  character.hasFlags(...under("", flags));
  stash.hasFlags("/metadata/public", "/metadata/folder");
  group.hasFlags("/isProxy");
  expect(nodeFlags).toHaveLength(10);
  node.hasFlags(...under("", nodeFlags));
});

const itemLists = ["equipment", "skills", "inventory", "rucksack", "jewels"];

it("Character has exactly the specification's members, and refuses invalid items in its lists [RC-069]", () => {
  const optional = { league: "Standard", passives: tree, metadata: { version: "3.25" } };
  character.hasMembers({ ...optional, ...same(flags, true), ...same(itemLists, [item]) }, "realm");
  for (const name of itemLists) {
    character.refuses({ [`/${name}`]: [""] });
    about(Character, { ...ada, [name]: [item] }).refuses({ [`/${name}/0/w`]: [-1] });
  }
  character.refuses({ "/metadata/version": [3] });
});

it("Drift reports a Character whose id is not 64 hexadecimal digits [RC-070]", () =>
  character.drifts("other-form", { "/id": ["ada"] }));

it("Conformance reports jewel data of a Character whose key is not the x of one of its jewels [RC-081]", () => {
  const one = about(Character, { ...ada, jewels: [{ ...item, x: 3 }], passives: tree });
  one.takes({ "/passives/jewel_data/3": [{ type: "JewelStr" }] });
  one.breaks({ "/passives/jewel_data/4": [{ type: "JewelStr" }] });
  const without = about(Character, { ...ada, passives: tree });
  without.takes({ "/passives/jewel_data/3": [{ type: "JewelStr" }] });
});

it("Character accepts the realm game2, and Drift reports it because the table does not list it [NS-17]", () =>
  character.drifts("unknown-word", { "/realm": ["game2"] }));

const { hashes_ex: _, mastery_effects: __, ...game2 } = tree;

it("Passives has exactly the specification's members, and requires only hashes [RC-073]", () => {
  const choices = ["bandit_choice", "pantheon_major", "pantheon_minor", "alternate_ascendancy"];
  const members = [...Object.keys(tree), "specialisations", ...choices];
  expect(Object.keys(Passives.fields).toSorted()).toEqual(members.toSorted());
  passives.needs("", "hashes");
  for (const name of ["hashes_ex", "mastery_effects", "skill_overrides", "jewel_data"])
    passives.drifts("missing", { [`/${name}`]: [absent] });
  passives.refuses({ "/hashes/0": [-1], "/hashes_ex/0": [-1] });
  for (const name of choices) passives.takes({ [`/${name}`]: [null] });
});

it("Drift reports members of game 1 as missing in Passives only without members of game 2 [NS-19]", () => {
  const specialisations = { set1: [1], set2: [], shapeshift: [2] };
  about(Passives, { ...game2, specialisations }).takes();
  passives.takes();
  const neither = { ...game2, specialisations: null };
  expectDrift(Passives, neither, "missing /hashes_ex", "missing /mastery_effects");
});

it("Passives and masteryEffects read mastery effects by node, and as packed numbers of older responses [RC-075]", () => {
  const packed = [String(4119 * 65_536 + 53_188)];
  passives.takes({ "/mastery_effects": [{ "53188": 4119, "1": -1 }] });
  passives.refuses({ "/mastery_effects/53188": ["4119", 0.5] });
  passives.drifts("other-type", { "/mastery_effects": [packed, []] });
  const choice = [{ node: 53_188, effect: 4119 }];
  expect(masteryEffects({ mastery_effects: packed })).toEqual(choice);
  expect(masteryEffects({ mastery_effects: { "53188": 4119 } })).toEqual(choice);
  expect(masteryEffects({})).toEqual([]);
});

it("Passives accepts specialisations of set1, set2 and shapeshift, and Drift reports other sets [RC-076]", () => {
  const specialisations = { set1: [1], set2: [2], shapeshift: [3] };
  const three = about(Passives, { ...game2, specialisations });
  three.drifts("unknown-word", { "/specialisations/set3": [[4]] });
  three.refuses({ "/specialisations/set1/0": [0.5], "/specialisations/set1": [1] });
});

it("Passives accepts skill overrides by node, and an empty array in place of an empty object [RC-077]", () => {
  const override = "/skill_overrides/100";
  passives.takes({ [override]: [edges] });
  passives.drifts("other-type", { "/skill_overrides": [[]] });
  const missing = [`missing ${override}/out`, `missing ${override}/in`];
  expectDrift(Passives, passives.at(override, { isTattoo: true }), ...missing);
  passives.refuses({ [override]: [1] });
});

it("Passives accepts a number as alternate ascendancy, as in older responses", () =>
  passives.drifts("other-type", { "/alternate_ascendancy": [0] }));

const jewel = about(ItemJewelData, { type: "JewelStr" });
const subgraph = about(ItemJewelData, { type: "", subgraph: { groups: {}, nodes: {} } });

it("ItemJewelData has exactly the specification's members, each with the specification's type [RC-083]", () => {
  const radii = { radius: 1500, radiusMin: 100, radiusVisual: "Large" };
  jewel.hasMembers({ ...radii, subgraph: { groups: {}, nodes: {} } });
  subgraph.needs("/subgraph", "groups", "nodes");
});

it("ItemJewelData accepts the groups of a sub-graph by id, and requires the x of a group [RC-085]", () => {
  subgraph.takes({ "/subgraph/groups/10": [{ x: 0.5, y: -1, orbits: [1], nodes: ["2"] }] });
  subgraph.needs("/subgraph/groups/10", "x");
  subgraph.drifts("other-type", { "/subgraph/groups": [[]] });
});

it("ItemJewelData accepts the nodes of a sub-graph, also with a skill that is text [RC-086]", () => {
  const one = about(ItemJewelData, subgraph.at("/subgraph/nodes/65536", edges));
  one.takes();
  one.drifts("other-type", { "/subgraph/nodes/65536/skill": ["65536"] });
  one.refuses({ "/subgraph/nodes/65536/skill": [true] });
});

it("PassiveGroup requires coordinates, orbits and nodes, and refuses invalid values of them [RC-093]", () => {
  group.hasMembers({ isProxy: true, proxy: "1" });
  group.refuses({ "/orbits/0": [-1], "/nodes/0": [1], "/x": [Number.NaN] });
});

const numbers = `skill classStartIndex orbit orbitIndex grantedStrength grantedDexterity
  grantedIntelligence grantedPassivePoints`.split(/\s+/u);
const texts = `name icon inactiveIcon activeIcon activeEffectImage ascendancyName group`.split(" ");
const textLists = ["stats", "reminderText", "flavourText"];

it("PassiveNode has the edges `out` and `in` and thirty-one optional members, and no others [RC-095]", () => {
  const others = { masteryEffects: [], expansionJewel: {}, recipe: ["ClearOil"] };
  const named = { ...same(nodeFlags, true), ...same(numbers, 1), ...same(texts, "a") };
  const optional = { ...others, ...named, ...same(textLists, ["a"]) };
  expect(Object.keys(optional)).toHaveLength(31);
  node.hasMembers(optional, "out", "in");
  for (const name of [...textLists, "out", "in"]) node.refuses({ [`/${name}/0`]: [1] });
});

it("PassiveNode checks the members of its mastery effects and of its cluster jewel socket [RC-097]", () => {
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

it("StashTab has exactly the specification's members, and refuses an invalid tab inside its tabs [RC-087]", () => {
  stash.hasMembers({ parent: hex10, folder: hex10, index: 0, children: [tab], items: [item] });
  stash.needs("/items/0", "w");
  const child = { ...tab, children: [tab] };
  about(StashTab, { ...tab, children: [child] }).refuses({ "/children/0/children/0/name": [1] });
});

it("Drift reports a StashTab whose id, parent or folder is not 10 hexadecimal digits [RC-088]", () => {
  for (const pointer of ["/id", "/parent", "/folder"]) {
    stash.takes({ [pointer]: [hex10] });
    stash.drifts("other-form", { [pointer]: ["123", `${hex10}0`, "ABCDEF0123"] });
  }
});

it("Drift reports a StashTab whose colour is not 6 hexadecimal digits [RC-090]", () => {
  stash.takes({ "/metadata/colour": ["ff7f00", "FF7F00"] });
  stash.drifts("other-form", { "/metadata/colour": ["ff", "7f00f", "ff7f00a", "ff7f0g"] });
});

it("StashTab accepts any object as map metadata, and refuses a text [RC-091]", () => {
  stash.takes({ "/metadata/map": [{ series: 3, any: [{}] }] });
  stash.refuses({ "/metadata/map": ["x"] });
});

it("LeagueAccount requires hashes in its atlas passives, and hashes and a name in each atlas tree [RC-092]", () => {
  const trees = about(LeagueAccount, { atlas_passive_trees: [{ name: "One", hashes: [1] }] });
  trees.hasMembers({ atlas_passives: { hashes: [1, 2] } });
  trees.needs("/atlas_passives", "hashes");
  trees.needs("/atlas_passive_trees/0", "hashes", "name");
  trees.refuses({ "/atlas_passives/hashes/0": [-1] });
});

import { expect, it } from "vitest";
import { DisplayModeNames, FrameTypeNames, modText } from "../src/index.ts";
import {
  CrucibleNode,
  DisplayMode,
  FrameType,
  GemPage,
  GemTab,
  Item,
  ItemProperty,
  ItemSocket,
} from "../src/effect/index.ts";
import { about, absent, expectConforming, hex64, item as ring } from "./support.ts";
import { property as level, same, under } from "./support.ts";

const words = (text: string) => text.trim().split(/\s+/u);

const flags = words(`support memoryItem abyssJewel delve fractured synthesised lockedToCharacter
  lockedToAccount duplicated split corrupted sanctified unmodifiable unmodifiableExceptChaos
  cisRaceReward seaRaceReward thRaceReward veiled desecrated isRelic replica foreseeing ruthless`);
const mods = words(`utilityMods enchantMods runeMods scourgeMods implicitMods explicitMods
  craftedMods fracturedMods crucibleMods cosmeticMods veiledMods desecratedMods flavourText`);
const properties = words(`properties notableProperties requirements weaponRequirements
  supportGemRequirements additionalProperties nextLevelRequirements grantedSkills`);
const texts = words(`stackSizeText iconTierText league note forum_note secDescrText gemBackground
  gemSkill descrText flavourTextNote prophecyText artFilename inventoryId`);
const ints = words("stackSize maxStackSize itemLevel unidentifiedTier talismanTier foilVariation");
const uints = ["frameType", "x", "y", "socket"];
const crucibleNode = { out: [], in: [] };
const parts = {
  influences: { elder: true },
  incubatedItem: { name: "Egg", level: 60, progress: 1, total: 9 },
  scourged: { tier: 1 },
  crucible: { layout: "https://images.example/t.png", nodes: { "0": crucibleNode } },
  hybrid: { baseTypeName: "Vaal" },
  extended: { prefixes: 1, suffixes: 2 },
  sockets: [{ group: 0 }],
  socketedItems: [ring],
  rewards: [{ label: "Gold", rewards: { gold: 1 } }],
  logbookMods: [{ name: "Cave", faction: { id: "Faction1", name: "One" }, mods: ["text"] }],
  ultimatumMods: [{ type: "icon", tier: 1 }],
  gemTabs: [{ pages: [{}] }],
};
const optional = {
  ...same(flags, true),
  ...same(mods, ["text"]),
  ...same(properties, [level]),
  ...same(texts, "text"),
  ...same(ints, -1),
  ...same(uints, 1),
  ...parts,
  realm: "game2",
  id: hex64,
  gemSockets: ["W"],
  rarity: "Rare",
  colour: "S",
};

const item = about(Item, ring);
const sockets = about(Item, { ...ring, gemSockets: ["W", "W"] });
const socket = about(ItemSocket, { group: 0 });
const node = about(CrucibleNode, crucibleNode);
const nodeFlags = ["allocated", "isNotable", "isReward"];
/** The item with the parts that have members of their own. */
const whole = about(Item, { ...ring, ...parts });

it("records of items accept the words of the specification's tables, and Drift reports others [RC-039, RC-042, RC-045, RC-049, RC-056, RC-060..RC-063]", () => {
  item.hasWords({ "/realm": "game2", "/rarity": "Normal Magic Rare Unique", "/colour": "S D I G" });
  sockets.hasWords({ "/gemSockets/1": "W" });
  sockets.refuses({ "/gemSockets/0": [1] });
  whole.hasWords({ "/logbookMods/0/faction/id": "Faction1 Faction2 Faction3 Faction4" });
  const kinds = words(`emerald sapphire ruby rune soulcore primaltalisman vividtalisman
    wildtalisman sacredtalisman activegem supportgem`);
  expect(kinds).toHaveLength(11);
  socket.hasWords({ "/attr": "S D I G A DV", "/sColour": "R G B W A DV", "/item": kinds });
  socket.hasWords({ "/type": "gem jewel rune" });
});

it("flags in records of items accept true, and Drift reports false [RC-040, RC-043, RC-100]", () => {
  expect(flags).toHaveLength(23);
  item.hasFlags(...under("", flags));
  item.hasFlags(...under("/influences", ["elder", "shaper", "searing", "tangled"]));
  item.drifts("unknown-key", { "/influences/hunter": [true] });
  node.hasFlags(...under("", nodeFlags));
});

it("Item requires nine members, and checks the types of eighty-four optional members [RC-038]", () => {
  expect(Object.keys(optional)).toHaveLength(84);
  about(Item, { ...ring, ilvl: -1 }).hasMembers(optional);
  expectConforming(Item, { ...ring, ...optional });
  for (const name of mods) item.refuses({ [`/${name}/0`]: [1] });
  for (const name of properties) item.needs(`/${name}/0`, "name");
  whole.needs("/gemTabs/0", "pages");
  whole.needs("/sockets/0", "group");
});

it("Drift reports an Item whose id is not 64 lower-case hexadecimal digits [RC-041]", () =>
  item.drifts("other-form", { "/id": [hex64.toUpperCase(), `${hex64}0`] }));

it("Item accepts items in sockets, and refuses an invalid item two sockets deep [RC-044]", () => {
  const nested = about(Item, item.at("/socketedItems", [item.at("/socketedItems", [ring])]));
  nested.takes();
  nested.refuses({ "/socketedItems/0/socketedItems/0/w": ["2"] });
});

it("Item requires a label and a dictionary of integers in each of its rewards [RC-047]", () => {
  whole.takes({ "/rewards/0/rewards": [{ gold: -1, silver: 2 }] });
  whole.drifts("other-type", { "/rewards/0/rewards": [[]] });
  whole.refuses({ "/rewards/0/rewards/gold": [1.5] });
  whole.needs("/rewards/0", "label", "rewards");
});

it("Item requires an area name, a faction and mods in each of its logbook mods [RC-048]", () => {
  whole.needs("/logbookMods/0", "name", "faction", "mods");
  whole.needs("/logbookMods/0/faction", "id", "name");
  whole.refuses({ "/logbookMods/0/mods/0": [1] });
});

it("Item checks the members of ultimatumMods, incubatedItem, hybrid and extended [RC-050]", () => {
  whole.needs("/ultimatumMods/0", "type", "tier");
  whole.needs("/incubatedItem", ...Object.keys(parts.incubatedItem));
  whole.needs("/hybrid", "baseTypeName");
  whole.takes({ "/extended": [{}, { prefixes: null, suffixes: 3 }] });
  const hybrid = { properties: [level], explicitMods: ["text"], secDescrText: "text" };
  for (const [name, value] of Object.entries({ ...hybrid, isVaalGem: false })) {
    whole.takes({ [`/hybrid/${name}`]: [value] });
    whole.refuses({ [`/hybrid/${name}`]: [{}] });
  }
  whole.refuses({
    "/extended/prefixes": [-1],
    "/incubatedItem/total": [-1],
    "/ultimatumMods/0/tier": [0.5],
  });
});

it("Item accepts any user-generated text as note, forum_note and flavourTextNote [RC-051]", () => {
  const text = '\u0000 ~price 5 <b>\r\n\ud83d\ude00 {"a":1}';
  for (const pointer of ["/note", "/forum_note", "/flavourTextNote"]) {
    item.takes({ [pointer]: [text, ""] });
    item.refuses({ [pointer]: [5] });
  }
});

it("Drift reports an Item whose scourge tier is not from 1 to 10 [RC-053]", () => {
  whole.takes({ "/scourged/tier": [1, 3, 10] });
  whole.drifts("other-form", { "/scourged/tier": [0, 11] });
  whole.needs("/scourged", "tier");
  for (const name of ["level", "progress", "total"]) {
    whole.takes({ [`/scourged/${name}`]: [68] });
    whole.refuses({ [`/scourged/${name}`]: [-1] });
  }
});

it("Item requires a layout and nodes in its crucible tree, and `out` in each node [RC-054]", () => {
  whole.needs("/crucible", "layout", "nodes");
  whole.needs("/crucible/nodes/3", "out");
});

it("Item accepts a negative number for an integer, and refuses it for an unsigned integer [RC-057]", () => {
  for (const name of ["ilvl", ...ints]) {
    item.takes({ [`/${name}`]: [-1] });
    item.refuses({ [`/${name}`]: [1.5] });
  }
  for (const name of ["w", "h", ...uints]) item.refuses({ [`/${name}`]: [-1, 1.5] });
});

it("modText returns the text of a mod that is a string or an object", () =>
  expect(["text", { description: "+1 to Level" }].map(modText)).toEqual(["text", "+1 to Level"]));

const property = about(ItemProperty, level);

it("FrameTypeNames has the twelve frames with their meanings, and Drift reports other numbers [RC-058]", () => {
  const frames = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  expect(Object.keys(FrameTypeNames).map(Number)).toEqual(frames);
  expect(FrameTypeNames[0]).toBe("Normal frame");
  expect(FrameTypeNames[8]).toBe("Prophecy frame (legacy)");
  expect(FrameTypeNames[11]).toBe("Necropolis frame");
  about(FrameType, 0).hasWords({ "": frames });
  about(FrameType, 0).refuses({ "": [-1] });
  item.hasWords({ "/frameType": frames });
  item.drifts("unknown-word", { "/frameType": [12] });
});

it("DisplayModeNames has the five modes with their meanings, and Drift reports other numbers [RC-068]", () => {
  expect(DisplayModeNames).toEqual({
    0: "Name followed by values",
    1: "Values followed by name",
    2: "Progress bar",
    3: "Values inserted into the string by index",
    4: "Separator",
  });
  const modes = [0, 1, 2, 3, 4];
  about(DisplayMode, 0).hasWords({ "": modes });
  property.hasWords({ "/displayMode": modes });
  property.drifts("unknown-word", { "/displayMode": [5] });
  property.refuses({ "/displayMode": ["1"] });
});

it("ItemSocket has four optional members, and refuses a negative group [RC-059]", () => {
  socket.hasMembers({ attr: "S", sColour: "R", type: "gem", item: "rune" });
  socket.refuses({ "/group": [-1] });
});

it("ItemProperty has five optional members, and refuses a negative type [RC-065]", () => {
  property.hasMembers({ displayMode: 0, progress: 0.25, type: 6, suffix: "(x)", icon: "a.png" });
  property.refuses({ "/type": [-1] });
});

it("ItemProperty accepts values that are pairs of a text and an unsigned integer [RC-066]", () => {
  const [twenty, part] = [["+20%", 1] as const, ["17/20", 0] as const];
  property.takes({ "/values": [[], [twenty, part]] });
  property.refuses({ "/values/0/0": [20], "/values/0/1": [-1], "/values/0": ["20"] });
  property.refuses({ "/values/0/1": [absent] });
  property.drifts("unknown-key", { "/values/0/2": ["later"] });
});

it("Drift reports an ItemProperty whose progress has more than two decimal places [RC-067]", () => {
  property.takes({ "/progress": [0, 1, 0.5, 0.25] });
  property.drifts("other-form", { "/progress": [0.125, 0.001, 2.2026624719728716e-6] });
  property.refuses({ "/progress": [Number.NaN, Number.POSITIVE_INFINITY] });
});

const numbers = ["skill", "tier", "orbit", "orbitIndex"];

it("CrucibleNode has exactly the specification's members, and refuses negative numbers [RC-099]", () => {
  const lists = { stats: ["text"], reminderText: ["text"] };
  node.hasMembers({ ...same(numbers, 1), ...same(nodeFlags, true), ...lists, icon: "a.png" });
  for (const name of numbers) node.refuses({ [`/${name}`]: [-1] });
});

it("GemTab requires pages, and refuses a page whose stats are not texts [RC-101]", () => {
  const tab = about(GemTab, { pages: [{}] });
  tab.hasMembers({ name: "Fireball" });
  tab.refuses({ "/pages/0/stats/0": [1] });
});

it("GemPage requires no member, and checks the types of its four members [RC-102]", () => {
  const members = { skillName: "Fireball", description: "", stats: ["text"] };
  about(GemPage, {}).hasMembers({ ...members, properties: [level] });
});

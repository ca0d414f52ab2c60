import { describe, expect, it } from "vitest";
import { DisplayModeNames, FrameTypeNames, modText } from "../src/index.ts";
import * as Conformance from "../src/Conformance.ts";
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
import {
  expectAlwaysTrue,
  expectConforming,
  expectDrift,
  expectMembers,
  expectWords,
  hex64,
  item,
  property,
  expectRefused,
} from "./support.ts";

const flags = [
  "support",
  "memoryItem",
  "abyssJewel",
  "delve",
  "fractured",
  "synthesised",
  "lockedToCharacter",
  "lockedToAccount",
  "duplicated",
  "split",
  "corrupted",
  "sanctified",
  "unmodifiable",
  "unmodifiableExceptChaos",
  "cisRaceReward",
  "seaRaceReward",
  "thRaceReward",
  "veiled",
  "desecrated",
  "isRelic",
  "replica",
  "foreseeing",
  "ruthless",
];
const lists = {
  strings: [
    "utilityMods",
    "enchantMods",
    "runeMods",
    "scourgeMods",
    "implicitMods",
    "explicitMods",
    "craftedMods",
    "fracturedMods",
    "crucibleMods",
    "cosmeticMods",
    "veiledMods",
    "desecratedMods",
    "flavourText",
  ],
  properties: [
    "properties",
    "notableProperties",
    "requirements",
    "weaponRequirements",
    "supportGemRequirements",
    "additionalProperties",
    "nextLevelRequirements",
    "grantedSkills",
  ],
};
const texts = [
  "stackSizeText",
  "iconTierText",
  "league",
  "note",
  "forum_note",
  "secDescrText",
  "gemBackground",
  "gemSkill",
  "descrText",
  "flavourTextNote",
  "prophecyText",
  "artFilename",
  "inventoryId",
];
const ints = [
  "stackSize",
  "maxStackSize",
  "itemLevel",
  "unidentifiedTier",
  "talismanTier",
  "foilVariation",
];
const uints = ["frameType", "x", "y", "socket"];
const crucibleNode = { out: [], in: [] };
const objects = {
  influences: { elder: true },
  incubatedItem: { name: "Egg", level: 60, progress: 1, total: 9 },
  scourged: { tier: 1 },
  crucible: { layout: "https://images.example/t.png", nodes: { "0": crucibleNode } },
  hybrid: { baseTypeName: "Vaal" },
  extended: { prefixes: 1, suffixes: 2 },
};
const each = (names: ReadonlyArray<string>, value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]));

const optional = {
  ...each(flags, true),
  ...each(lists.strings, ["text"]),
  ...each(lists.properties, [property]),
  ...each(texts, "text"),
  ...each(ints, 1),
  ...each(uints, 1),
  ...objects,
  realm: "game2",
  id: hex64,
  gemSockets: ["W"],
  sockets: [{ group: 0 }],
  socketedItems: [item],
  rarity: "Rare",
  rewards: [{ label: "Gold", rewards: { gold: 1 } }],
  logbookMods: [{ name: "Cave", faction: { id: "Faction1", name: "One" }, mods: ["text"] }],
  ultimatumMods: [{ type: "icon", tier: 1 }],
  gemTabs: [{ pages: [{}] }],
  colour: "S",
};

const withItem = (members: object) => ({ ...item, ...members });

describe("Item", () => {
  it("requires nine members, types the other eighty-four [RC-038]", () => {
    expect(Object.keys(optional)).toHaveLength(84);
    expectMembers(Item, { required: item, optional });
    for (const name of lists.strings) expectRefused(Item, withItem({ [name]: [1] }), `/${name}/0`);
    for (const name of lists.properties)
      expectRefused(Item, withItem({ [name]: [{}] }), `/${name}/0/name`);
    expectRefused(Item, withItem({ gemTabs: [{}] }), "/gemTabs/0/pages");
    expectRefused(Item, withItem({ sockets: [{}] }), "/sockets/0/group");
  });

  it("is of realm game2 whenever it names one [RC-039]", () => {
    expectWords(Item, ["game2"], (realm) => withItem({ realm }), "/realm");
  });

  it("has twenty-three flags that are true whenever present [RC-040]", () => {
    expect(flags).toHaveLength(23);
    expectAlwaysTrue(Item, flags, (flag, value) => withItem({ [flag]: value }));
  });

  it("has an id of 64 hexadecimal digits, if any [RC-041]", () => {
    expectConforming(Item, withItem({ id: hex64 }));
    expectDrift(Item, withItem({ id: hex64.toUpperCase() }), "other-form /id");
    expectDrift(Item, withItem({ id: `${hex64}0` }), "other-form /id");
  });

  it("has gem sockets that are all W [RC-042]", () => {
    expectConforming(Item, withItem({ gemSockets: ["W", "W"] }));
    expectDrift(Item, withItem({ gemSockets: ["W", "R"] }), "unknown-word /gemSockets/1");
    expectWords(Item, ["W"], (word) => withItem({ gemSockets: [word] }), "/gemSockets/0");
    expectRefused(Item, withItem({ gemSockets: [1] }), "/gemSockets/0");
  });

  it("has influences that are true whenever present [RC-043]", () => {
    const members = ["elder", "shaper", "searing", "tangled"];
    const build = (flag: string, value: unknown) => withItem({ influences: { [flag]: value } });
    expectAlwaysTrue(Item, members, build, "/influences");
    expectDrift(Item, withItem({ influences: { hunter: true } }), "unknown-key /influences/hunter");
  });

  it("nests items in sockets [RC-044]", () => {
    expectConforming(Item, withItem({ socketedItems: [withItem({ socketedItems: [item] })] }));
    expectRefused(
      Item,
      withItem({ socketedItems: [withItem({ socketedItems: [{ ...item, w: "2" }] })] }),
      "/socketedItems/0/socketedItems/0/w",
    );
  });

  it("has a rarity of four [RC-045]", () => {
    const words = ["Normal", "Magic", "Rare", "Unique"];
    expectWords(Item, words, (rarity) => withItem({ rarity }), "/rarity");
  });

  it("has rewards: a label and a dictionary of integers [RC-047]", () => {
    expectConforming(
      Item,
      withItem({ rewards: [{ label: "", rewards: { gold: -1, silver: 2 } }] }),
    );
    expectDrift(
      Item,
      withItem({ rewards: [{ label: "", rewards: [] }] }),
      "other-type /rewards/0/rewards",
    );
    expectRefused(
      Item,
      withItem({ rewards: [{ label: "", rewards: { gold: 1.5 } }] }),
      "/rewards/0/rewards/gold",
    );
    expectRefused(Item, withItem({ rewards: [{ rewards: {} }] }), "/rewards/0/label");
    expectRefused(Item, withItem({ rewards: [{ label: "" }] }), "/rewards/0/rewards");
  });

  it("has logbook mods: area, faction and mods [RC-048]", () => {
    const [mod] = optional.logbookMods;
    for (const name of ["name", "faction", "mods"]) {
      const { [name]: _, ...without } = mod as Record<string, unknown>;
      expectRefused(Item, withItem({ logbookMods: [without] }), `/logbookMods/0/${name}`);
    }
    expectRefused(
      Item,
      withItem({ logbookMods: [{ ...mod, faction: { id: "Faction1" } }] }),
      "/logbookMods/0/faction/name",
    );
    expectRefused(
      Item,
      withItem({ logbookMods: [{ ...mod, mods: [1] }] }),
      "/logbookMods/0/mods/0",
    );
  });

  it("has one of four factions [RC-049]", () => {
    const build = (id: unknown) =>
      withItem({ logbookMods: [{ name: "", faction: { id, name: "" }, mods: [] }] });
    const words = ["Faction1", "Faction2", "Faction3", "Faction4"];
    expectWords(Item, words, build, "/logbookMods/0/faction/id");
  });

  it("has the object members' shapes [RC-050]", () => {
    const requires = (member: string, example: object, inArray = false) => {
      for (const name of Object.keys(example)) {
        const { [name]: _, ...without } = example as Record<string, unknown>;
        const value = inArray ? [without] : without;
        expectRefused(
          Item,
          withItem({ [member]: value }),
          `/${member}${inArray ? "/0" : ""}/${name}`,
        );
      }
    };
    requires("ultimatumMods", { type: "icon", tier: 1 }, true);
    requires("incubatedItem", objects.incubatedItem);
    requires("hybrid", { baseTypeName: "Vaal" });
    expectConforming(Item, withItem({ extended: {} }));
    expectConforming(Item, withItem({ extended: { prefixes: null, suffixes: 3 } }));
    expectRefused(Item, withItem({ extended: { prefixes: -1 } }), "/extended/prefixes");
    const hybrid = {
      baseTypeName: "Vaal",
      isVaalGem: false,
      properties: [property],
      explicitMods: ["text"],
      secDescrText: "text",
    };
    expectConforming(Item, withItem({ hybrid }));
    for (const name of ["isVaalGem", "properties", "explicitMods", "secDescrText"]) {
      expectRefused(Item, withItem({ hybrid: { ...hybrid, [name]: {} } }), `/hybrid/${name}`);
    }
    expectRefused(
      Item,
      withItem({ incubatedItem: { ...objects.incubatedItem, total: -1 } }),
      "/incubatedItem/total",
    );
    expectRefused(
      Item,
      withItem({ ultimatumMods: [{ type: "icon", tier: 0.5 }] }),
      "/ultimatumMods/0/tier",
    );
  });

  it("keeps user-generated text as it is [RC-051]", () => {
    const text = '\u0000 ~price 5 <b>\r\n\ud83d\ude00 {"a":1}';
    for (const name of ["note", "forum_note", "flavourTextNote"]) {
      expectConforming(Item, withItem({ [name]: text }));
      expectConforming(Item, withItem({ [name]: "" }));
      expectRefused(Item, withItem({ [name]: 5 }), `/${name}`);
    }
  });

  it("has a scourge tier from 1 to 10 [RC-053]", () => {
    for (const tier of [1, 3, 10]) expectConforming(Item, withItem({ scourged: { tier } }));
    for (const tier of [0, 11]) {
      expectDrift(Item, withItem({ scourged: { tier } }), "other-form /scourged/tier");
    }
    expectRefused(Item, withItem({ scourged: {} }), "/scourged/tier");
    expectConforming(Item, withItem({ scourged: { tier: 1, level: 68, progress: 1, total: 2 } }));
    for (const name of ["level", "progress", "total"]) {
      expectRefused(Item, withItem({ scourged: { tier: 1, [name]: -1 } }), `/scourged/${name}`);
    }
  });

  it("has a crucible tree: a layout and nodes by index [RC-054]", () => {
    expectConforming(Item, withItem({ crucible: objects.crucible }));
    expectRefused(Item, withItem({ crucible: { nodes: {} } }), "/crucible/layout");
    expectRefused(Item, withItem({ crucible: { layout: "" } }), "/crucible/nodes");
    expectRefused(
      Item,
      withItem({ crucible: { layout: "", nodes: { "3": {} } } }),
      "/crucible/nodes/3/out",
    );
  });

  it("has a colour of four [RC-056]", () => {
    expectWords(Item, ["S", "D", "I", "G"], (colour) => withItem({ colour }), "/colour");
  });

  it("tells integers from unsigned integers [RC-057]", () => {
    for (const name of ["ilvl", ...ints]) {
      expectConforming(Item, withItem({ [name]: -1 }));
      expectRefused(Item, withItem({ [name]: 1.5 }), `/${name}`);
    }
    for (const name of ["w", "h", ...uints]) {
      expectRefused(Item, withItem({ [name]: -1 }), `/${name}`);
      expectRefused(Item, withItem({ [name]: 1.5 }), `/${name}`);
    }
  });

  it("takes mods as objects where services send them so, and reads both forms", () => {
    const mod = { description: "+1 to Level", flags: { crafted: true } };
    expectDrift(Item, withItem({ explicitMods: ["text", mod] }), "other-type /explicitMods/1");
    expectDrift(
      Item,
      withItem({ implicitMods: [{ ...mod, flags: [] }] }),
      "other-type /implicitMods/0",
      "other-type /implicitMods/0/flags",
    );
    expect(["text", mod].map(modText)).toEqual(["text", "+1 to Level"]);
    expectRefused(Item, withItem({ explicitMods: [{}] }), "/explicitMods/0/description");
  });
});

describe("FrameType and DisplayMode", () => {
  it("knows twelve frames by number and meaning; later ones drift [RC-058]", () => {
    expect(Object.keys(FrameTypeNames).map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(FrameTypeNames[0]).toBe("Normal frame");
    expect(FrameTypeNames[8]).toBe("Prophecy frame (legacy)");
    expect(FrameTypeNames[11]).toBe("Necropolis frame");
    const frames = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    expectWords(FrameType, frames, (frame) => frame, "");
    expectWords(Item, frames, (frameType) => withItem({ frameType }), "/frameType");
    expectDrift(Item, withItem({ frameType: 12 }), "unknown-word /frameType");
    expectRefused(FrameType, -1, "");
  });

  it("knows five display modes by number and meaning; later ones drift [RC-068]", () => {
    expect(DisplayModeNames).toEqual({
      0: "Name followed by values",
      1: "Values followed by name",
      2: "Progress bar",
      3: "Values inserted into the string by index",
      4: "Separator",
    });
    const modes = [0, 1, 2, 3, 4];
    expectWords(DisplayMode, modes, (mode) => mode, "");
    expectWords(
      ItemProperty,
      modes,
      (displayMode) => ({ ...property, displayMode }),
      "/displayMode",
    );
    expectDrift(ItemProperty, { ...property, displayMode: 5 }, "unknown-word /displayMode");
    expectRefused(ItemProperty, { ...property, displayMode: "1" }, "/displayMode");
  });
});

describe("ItemSocket", () => {
  it("has its members [RC-059]", () => {
    expectMembers(ItemSocket, {
      required: { group: 0 },
      optional: { attr: "S", sColour: "R", type: "gem", item: "rune" },
    });
    expectRefused(ItemSocket, { group: -1 }, "/group");
  });

  it("has an attribute of six [RC-060]", () => {
    const words = ["S", "D", "I", "G", "A", "DV"];
    expectWords(ItemSocket, words, (attr) => ({ group: 0, attr }), "/attr");
  });

  it("has a colour of six [RC-061]", () => {
    const words = ["R", "G", "B", "W", "A", "DV"];
    expectWords(ItemSocket, words, (sColour) => ({ group: 0, sColour }), "/sColour");
  });

  it("has a type of three [RC-062]", () => {
    expectWords(ItemSocket, ["gem", "jewel", "rune"], (type) => ({ group: 0, type }), "/type");
  });

  it("takes eleven kinds of items [RC-063]", () => {
    const words = [
      "emerald",
      "sapphire",
      "ruby",
      "rune",
      "soulcore",
      "primaltalisman",
      "vividtalisman",
      "wildtalisman",
      "sacredtalisman",
      "activegem",
      "supportgem",
    ];
    expect(words).toHaveLength(11);
    expectWords(ItemSocket, words, (kind) => ({ group: 0, item: kind }), "/item");
  });
});

describe("ItemProperty", () => {
  it("has its members [RC-065]", () => {
    expectMembers(ItemProperty, {
      required: property,
      optional: { displayMode: 0, progress: 0.25, type: 6, suffix: "(x)", icon: "a.png" },
    });
    expectRefused(ItemProperty, { ...property, type: -1 }, "/type");
  });

  it("has pairs of a text and a value type [RC-066]", () => {
    expectConforming(ItemProperty, { name: "", values: [] });
    expectConforming(ItemProperty, {
      name: "",
      values: [
        ["+20%", 1],
        ["17/20", 0],
      ],
    });
    expectRefused(ItemProperty, { name: "", values: [[20, 0]] }, "/values/0/0");
    expectRefused(ItemProperty, { name: "", values: [["20", -1]] }, "/values/0/1");
    expectRefused(ItemProperty, { name: "", values: [["20"]] }, "/values/0/1");
    expectRefused(ItemProperty, { name: "", values: ["20"] }, "/values/0");
    expectDrift(
      ItemProperty,
      { name: "", values: [["20", 0, "later"]] },
      "unknown-key /values/0/2",
    );
  });

  it("has a progress of two decimal places; services send more [RC-067]", () => {
    for (const progress of [0, 1, 0.5, 0.25])
      expectConforming(ItemProperty, { ...property, progress });
    for (const progress of [0.125, 0.001, 2.2026624719728716e-6]) {
      expectDrift(ItemProperty, { ...property, progress }, "other-form /progress");
    }
    expectRefused(ItemProperty, { ...property, progress: Number.NaN }, "/progress");
    expectRefused(ItemProperty, { ...property, progress: Number.POSITIVE_INFINITY }, "/progress");
  });
});

describe("CrucibleNode and gems", () => {
  it("has nodes with edges and a place [RC-099]", () => {
    const numbers = { skill: 1, tier: 2, orbit: 3, orbitIndex: 4 };
    expectMembers(CrucibleNode, {
      required: crucibleNode,
      optional: {
        ...numbers,
        icon: "a.png",
        allocated: true,
        isNotable: true,
        isReward: true,
        stats: ["text"],
        reminderText: ["text"],
      },
    });
    for (const name of Object.keys(numbers)) {
      expectRefused(CrucibleNode, { ...crucibleNode, [name]: -1 }, `/${name}`);
    }
  });

  it("has node flags that are true whenever present [RC-100]", () => {
    const names = ["allocated", "isNotable", "isReward"];
    expectAlwaysTrue(CrucibleNode, names, (flag, value) => ({ ...crucibleNode, [flag]: value }));
  });

  it("has gem tabs of pages [RC-101]", () => {
    expectMembers(GemTab, { required: { pages: [{}] }, optional: { name: "Fireball" } });
    expectRefused(GemTab, { pages: [{ stats: [1] }] }, "/pages/0/stats/0");
  });

  it("has gem pages of optional members alone [RC-102]", () => {
    expectMembers(GemPage, {
      required: {},
      optional: { skillName: "Fireball", description: "", properties: [property], stats: ["text"] },
    });
  });

  it("finds nothing to say about an item with every member", () => {
    expect(Conformance.conforms(Item, { ...item, ...optional })).toBe(true);
  });
});

/**
 * Items of game 2. Only they have the members that §2 Item marks "game 2 only".
 *
 * Such an item says `realm: "game2"`, its sockets have a `type` and an `item` instead of an
 * attribute and a colour, and its gems spread their text over tabs and pages.
 */
import type { GemTab, Item, ItemSocket } from "@game-data/schemas";
import { IMPLICIT_LINES, PREFIX_LINES, SUFFIX_LINES } from "./data/modifiers.ts";
import { GEAR, type ItemClass, rollGear } from "./gear.ts";
import { FLAVOUR, statLines } from "./Lexicon.ts";
import type { Prng } from "./Prng.ts";
import { GEMS, levelNeeded, makeItem, type Maker, property, quality } from "./things.ts";

const SOCKET_ITEMS = [
  "rune",
  "soulcore",
  "primaltalisman",
  "vividtalisman",
  "wildtalisman",
  "sacredtalisman",
] as const;

const JEWELS = ["emerald", "sapphire", "ruby"] as const;

const runeSockets = (draw: Prng): Array<ItemSocket> =>
  Array.from({ length: draw.int(1, 2) }, (_, group) => {
    const isJewel = draw.chance(0.15);
    return {
      group,
      type: isJewel ? "jewel" : "rune",
      ...(draw.chance(0.6) && { item: draw.pick(isJewel ? JEWELS : SOCKET_ITEMS) }),
    };
  });

/** Makes gear of game 2 with a random frame. */
export const gear2 =
  (itemClass: ItemClass): Maker =>
  (draw) => {
    const frame = draw.pick([0, 1, 2, 2, 2, 3] as const);
    const { level, ...rolled } = rollGear(draw, itemClass, draw.int(1, 86), frame);
    const { explicitMods = [] } = rolled;
    return {
      ...rolled,
      folder: "game2/gear",
      realm: "game2",
      ...(itemClass.sockets > 0 && {
        sockets: runeSockets(draw),
        runeMods: statLines(draw, IMPLICIT_LINES, 1),
      }),
      ...(frame === 1 && draw.chance(0.3) && { unidentifiedTier: draw.int(1, 5) }),
      properties: [property(`[${itemClass.piece}]`), quality(draw.int(1, 20), "[Quality]")],
      requirements: [levelNeeded(level)],
      ...(itemClass.kind === "weapon" && { grantedSkills: [grantedSkill(draw)] }),
      ...(draw.chance(0.4) && { implicitMods: statLines(draw, IMPLICIT_LINES, 1) }),
      ...(explicitMods.length > 0 && {
        explicitMods: [...explicitMods, "[Resistances|+12% to Ember Resistance]"],
      }),
      ...(frame === 2 &&
        draw.chance(0.2) && {
          desecrated: true,
          desecratedMods: statLines(draw, SUFFIX_LINES, 1),
        }),
      ...(frame >= 2 && draw.chance(0.1) && { sanctified: true }),
      ...(frame === 3 && { flavourText: draw.sample(FLAVOUR, 1) }),
    };
  };

const grantedSkill = (draw: Prng) =>
  property("Grants Skill: %0", [[`Level ${draw.int(1, 20)} [Bolt|Kindled Bolt]`, 25]], {
    displayMode: 3,
  });

const gemTabs = (draw: Prng, name: string): Array<GemTab> => [
  {
    name: "Strike",
    pages: [
      {
        skillName: name,
        description: "Sends what you ask for where you point.",
        properties: [property("Reach", [[`${draw.int(10, 40) / 10} metres`, 1]])],
        stats: statLines(draw, PREFIX_LINES, 2),
      },
      { stats: statLines(draw, SUFFIX_LINES, 1) },
    ],
  },
  { name: "Echo", pages: [{ skillName: `${name} Echo`, stats: statLines(draw, SUFFIX_LINES, 1) }] },
];

const supportGem = (key: string, [typeLine]: (typeof GEMS)[number], socket: number): Item =>
  makeItem(key, { socket }, (draw) => ({
    typeLine,
    folder: "game2/gems",
    realm: "game2",
    support: true,
    supportGemRequirements: [
      property("Wit", [[String(5 * draw.int(1, 6)), 0]], { displayMode: 1 }),
    ],
    frameType: 4,
  }));

/** Makes a skill gem of game 2 with support gems in its sockets. */
export const skill2: Maker = (draw) => {
  const [name] = draw.pick(GEMS.filter(([, isSupport]) => !isSupport));
  const supports = draw.sample(
    GEMS.filter(([, isSupport]) => isSupport),
    draw.int(1, 3),
  );
  return {
    typeLine: name,
    folder: "game2/gems",
    realm: "game2",
    gemSockets: ["W", "W", "W"],
    sockets: [
      ...supports.map((_, group) => ({ group, type: "gem", item: "supportgem" })),
      // The last socket may hold a second skill.
      ...(draw.chance(0.3) ? [{ group: supports.length, type: "gem", item: "activegem" }] : []),
    ],
    socketedItems: supports.map((gem, socket) =>
      supportGem(`${draw.key}/support/${socket}`, gem, socket),
    ),
    properties: [
      property("[Spell], [Reach]"),
      property("Level", [[String(draw.int(1, 20)), 0]], { type: 5 }),
    ],
    requirements: [levelNeeded(draw.int(1, 70))],
    weaponRequirements: [property("Requires: %0", [["[Rod]", 0]], { displayMode: 3 })],
    gemTabs: gemTabs(draw, name),
    gemBackground: "art/gems/backdrop-storm",
    gemSkill: name.replaceAll(" ", ""),
    iconTierText: draw.pick(["I", "II", "III", "IV"]),
    descrText: "Engrave into a skill slot.",
    frameType: 4,
  };
};

export const anyThing2: Maker = (draw, where) =>
  (draw.chance(0.8) ? gear2(draw.pick(GEAR)) : skill2)(draw, where);

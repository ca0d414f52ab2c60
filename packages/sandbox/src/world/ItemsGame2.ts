/**
 * Items of game 2: the members that §2 Item marks "game 2 only" occur here and nowhere else.
 *
 * Such an item says `realm: "game2"`, its sockets have a `type` and an `item` instead of an
 * attribute and a colour, and its gems spread their text over tabs and pages.
 */
import type { GemTab, Item, ItemProperty, ItemSocket } from "@game-data/schemas";
import { IMPLICIT_LINES, PREFIX_LINES, SUFFIX_LINES } from "./data/modifiers.ts";
import { baseOf, GEAR, GEMS, type ItemClass, rollLines, uniqueItem } from "./itemBases.ts";
import { levelNeeded, type Placement, property, quality, RARITIES, skeleton } from "./ItemParts.ts";
import { FLAVOUR, statLines, twoWords } from "./Lexicon.ts";
import { prng, type Prng } from "./Prng.ts";

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

export const gearItemGame2 = (key: string, itemClass: ItemClass, where: Placement = {}): Item => {
  const draw = prng(key);
  const ilvl = draw.int(1, 86);
  const frame = draw.pick([0, 1, 2, 2, 2, 3] as const);
  const unique = frame === 3 ? uniqueItem(draw, itemClass, ilvl) : undefined;
  const base = unique?.base ?? baseOf(draw, itemClass, ilvl);
  const of = { kind: itemClass.kind, ilvl };
  const rolled =
    frame === 1 || frame === 2
      ? rollLines(draw, "prefixes", of, frame === 1 ? 1 : draw.int(1, 3))
      : undefined;
  const isDesecrated = frame === 2 && draw.chance(0.2);
  const name = unique?.name ?? (frame === 2 ? twoWords(draw) : "");
  const thing = { size: itemClass, name, typeLine: base.name, folder: "game2/gear", ilvl };
  return {
    ...skeleton(draw, where, thing),
    realm: "game2",
    rarity: RARITIES[frame],
    ...(itemClass.sockets > 0 && {
      sockets: runeSockets(draw),
      runeMods: statLines(draw, IMPLICIT_LINES, 1),
    }),
    ...(frame === 1 && draw.chance(0.3) && { unidentifiedTier: draw.int(1, 5) }),
    properties: [property(`[${itemClass.piece}]`), quality(draw.int(1, 20), "[Quality]")],
    requirements: [levelNeeded(Math.max(base.level, rolled?.level ?? 1))],
    ...(itemClass.piece === "Rod" && { grantedSkills: [grantedSkill(draw)] }),
    ...(draw.chance(0.4) && { implicitMods: statLines(draw, IMPLICIT_LINES, 1) }),
    ...explicitMods(unique ?? rolled),
    ...rareMembers(draw, frame, isDesecrated),
    frameType: frame,
  };
};

const rareMembers = (draw: Prng, frame: number, isDesecrated: boolean): Partial<Item> => ({
  ...(isDesecrated && { desecrated: true, desecratedMods: statLines(draw, SUFFIX_LINES, 1) }),
  ...(frame >= 2 && draw.chance(0.1) && { sanctified: true }),
  ...(frame === 3 && { flavourText: draw.sample(FLAVOUR, 1) }),
});

const grantedSkill = (draw: Prng): ItemProperty =>
  property("Grants Skill: %0", [[`Level ${draw.int(1, 20)} [Bolt|Kindled Bolt]`, 25]], {
    displayMode: 3,
  });

/** The lines of an item; a normal one has none. */
const explicitMods = (made: { readonly lines: ReadonlyArray<string> } | undefined): Partial<Item> =>
  made === undefined
    ? {}
    : { explicitMods: [...made.lines, "[Resistances|+12% to Ember Resistance]"] };

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

/** A skill gem of game 2, with its supports in it. */
export const skillGameTwo = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const [name] = draw.pick(GEMS.filter(([, isSupport]) => !isSupport));
  const supports = draw.sample(
    GEMS.filter(([, isSupport]) => isSupport),
    draw.int(1, 3),
  );
  return {
    ...skeleton(draw, where, { typeLine: name, folder: "game2/gems" }),
    ilvl: 0,
    realm: "game2",
    gemSockets: ["W", "W", "W"],
    sockets: [
      ...supports.map((_, group) => ({ group, type: "gem", item: "supportgem" })),
      // The last one takes a second skill.
      ...(draw.chance(0.3) ? [{ group: supports.length, type: "gem", item: "activegem" }] : []),
    ],
    socketedItems: supports.map(([typeLine], socket): Item => ({
      ...skeleton(prng(`${key}/support/${socket}`), { socket }, { typeLine, folder: "game2/gems" }),
      ilvl: 0,
      realm: "game2",
      support: true,
      supportGemRequirements: [
        property("Wit", [[String(5 * draw.int(1, 6)), 0]], { displayMode: 1 }),
      ],
      frameType: 4,
    })),
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

export const anyItemGame2 = (key: string, where: Placement = {}): Item => {
  const draw = prng(`${key}/kind`);
  return draw.chance(0.8) ? gearItemGame2(key, draw.pick(GEAR), where) : skillGameTwo(key, where);
};

/**
 * Makes gear of game 1: classes, bases, rolled lines, unique items, and members that few items
 * have.
 *
 * A base is a class and a material (`Brasswork Helm`), and the material decides the level it needs.
 * Members are never `false` or `null` if they can be left out. All words are invented.
 */
import type { CrucibleNode, Item, ItemProperty, ItemSocket } from "@game-data/schemas";
import { wordsOf } from "../internal/words.ts";
import { MATERIALS } from "./data/materials.ts";
import {
  IMPLICIT_LINES,
  PREFIX_LINES,
  type StatRow,
  SUFFIX_LINES,
  TIER_LEVELS,
} from "./data/modifiers.ts";
import { UNIQUES } from "./data/uniques.ts";
import * as Lexicon from "./Lexicon.ts";
import type { Prng } from "./Prng.ts";
import * as Thing from "./things.ts";

const { ADJECTIVES, FLAVOUR, NOUNS, statLine, statLines, twoWords } = Lexicon;
const { property, quality } = Thing;

/** A class of gear, which decides the size of an item and the members that it can have. */
export interface ItemClass {
  readonly piece: string;
  readonly kind: "armour" | "weapon" | "trinket";
  readonly w: number;
  readonly h: number;
  /** Maximum number of sockets. */
  readonly sockets: number;
  /** `inventoryId` of an item that a character wears. */
  readonly slot: string;
}

/** Classes of everything that a character wears or wields. */
export const GEAR: ReadonlyArray<ItemClass> = [
  { piece: "Helm", kind: "armour", w: 2, h: 2, sockets: 4, slot: "Helm" },
  { piece: "Cuirass", kind: "armour", w: 2, h: 3, sockets: 6, slot: "BodyArmour" },
  { piece: "Mitts", kind: "armour", w: 2, h: 2, sockets: 4, slot: "Gloves" },
  { piece: "Treads", kind: "armour", w: 2, h: 2, sockets: 4, slot: "Boots" },
  { piece: "Targe", kind: "armour", w: 2, h: 3, sockets: 3, slot: "Offhand" },
  { piece: "Blade", kind: "weapon", w: 1, h: 3, sockets: 3, slot: "Weapon" },
  { piece: "Maul", kind: "weapon", w: 2, h: 4, sockets: 6, slot: "Weapon" },
  { piece: "Longbow", kind: "weapon", w: 2, h: 4, sockets: 6, slot: "Weapon" },
  { piece: "Rod", kind: "weapon", w: 1, h: 3, sockets: 3, slot: "Weapon" },
  { piece: "Band", kind: "trinket", w: 1, h: 1, sockets: 0, slot: "Ring" },
  { piece: "Pendant", kind: "trinket", w: 1, h: 1, sockets: 0, slot: "Amulet" },
  { piece: "Girdle", kind: "trinket", w: 2, h: 1, sockets: 0, slot: "Belt" },
];

/** `frameType` of gear: 0 normal, 1 magic, 2 rare, 3 unique. */
export type Frame = 0 | 1 | 2 | 3;

/** Makes gear of game 1 with the frame `only`, or with a random frame. */
export const gear =
  (itemClass: ItemClass, only?: Frame): Thing.Maker =>
  (draw, where) => {
    const ilvl = Thing.itemLevel(draw);
    const frame = only ?? draw.pick([0, 1, 1, 2, 2, 2, 2, 3] as const);
    const { level, ...rolled } = rollGear(draw, itemClass, ilvl, frame);
    const sockets = itemClass.sockets > 0 && draw.chance(0.85) ? socketsUpTo(draw, itemClass) : [];
    const isStored = where.inventoryId?.startsWith("Stash") === true;
    const gems = isStored ? [] : sockets.flatMap((_, socket) => gemIn(draw, socket));
    return {
      ...rolled,
      folder: "gear",
      ...(sockets.length > 0 && { sockets }),
      ...(gems.length > 0 && { socketedItems: gems }),
      properties: properties(draw, itemClass),
      requirements: Thing.requirements(draw, level),
      ...(draw.chance(0.4) && { implicitMods: statLines(draw, IMPLICIT_LINES, 1) }),
      ...(frame === 3 && { flavourText: draw.sample(FLAVOUR, 2) }),
      ...fewHave(draw, frame),
      ...(frame > 0 && draw.chance(0.19) && { corrupted: true }),
      ...(frame === 2 && draw.chance(0.36) && { craftedMods: statLines(draw, SUFFIX_LINES, 1) }),
    };
  };

/** Rolls the members that gear of both games has, and the level that the item requires. */
export const rollGear = (draw: Prng, itemClass: ItemClass, ilvl: number, frame: Frame) => {
  const { h, w } = itemClass;
  const rolled =
    frame === 3 ? uniqueGear(draw, itemClass, ilvl) : plainGear(draw, itemClass, ilvl, frame);
  return { w, h, ilvl, rarity: Thing.RARITIES[frame], frameType: frame, ...rolled };
};

/** Returns the index of the last of `levels`, which ascend, up to `ilvl`; 0 if all are higher. */
const lastUpTo = (levels: ReadonlyArray<number>, ilvl: number): number =>
  Math.max(
    0,
    levels.findLastIndex((level) => level <= ilvl),
  );

const LEVELS: ReadonlyMap<string, number> = new Map(MATERIALS);
const UNIQUES_BY_PIECE = Map.groupBy(UNIQUES, ([, piece]) => piece);

/** Draws a unique item: one base, one name, its own lines, no prefixes and no suffixes. */
const uniqueGear = (draw: Prng, { piece }: ItemClass, ilvl: number) => {
  const rows = UNIQUES_BY_PIECE.get(piece) ?? [];
  const levels = rows.map(([, , material]) => LEVELS.get(material)!);
  const at = draw.int(0, lastUpTo(levels, ilvl));
  const [name, , material, worth, rolls, own] = rows[at]!;
  const explicitMods = [...rolls.map(([text, low, high]) => statLine(draw, text, low, high)), own];
  return { name, typeLine: `${material} ${piece}`, level: levels[at]!, worth, explicitMods };
};

const MATERIAL_LEVELS = MATERIALS.map(([, level]) => level);

/**
 * Makes normal, magic or rare gear. A magic item has at most one prefix and one suffix, a rare item
 * three of each.
 */
const plainGear = (draw: Prng, itemClass: ItemClass, ilvl: number, frame: 0 | 1 | 2) => {
  const [material, level] = MATERIALS[draw.int(0, lastUpTo(MATERIAL_LEVELS, ilvl))]!;
  const baseType = `${material} ${itemClass.piece}`;
  const most = frame === 2 ? 3 : 1;
  const roll = (table: ReadonlyArray<StatRow>, least: number) =>
    rollLines(draw, linesFor(table, itemClass), ilvl, frame === 0 ? 0 : draw.int(least, most));
  const [prefixes, suffixes] = [roll(PREFIX_LINES, 1), roll(SUFFIX_LINES, frame - 1)];
  // In one of 32 rare items the lines fit together well, so it is worth much more.
  const fortune = frame === 2 && draw.int(0, 31) === 0 ? 25 : 1;
  const ending = suffixes.lines.length > 0 ? ` of the ${draw.pick(NOUNS)}` : "";
  return {
    name: frame === 2 ? twoWords(draw) : "",
    baseType,
    typeLine: frame === 1 ? `${draw.pick(ADJECTIVES)} ${baseType}${ending}` : baseType,
    level: Math.max(level, prefixes.level, suffixes.level),
    worth: 30 + level + (prefixes.worth + suffixes.worth) * fortune,
    ...(frame !== 0 && { explicitMods: [...prefixes.lines, ...suffixes.lines] }),
    affixes: [prefixes.lines.length, suffixes.lines.length] as const,
  };
};

const linesFor = (table: ReadonlyArray<StatRow>, { kind }: ItemClass): ReadonlyArray<StatRow> =>
  table.filter(([, , , kinds]) => kinds?.includes(kind[0]!));

/** Rolls different lines of a table, in tiers that an item of level `ilvl` can have. */
const rollLines = (draw: Prng, table: ReadonlyArray<StatRow>, ilvl: number, count: number) => {
  const top = lastUpTo(TIER_LEVELS, ilvl);
  const rolled = draw.sample(table, count).map(([text, low, high]) => {
    const tier = draw.int(0, top);
    const bound = (step: number) => low + Math.floor(((high - low) * step) / TIER_LEVELS.length);
    return { tier, line: statLine(draw, text, bound(tier), bound(tier + 1)) };
  });
  return {
    lines: rolled.map(({ line }) => line),
    level: Math.max(1, ...rolled.map(({ tier }) => TIER_LEVELS[tier]!)),
    worth: rolled.reduce((sum, { tier }) => sum + (tier + 1) * (tier + 1) * 25, 0),
  };
};

const SOCKET_COLOURS = [
  ["S", "R"],
  ["D", "G"],
  ["I", "B"],
  ["G", "W"],
] as const;

const RARE_SOCKETS = [
  ["A", "A"],
  ["DV", "DV"],
] as const;

const socketsUpTo = (draw: Prng, { sockets: most }: ItemClass): Array<ItemSocket> => {
  let group = 0;
  return Array.from({ length: draw.int(1, most) }, (_, index) => {
    if (index > 0 && draw.chance(0.4)) group++;
    const [attr, sColour] = draw.chance(0.02) ? draw.pick(RARE_SOCKETS) : draw.pick(SOCKET_COLOURS);
    return { group, attr, sColour };
  });
};

const gemIn = (draw: Prng, socket: number): ReadonlyArray<Item> => {
  if (!draw.chance(0.7)) return [];
  const colour = draw.pick(["S", "D", "I", "G"] as const);
  return [Thing.makeItem(`${draw.key}/gem/${socket}`, { socket, colour }, Thing.gem)];
};

const properties = (draw: Prng, { kind, piece }: ItemClass): Array<ItemProperty> => {
  const better = draw.chance(0.5) ? [quality(draw.int(1, 20))] : [];
  if (kind === "trinket") return better;
  if (kind === "armour") {
    const [name, value] = [draw.pick(["Ward", "Guard", "Evasion"]), String(draw.int(20, 900))];
    return [...better, property(name, [[value, 1]], { type: 16 })];
  }
  const low = draw.int(5, 80);
  return [
    property(piece),
    ...better,
    property("Weapon Damage", [[`${low}-${low + draw.int(8, 90)}`, 1]], { type: 9 }),
    property("Keen Strike Chance", [[`${draw.int(50, 90) / 10}%`, 0]], { type: 12 }),
    property("Strikes per Second", [[(draw.int(110, 170) / 100).toFixed(2), 0]], { type: 13 }),
  ];
};

type Members = (draw: Prng) => Partial<Item>;

const flags = (names: string): ReadonlyArray<Members> =>
  wordsOf(names).map((name) => () => ({ [name]: true }) as Partial<Item>);

const crucible: Members = (draw) => {
  const columns = [0, 1, 2].map((column): CrucibleNode => ({
    skill: draw.int(1, 65535),
    tier: draw.int(1, 5),
    icon: Lexicon.icon("crucible", `column ${column}`),
    ...(column < 2
      ? { allocated: true }
      : { isNotable: true, isReward: true, reminderText: ["(Taken with the last column)"] }),
    stats: statLines(draw, PREFIX_LINES, 1),
    orbit: column,
    orbitIndex: 0,
    out: column < 2 ? [String(column + 1)] : [],
    in: column > 0 ? [String(column - 1)] : [],
  }));
  return {
    crucible: {
      layout: Lexicon.icon("crucible", "layout"),
      nodes: Object.fromEntries(columns.entries()),
    },
    // Lists only the mods of allocated nodes (§2).
    crucibleMods: columns.flatMap(({ allocated, stats }) => (allocated ? (stats ?? []) : [])),
  };
};

/** Members that `fewHave` adds only to rare and unique gear. */
const OF_RARE: ReadonlyArray<Members> = [
  ...flags(`
    corrupted fractured synthesised split duplicated delve memoryItem unmodifiable
    unmodifiableExceptChaos lockedToAccount ruthless foreseeing
  `),
  crucible,
  (draw) => {
    const [name, total] = [`${draw.pick(NOUNS)} Bundle`, draw.int(1000, 9000)];
    const progress = draw.int(0, total);
    return { incubatedItem: { name, level: draw.int(1, 80), progress, total } };
  },
  (draw) => {
    const [tier, level, progress] = [draw.int(1, 3), draw.int(60, 80), draw.int(0, 500)];
    const scourgeMods = statLines(draw, SUFFIX_LINES, 1);
    return { scourged: { tier, level, progress, total: 500 }, scourgeMods };
  },
  (draw) => ({
    influences: { [draw.pick(["elder", "shaper", "searing", "tangled"] as const)]: true },
  }),
  (draw) => ({ fractured: true, fracturedMods: statLines(draw, PREFIX_LINES, 1) }),
  (draw) => ({ craftedMods: statLines(draw, SUFFIX_LINES, 1) }),
  (draw) => ({ enchantMods: statLines(draw, IMPLICIT_LINES, 1) }),
  (draw) => ({ veiled: true, veiledMods: [`Suffix0${draw.int(1, 6)}`] }),
  (draw) => ({ cosmeticMods: [`Has ${Lexicon.withArticle(draw.pick(NOUNS))} appearance`] }),
  (draw) => ({ forum_note: `ask for ${draw.int(2, 40)}` }),
  (draw) => ({ talismanTier: draw.int(1, 4) }),
  () => ({ identified: false }),
];

/** Members that `fewHave` adds only to unique gear. */
const OF_UNIQUE: ReadonlyArray<Members> = [
  ...flags("replica cisRaceReward seaRaceReward thRaceReward"),
  (draw) => ({ isRelic: true, foilVariation: draw.int(0, 9) }),
  () => ({ flavourTextNote: "Found on a quiet evening" }),
];

/** Draws members that few items have. Among a few hundred items each occurs. */
const fewHave = (draw: Prng, frame: Frame): Partial<Item> => {
  if (frame === 3 && draw.chance(0.2)) return draw.pick(OF_UNIQUE)(draw);
  return frame >= 2 && draw.chance(0.3) ? draw.pick(OF_RARE)(draw) : {};
};

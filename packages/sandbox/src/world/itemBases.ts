/**
 * What gear is made of: its class, which decides the size and where a character wears it, its base,
 * and the lines that it rolls.
 *
 * A base is a class and a material (`Brasswork Helm`), and the material decides the level it needs.
 * A unique item has one base, one name and its own line. All words are invented.
 */
import { MATERIALS } from "./data/materials.ts";
import { PREFIX_LINES, type StatRow, SUFFIX_LINES, TIER_LEVELS } from "./data/modifiers.ts";
import { UNIQUES } from "./data/uniques.ts";
import { statLine } from "./Lexicon.ts";
import type { Prng } from "./Prng.ts";

/** The class of an item: what decides its size and which members it carries. */
export interface ItemClass {
  readonly piece: string;
  readonly kind: "armour" | "weapon" | "trinket";
  readonly w: number;
  readonly h: number;
  /** The most sockets that fit in. */
  readonly sockets: number;
  /** `inventoryId` when a character wears it. */
  readonly slot: string;
}

type GearRow = readonly [
  piece: string,
  kind: ItemClass["kind"],
  w: number,
  h: number,
  sockets: number,
  slot: string,
];

const GEAR_ROWS: ReadonlyArray<GearRow> = [
  ["Helm", "armour", 2, 2, 4, "Helm"],
  ["Cuirass", "armour", 2, 3, 6, "BodyArmour"],
  ["Mitts", "armour", 2, 2, 4, "Gloves"],
  ["Treads", "armour", 2, 2, 4, "Boots"],
  ["Targe", "armour", 2, 3, 3, "Offhand"],
  ["Blade", "weapon", 1, 3, 3, "Weapon"],
  ["Maul", "weapon", 2, 4, 6, "Weapon"],
  ["Longbow", "weapon", 2, 4, 6, "Weapon"],
  ["Rod", "weapon", 1, 3, 3, "Weapon"],
  ["Band", "trinket", 1, 1, 0, "Ring"],
  ["Pendant", "trinket", 1, 1, 0, "Amulet"],
  ["Girdle", "trinket", 2, 1, 0, "Belt"],
];

/** Everything that is worn or wielded. */
export const GEAR: ReadonlyArray<ItemClass> = GEAR_ROWS.map(
  ([piece, kind, w, h, sockets, slot]) => ({ piece, kind, w, h, sockets, slot }),
);

/** The class that is worn in a slot; the first that fits. */
export const classOfSlot = (slot: string): ItemClass => {
  const name = slot.replace(/2$/u, "");
  return GEAR.find((one) => one.slot === name) ?? GEAR[0]!;
};

/** The base of a piece of gear: its name, and the level that it needs. */
interface Base {
  readonly name: string;
  readonly level: number;
}

/** The place of the last of rising levels that an item of level `ilvl` has; 0 below the first. */
const lastUpTo = (levels: ReadonlyArray<number>, ilvl: number): number =>
  Math.max(
    0,
    levels.findLastIndex((level) => level <= ilvl),
  );

const MATERIAL_LEVELS = MATERIALS.map(([, level]) => level);

/** A base of a class that an item of level `ilvl` can have. */
export const baseOf = (draw: Prng, { piece }: ItemClass, ilvl: number): Base => {
  const [material, level] = MATERIALS[draw.int(0, lastUpTo(MATERIAL_LEVELS, ilvl))]!;
  return { name: `${material} ${piece}`, level };
};

/** A unique item before it is placed. */
interface UniqueItem {
  readonly name: string;
  readonly base: Base;
  readonly lines: ReadonlyArray<string>;
  readonly worth: number;
}

const LEVELS: ReadonlyMap<string, number> = new Map(MATERIALS);
const UNIQUES_BY_PIECE = Map.groupBy(UNIQUES, ([, piece]) => piece);

/** A unique item of a class that can be found at level `ilvl`. */
export const uniqueItem = (draw: Prng, { piece }: ItemClass, ilvl: number): UniqueItem => {
  const rows = UNIQUES_BY_PIECE.get(piece) ?? [];
  const levels = rows.map(([, , material]) => LEVELS.get(material)!);
  const at = draw.int(0, lastUpTo(levels, ilvl));
  const [name, , material, worth, rolls, own] = rows[at]!;
  return {
    name,
    base: { name: `${material} ${piece}`, level: levels[at]! },
    lines: [...rolls.map(([text, low, high]) => statLine(draw, text, low, high)), own],
    worth,
  };
};

interface RolledLines {
  readonly lines: ReadonlyArray<string>;
  /** The level that the highest tier needs. */
  readonly level: number;
  /** Worth that the lines add, in thousandths of an ember shard. */
  readonly worth: number;
}

const byKind = (table: ReadonlyArray<StatRow>) => {
  const of = (letter: string) => table.filter(([, , , kinds]) => kinds?.includes(letter));
  return { armour: of("a"), weapon: of("w"), trinket: of("t") };
};

const LINES = { prefixes: byKind(PREFIX_LINES), suffixes: byKind(SUFFIX_LINES) };

/** Rolls `count` lines of one side, none twice, of tiers that an item of level `ilvl` can have. */
export const rollLines = (
  draw: Prng,
  side: keyof typeof LINES,
  { kind, ilvl }: { readonly kind: ItemClass["kind"]; readonly ilvl: number },
  count: number,
): RolledLines => {
  const top = lastUpTo(TIER_LEVELS, ilvl);
  let level = 1;
  let worth = 0;
  const lines = draw.sample(LINES[side][kind], count).map(([text, low, high]) => {
    const tier = draw.int(0, top);
    level = Math.max(level, TIER_LEVELS[tier]!);
    worth += (tier + 1) * (tier + 1) * 25;
    const boundOf = (step: number) => low + Math.floor(((high - low) * step) / TIER_LEVELS.length);
    return statLine(draw, text, boundOf(tier), boundOf(tier + 1));
  });
  return { lines, level, worth };
};

/** Gems of game 1: name, and whether it supports another gem. */
export const GEMS = [
  ["Ember Lance", false],
  ["Tidal Step", false],
  ["Bramble Snare", false],
  ["Hollow Call", false],
  ["Storm Petition", false],
  ["Greater Reach Support", true],
  ["Measured Haste Support", true],
  ["Echoing Strike Support", true],
] as const;

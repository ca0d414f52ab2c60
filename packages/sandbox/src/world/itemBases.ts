/**
 * Bases of items: the classes of things, their size in a stash's grid, and where a character wears
 * them.
 *
 * A base is a class and a material (`Brasswork Helm`), and the material decides the level it needs;
 * all words are invented.
 */
import { MATERIALS } from "./data/materials.ts";
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

/** A base of a class that an item of level `ilvl` can have. */
export const baseOf = (draw: Prng, { piece }: ItemClass, ilvl: number): Base => {
  let last = MATERIALS.length - 1;
  while (last > 0 && MATERIALS[last]![1] > ilvl) last--;
  const [material, level] = MATERIALS[draw.int(0, last)]!;
  return { name: `${material} ${piece}`, level };
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

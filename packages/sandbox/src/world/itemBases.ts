/**
 * What items are made of: the classes of things, their size in a stash's grid, and where a
 * character wears them.
 *
 * A base is a class and a material (`Brasswork Helm`); both words are invented, see `Lexicon`.
 */
import { MATERIALS } from "./Lexicon.ts";
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

const gear = (
  piece: string,
  kind: ItemClass["kind"],
  w: number,
  h: number,
  sockets: number,
  slot: string,
): ItemClass => ({ piece, kind, w, h, sockets, slot });

/** Everything that is worn or wielded. */
export const GEAR: ReadonlyArray<ItemClass> = [
  gear("Helm", "armour", 2, 2, 4, "Helm"),
  gear("Cuirass", "armour", 2, 3, 6, "BodyArmour"),
  gear("Mitts", "armour", 2, 2, 4, "Gloves"),
  gear("Treads", "armour", 2, 2, 4, "Boots"),
  gear("Targe", "armour", 2, 3, 3, "Offhand"),
  gear("Blade", "weapon", 1, 3, 3, "Weapon"),
  gear("Maul", "weapon", 2, 4, 6, "Weapon"),
  gear("Longbow", "weapon", 2, 4, 6, "Weapon"),
  gear("Rod", "weapon", 1, 3, 3, "Weapon"),
  gear("Band", "trinket", 1, 1, 0, "Ring"),
  gear("Pendant", "trinket", 1, 1, 0, "Amulet"),
  gear("Girdle", "trinket", 2, 1, 0, "Belt"),
];

/** The class that is worn in a slot; the first that fits. */
export const classOfSlot = (slot: string): ItemClass => {
  const name = slot.replace(/2$/u, "");
  return GEAR.find((one) => one.slot === name) ?? GEAR[0]!;
};

/** The base type of a class in some material. */
export const baseType = (draw: Prng, itemClass: ItemClass): string =>
  `${draw.pick(MATERIALS)} ${itemClass.piece}`;

/** Stackable currencies: code, name, and the size of a full stack. */
export const CURRENCIES = [
  ["ember-shard", "Ember Shard", 20],
  ["tide-shard", "Tide Shard", 20],
  ["gilt-orb", "Gilt Orb", 10],
  ["dusk-orb", "Dusk Orb", 10],
  ["wayfarer-token", "Wayfarer Token", 40],
  ["mending-thread", "Mending Thread", 40],
  ["quicksilver-bead", "Quicksilver Bead", 20],
  ["scribe-ink", "Scribe Ink", 20],
  ["hollow-seal", "Hollow Seal", 10],
  ["garnet-chip", "Garnet Chip", 30],
  ["amber-chip", "Amber Chip", 30],
  ["slate-rune", "Slate Rune", 10],
  ["marl-rune", "Marl Rune", 10],
  ["pewter-coin", "Pewter Coin", 5000],
  ["lantern-oil", "Lantern Oil", 10],
  ["harbour-writ", "Harbour Writ", 10],
  ["kestrel-feather", "Kestrel Feather", 20],
  ["ferry-pass", "Ferry Pass", 10],
  ["viaduct-stone", "Viaduct Stone", 10],
  ["orchard-seed", "Orchard Seed", 20],
] as const;

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

/** Things without a place, the items that they become, and the parts that things share. */
import type { Item, ItemProperty } from "@game-data/schemas";
import { icon } from "./Lexicon.ts";
import { hexId, prng, type Prng } from "./Prng.ts";

/** Place of an item, and what its surroundings add to it. */
export interface Placement {
  readonly league?: string;
  readonly x?: number;
  readonly y?: number;
  readonly inventoryId?: string;
  /** Socket of the item that holds this one. */
  readonly socket?: number;
  readonly colour?: "S" | "D" | "I" | "G";
  /** The note of its owner for an item of some worth: a price, or undefined for none. */
  readonly price?: (worth: number) => string | undefined;
  /** The public stash stream counts prefixes and suffixes; no other answer does (§2 Item). */
  readonly extended?: boolean;
}

/** The members of an item that follow from its kind, and the values from which the others follow. */
interface Thing extends Partial<Item> {
  readonly typeLine: string;
  /** Folder of its icon. */
  readonly folder: string;
  /** In thousandths of an ember shard. Default 500. */
  readonly worth?: number;
  /** Number of prefixes and of suffixes, if it has such lines. */
  readonly affixes?: readonly [prefixes: number, suffixes: number];
}

/** Draws a thing. Most makers do not depend on the place. */
export type Maker = (draw: Prng, where: Placement) => Thing;

/** The item of a key: all of it follows from the key, the maker and the place. */
export const makeItem = (key: string, where: Placement, make: Maker): Item => {
  const { extended, price, ...place } = where;
  const { affixes, folder, worth = 500, ...members } = make(prng(key), where);
  const note = price?.(worth);
  return {
    verified: false,
    w: 1,
    h: 1,
    icon: icon(`items/${folder}`, members.baseType ?? members.typeLine),
    id: hexId(`${key}/id`, 64),
    name: "",
    baseType: members.typeLine,
    identified: true,
    ilvl: 0,
    ...members,
    ...place,
    ...(note !== undefined && { note }),
    ...(extended === true &&
      affixes !== undefined && { extended: { prefixes: affixes[0], suffixes: affixes[1] } }),
  };
};

export const RARITIES = ["Normal", "Magic", "Rare", "Unique"] as const;

/** Most things that people keep come from the last areas of the game. */
export const itemLevel = (draw: Prng): number =>
  draw.chance(0.88) ? draw.int(60, 86) : draw.int(1, 59);

export const property = (
  name: string,
  values: ReadonlyArray<readonly [string, number]> = [],
  more: Partial<ItemProperty> = {},
): ItemProperty => ({ name, values, displayMode: 0, ...more });

export const levelNeeded = (level: number): ItemProperty =>
  property("Level", [[String(level), 0]], { type: 62 });

export const quality = (percent: number, name = "Quality"): ItemProperty =>
  property(name, [[`+${percent}%`, 1]], { type: 6 });

/** The requirements of an item of game 1: a level, and an attribute that grows with it. */
export const requirements = (draw: Prng, level = draw.int(2, 78)): Array<ItemProperty> => [
  levelNeeded(level),
  property(draw.pick(["Might", "Grace", "Wit"]), [[String(10 + level * 2 + draw.int(0, 20)), 0]], {
    displayMode: 1,
  }),
];

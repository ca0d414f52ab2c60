/**
 * The parts that items are put together from: placement, properties, requirements, and the members
 * that all have.
 */
import type { ItemProperty } from "@game-data/schemas";
import { icon } from "./Lexicon.ts";
import { hexId, type Prng } from "./Prng.ts";

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
  /**
   * The public stash stream counts prefixes and suffixes; no other answer has `extended` (§2 Item).
   */
  readonly extended?: boolean;
}

/** Most things that people keep come from the last areas of the game. */
export const itemLevel = (draw: Prng): number =>
  draw.chance(0.88) ? draw.int(60, 86) : draw.int(1, 59);

export const property = (
  name: string,
  values: ReadonlyArray<readonly [string, number]> = [],
  more: Partial<ItemProperty> = {},
): ItemProperty => ({ name, values, displayMode: 0, ...more });

/** Makes a property whose values stand within its sentence. */
export const sentence = (text: string, ...values: ReadonlyArray<string>): ItemProperty =>
  property(
    text,
    values.map((value) => [value, 0]),
    { displayMode: 3 },
  );

export const levelNeeded = (level: number): ItemProperty =>
  property("Level", [[String(level), 0]], { type: 62 });

export const quality = (percent: number, name = "Quality"): ItemProperty =>
  property(name, [[`+${percent}%`, 1]], { type: 6 });

/** Makes the requirements of an item of game 1: a level, and an attribute that grows with it. */
export const requirements = (draw: Prng, level = draw.int(2, 78)): Array<ItemProperty> => [
  levelNeeded(level),
  property(draw.pick(["Might", "Grace", "Wit"]), [[String(10 + level * 2 + draw.int(0, 20)), 0]], {
    displayMode: 1,
  }),
];

export const RARITIES = ["Normal", "Magic", "Rare", "Unique"] as const;

/** Makes the members that every item carries; its id follows from the key of its generator. */
export const skeleton = (
  draw: Prng,
  { colour, inventoryId, league, price, socket, x, y }: Placement,
  thing: {
    /** Its size in cells; one by one if omitted. */
    readonly size?: { readonly w: number; readonly h: number };
    readonly name?: string;
    readonly typeLine: string;
    readonly folder: string;
    /** The item's level, where the item depends on it; drawn otherwise. */
    readonly ilvl?: number;
    /** In thousandths of an ember shard. */
    readonly worth?: number;
  },
) => {
  const { h, w } = thing.size ?? { w: 1, h: 1 };
  const note = price?.(thing.worth ?? 500);
  return {
    verified: false,
    w,
    h,
    icon: icon(`items/${thing.folder}`, thing.typeLine),
    ...(league !== undefined && { league }),
    id: hexId(`${draw.key}/id`, 64),
    name: thing.name ?? "",
    typeLine: thing.typeLine,
    baseType: thing.typeLine,
    identified: true,
    ilvl: thing.ilvl ?? itemLevel(draw),
    ...(note !== undefined && { note }),
    ...(x !== undefined && { x }),
    ...(y !== undefined && { y }),
    ...(inventoryId !== undefined && { inventoryId }),
    ...(socket !== undefined && { socket }),
    ...(colour !== undefined && { colour }),
  };
};

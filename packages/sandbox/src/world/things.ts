/**
 * Makes items from things, which are items without a place. Also makes the things of game 1 that
 * are not worn: gems, stacks, cards, maps, flasks, and rare kinds with members that nothing else
 * has (§2 Item, §2 FrameType).
 */
import type { Item, ItemProperty } from "@game-data/schemas";
import { CURRENCIES } from "./data/currencies.ts";
import { PREFIX_LINES, SUFFIX_LINES } from "./data/modifiers.ts";
import { STACKABLES } from "./data/stackables.ts";
import { ADJECTIVES, FLAVOUR, icon, NOUNS, statLines, twoWords } from "./Lexicon.ts";
import { hexId, prng, type Prng } from "./Prng.ts";

/** Place of an item, and the members that follow from its place. */
export interface Placement {
  readonly league?: string;
  readonly x?: number;
  readonly y?: number;
  readonly inventoryId?: string;
  /** Index of the socket that holds this item in another item. */
  readonly socket?: number;
  readonly colour?: "S" | "D" | "I" | "G";
  /**
   * Returns the owner's price note for an item of a worth, or `undefined` if the owner does not
   * sell it.
   */
  readonly price?: (worth: number) => string | undefined;
  /**
   * Whether the item has `extended`. Only the public stash stream counts prefixes and suffixes (§2
   * Item).
   */
  readonly extended?: boolean;
}

/** An item without its place: members that follow from its kind, and values for the others. */
interface Thing extends Partial<Item> {
  readonly typeLine: string;
  /** Folder of the item's icon. */
  readonly folder: string;
  /** Worth in thousandths of an ember shard. Default 500. */
  readonly worth?: number;
  /** Number of prefixes and of suffixes, if the item has such lines. */
  readonly affixes?: readonly [prefixes: number, suffixes: number];
}

/** Draws the members of an item. Most makers ignore `where`. */
export type Maker = (draw: Prng, where: Placement) => Thing;

/** Makes the item of a key. The same key, placement and maker always make the same item. */
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

/** Draws an item level. Most items that players keep are from the last areas of the game. */
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

/** Draws the requirements of an item of game 1: a level, and an attribute that grows with it. */
export const requirements = (draw: Prng, level = draw.int(2, 78)): Array<ItemProperty> => [
  levelNeeded(level),
  property(draw.pick(["Might", "Grace", "Wit"]), [[String(10 + level * 2 + draw.int(0, 20)), 0]], {
    displayMode: 1,
  }),
];

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

/** Makes a gem, active or supporting, and sometimes with a second skill (`hybrid`). */
export const gem: Maker = (draw) => {
  const [typeLine, isSupport] = draw.pick(GEMS);
  const level = draw.int(1, 20);
  const total = draw.int(10_000, 900_000);
  const done = draw.int(0, total);
  return {
    typeLine,
    folder: "gems",
    worth: level * level * 12,
    ...(isSupport && { support: true }),
    properties: [
      property(isSupport ? "Support" : "Spell, Reach"),
      property("Level", [[level === 20 ? "20 (Max)" : String(level), 0]], { type: 5 }),
      quality(draw.int(0, 20)),
    ],
    additionalProperties: [
      property("Experience", [[`${done}/${total}`, 0]], {
        displayMode: 2,
        progress: Math.round((done / total) * 100) / 100,
        type: 20,
      }),
    ],
    requirements: requirements(draw),
    ...(level < 20 && { nextLevelRequirements: requirements(draw) }),
    secDescrText: "Sends what you ask for where you point.",
    explicitMods: statLines(draw, PREFIX_LINES, 2),
    descrText: "Place into a socket of the right colour.",
    ...(!isSupport &&
      draw.chance(0.15) && {
        corrupted: true,
        hybrid: {
          isVaalGem: true,
          baseTypeName: typeLine,
          properties: [property("Charges per Use", [[String(draw.int(10, 60)), 0]])],
          explicitMods: statLines(draw, PREFIX_LINES, 1),
          secDescrText: "Sends rather more than you asked for.",
        },
      }),
    frameType: 4,
  };
};

type Stackable = readonly [kind: string, name: string, most: number, worth: number, effect: string];

/** Returns the stackable things of a type of tab. Default: currencies. */
export const stackablesOf = (tab: string): ReadonlyArray<Stackable> => {
  const own: ReadonlyArray<Stackable> = STACKABLES.filter(([kind]) => kind === tab);
  return own.length > 0 ? own : CURRENCIES;
};

/** Makes a stack of the things of a type of tab. `place` selects the row of its table. */
export const stack =
  (tab: string, place?: number): Maker =>
  (draw) => {
    const rows = stackablesOf(tab);
    const row = place === undefined ? draw.pick(rows) : rows[place % rows.length]!;
    const [, typeLine, most, worth, effect] = row;
    // A special tab holds more than a full stack (wire facts: stackSize may exceed maxStackSize).
    const stackSize = draw.int(1, place === undefined ? most : most * 4);
    return {
      typeLine,
      folder: "currency",
      worth: worth * stackSize,
      stackSize,
      maxStackSize: most,
      ...(stackSize > 9999 && { stackSizeText: `${Math.floor(stackSize / 100) / 10}K` }),
      properties: [property("Stack Size", [[`${stackSize}/${most}`, 0]], { type: 32 })],
      explicitMods: [effect],
      descrText: "Right click this, then left click an item.",
      frameType: 5,
    };
  };

/** Makes a stack of a divination card, which is traded in when the stack is full. */
export const card: Maker = (draw) => {
  const most = draw.int(2, 13);
  const stackSize = draw.int(1, most);
  const typeLine = `The ${twoWords(draw)}`;
  return {
    typeLine,
    folder: "cards",
    worth: stackSize * 900,
    stackSize,
    maxStackSize: most,
    artFilename: typeLine.replaceAll(" ", ""),
    properties: [property("Stack Size", [[`${stackSize}/${most}`, 0]], { type: 32 })],
    explicitMods: [`<uniqueitem>{${twoWords(draw)}}`],
    flavourText: draw.sample(FLAVOUR, 1),
    frameType: 6,
  };
};

/** Makes a map, which opens an area, of the tier `only` or a random tier. */
export const map =
  (only?: number): Maker =>
  (draw) => {
    const tier = only ?? draw.int(1, 16);
    const isRare = draw.chance(0.5);
    return {
      name: isRare ? `${draw.pick(ADJECTIVES)} Crossing` : "",
      typeLine: `${twoWords(draw)} Map`,
      folder: "maps",
      worth: tier * tier * 30 * (isRare ? 2 : 1),
      ilvl: 67 + tier,
      itemLevel: 67 + tier,
      rarity: isRare ? "Rare" : "Normal",
      properties: [
        property("Map Tier", [[String(tier), 0]], { type: 1 }),
        property("Item Quantity", [[`+${draw.int(0, 90)}%`, 1]], { type: 2 }),
      ],
      ...(isRare && { explicitMods: statLines(draw, SUFFIX_LINES, 3), affixes: [1, 2] as const }),
      descrText: "Travel to this Map by using it in a personal Map Device.",
      frameType: isRare ? 2 : 0,
    };
  };

/** Makes a property whose text has placeholders (`%0`) for its values. */
const sentence = (text: string, ...values: ReadonlyArray<string>) =>
  property(
    text,
    values.map((value) => [value, 0]),
    { displayMode: 3 },
  );

export const flask: Maker = (draw) => {
  const ilvl = draw.int(2, 86);
  return {
    h: 2,
    typeLine: `${draw.pick(ADJECTIVES)} ${draw.pick(["Vigour", "Focus", "Quicksand"])} Flask`,
    folder: "flasks",
    worth: 80 + ilvl * 4,
    ilvl,
    rarity: "Magic",
    properties: [
      sentence("Recovers %0 Vigour over %1 Seconds", String(draw.int(100, 2000)), "4.00"),
      sentence("Consumes %0 of %1 Charges on use", "20", "60"),
    ],
    requirements: [levelNeeded(draw.int(2, ilvl))],
    utilityMods: ["+40% to Frost Resistance"],
    explicitMods: statLines(draw, SUFFIX_LINES, 1),
    descrText: "Right click to drink.",
    frameType: 1,
  };
};

const FACTIONS = ["Faction1", "Faction2", "Faction3", "Faction4"] as const;

/** Kinds of items of which a mixed stash holds a few. */
const RARE_KINDS: ReadonlyArray<Maker> = [
  (draw) => ({
    typeLine: "Ferry Logbook",
    folder: "curiosities",
    ilvl: itemLevel(draw),
    rarity: "Rare",
    logbookMods: Array.from({ length: 2 }, () => ({
      name: `${draw.pick(ADJECTIVES)} Shore`,
      faction: { id: draw.pick(FACTIONS), name: `Circle of the ${draw.pick(NOUNS)}` },
      mods: statLines(draw, SUFFIX_LINES, 2),
    })),
    frameType: 2,
  }),
  (draw) => ({
    typeLine: "Inscribed Tablet",
    folder: "curiosities",
    ultimatumMods: Array.from({ length: 3 }, () => ({
      type: `Trial${draw.int(1, 20)}`,
      tier: draw.int(1, 4),
    })),
    frameType: 5,
  }),
  (draw) => ({
    typeLine: "Sealed Coffer",
    folder: "curiosities",
    rewards: [{ label: "Inside", rewards: { currency: draw.int(1, 9), maps: draw.int(1, 4) } }],
    notableProperties: [
      property("Locks", [[String(draw.int(1, 3)), 0]], { icon: icon("marks", "lock") }),
      property("", [], { displayMode: 4 }),
      property("Weight", [[String(draw.int(10, 90)), 0]], { suffix: "stone" }),
    ],
    frameType: 0,
  }),
  (draw) => ({
    typeLine: `Saying of the ${draw.pick(NOUNS)}`,
    folder: "curiosities",
    prophecyText: draw.pick(FLAVOUR),
    frameType: 8,
  }),
  (draw) => ({
    typeLine: `${draw.pick(NOUNS)} Key`,
    folder: "curiosities",
    lockedToCharacter: true,
    descrText: "Somebody is waiting for this.",
    frameType: 7,
  }),
  (draw) => ({
    typeLine: "Gilt Pendant",
    name: twoWords(draw),
    folder: "curiosities",
    ilvl: itemLevel(draw),
    rarity: "Unique",
    isRelic: true,
    foilVariation: draw.int(0, 9),
    explicitMods: statLines(draw, PREFIX_LINES, 3),
    affixes: [3, 0],
    frameType: draw.pick([9, 10] as const),
  }),
  (draw) => ({
    typeLine: `Coffin of the ${draw.pick(NOUNS)}`,
    folder: "curiosities",
    explicitMods: statLines(draw, SUFFIX_LINES, 1),
    frameType: 11,
  }),
];

export const rareKind: Maker = (draw, where) => draw.pick(RARE_KINDS)(draw, where);

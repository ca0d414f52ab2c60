/**
 * Things of game 1 that are not worn: gems, currency, cards, maps and flasks.
 */
import type { Item } from "@game-data/schemas";
import { CURRENCIES } from "./data/currencies.ts";
import { STACKABLES } from "./data/stackables.ts";
import { GEMS } from "./itemBases.ts";
import {
  levelNeeded,
  type Placement,
  property,
  quality,
  requirements,
  sentence,
  skeleton,
} from "./ItemParts.ts";
import { PREFIX_LINES, SUFFIX_LINES } from "./data/modifiers.ts";
import { ADJECTIVES, FLAVOUR, statLines, twoWords } from "./Lexicon.ts";
import { prng } from "./Prng.ts";

/**
 * Makes a gem of game 1, active or supporting; now and then with a second skill inside (`hybrid`).
 */
export const gemItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const [name, isSupport] = draw.pick(GEMS);
  const level = draw.int(1, 20);
  const total = draw.int(10_000, 900_000);
  const done = draw.int(0, total);
  return {
    ...skeleton(draw, where, { typeLine: name, folder: "gems", worth: level * level * 12 }),
    ilvl: 0,
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
          baseTypeName: name,
          properties: [property("Charges per Use", [[String(draw.int(10, 60)), 0]])],
          explicitMods: statLines(draw, PREFIX_LINES, 1),
          secDescrText: "Sends rather more than you asked for.",
        },
      }),
    frameType: 4,
  };
};

/** Its kind, name, full stack, worth and effect. */
type Stackable = readonly [string, string, number, number, string];

/** The stackable things that lie in a kind of tab. */
export const stackablesOf = (tab: string): ReadonlyArray<Stackable> => {
  const own: ReadonlyArray<Stackable> = STACKABLES.filter(([kind]) => kind === tab);
  return own.length > 0 ? own : CURRENCIES;
};

/** Makes a stack of currency, or of what a tab of its own is for. */
export const currencyItem = (
  key: string,
  where: Placement = {},
  {
    tab = "CurrencyStash",
    which,
  }: { readonly tab?: string; readonly which?: number | undefined } = {},
): Item => {
  const draw = prng(key);
  const rows = stackablesOf(tab);
  const [, name, most, worth, effect] =
    which === undefined ? draw.pick(rows) : rows[which % rows.length]!;
  // Special tabs hold more than a stack (wire facts: stackSize may exceed maxStackSize).
  const stackSize = draw.int(1, which === undefined ? most : most * 4);
  return {
    ...skeleton(draw, where, { typeLine: name, folder: "currency", worth: worth * stackSize }),
    ilvl: 0,
    stackSize,
    maxStackSize: most,
    ...(stackSize > 9999 && { stackSizeText: `${Math.floor(stackSize / 100) / 10}K` }),
    properties: [property("Stack Size", [[`${stackSize}/${most}`, 0]], { type: 32 })],
    explicitMods: [effect],
    descrText: "Right click this, then left click an item.",
    frameType: 5,
  };
};

/** Makes a card that is traded in when the stack is full. */
export const cardItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const most = draw.int(2, 13);
  const stackSize = draw.int(1, most);
  const typeLine = `The ${twoWords(draw)}`;
  return {
    ...skeleton(draw, where, { typeLine, folder: "cards", worth: stackSize * 900 }),
    ilvl: 0,
    stackSize,
    maxStackSize: most,
    artFilename: typeLine.replaceAll(" ", ""),
    properties: [property("Stack Size", [[`${stackSize}/${most}`, 0]], { type: 32 })],
    explicitMods: [`<uniqueitem>{${twoWords(draw)}}`],
    flavourText: draw.sample(FLAVOUR, 1),
    frameType: 6,
  };
};

/** Makes a map: an area to open, with its tier. */
export const mapItem = (key: string, where: Placement = {}, tier?: number): Item => {
  const draw = prng(key);
  const level = tier ?? draw.int(1, 16);
  const typeLine = `${twoWords(draw)} Map`;
  const isRare = draw.chance(0.5);
  return {
    ...skeleton(draw, where, {
      name: isRare ? `${draw.pick(ADJECTIVES)} Crossing` : "",
      typeLine,
      folder: "maps",
      ilvl: 67 + level,
      worth: level * level * 30 * (isRare ? 2 : 1),
    }),
    rarity: isRare ? "Rare" : "Normal",
    itemLevel: 67 + level,
    properties: [
      property("Map Tier", [[String(level), 0]], { type: 1 }),
      property("Item Quantity", [[`+${draw.int(0, 90)}%`, 1]], { type: 2 }),
    ],
    ...(isRare && { explicitMods: statLines(draw, SUFFIX_LINES, 3) }),
    ...(where.extended === true && isRare && { extended: { prefixes: 1, suffixes: 2 } }),
    descrText: "Travel to this Map by using it in a personal Map Device.",
    frameType: isRare ? 2 : 0,
  };
};

export const flaskItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const ilvl = draw.int(2, 86);
  const typeLine = `${draw.pick(ADJECTIVES)} ${draw.pick(["Vigour", "Focus", "Quicksand"])} Flask`;
  return {
    ...skeleton(draw, where, {
      size: { w: 1, h: 2 },
      typeLine,
      folder: "flasks",
      ilvl,
      worth: 80 + ilvl * 4,
    }),
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

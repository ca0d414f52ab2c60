/**
 * Items of game 1: one function per family of things, and `anyItem`, which mixes them as a lived-in stash does.
 *
 * Every item is built from its own key and holds exactly the members that the specification lists (§2 Item), never a
 * `false` or a `null` where the member can be left out. Members that belong to game 2 alone live in `ItemsGame2`.
 */
import type { Item, ItemProperty, ItemSocket } from "@game-data/schemas";
import { baseType, CURRENCIES, GEAR, GEMS, type ItemClass } from "./Bases.ts";
import {
  FLAVOUR,
  icon,
  IMPLICIT_LINES,
  NOUNS,
  PREFIX_LINES,
  statLines,
  SUFFIX_LINES,
  ADJECTIVES,
} from "./Lexicon.ts";
import { oddity } from "./Oddities.ts";
import { prng, type Prng } from "./Prng.ts";

/** Where an item lies, and what its surroundings add to it. */
export interface Placement {
  readonly league?: string;
  readonly x?: number;
  readonly y?: number;
  readonly inventoryId?: string;
  /** Socket of the item that holds this one. */
  readonly socket?: number;
  readonly colour?: "S" | "D" | "I" | "G";
  /** A price or a remark of its owner. */
  readonly note?: string;
  /** The public stash stream counts prefixes and suffixes; no other answer has `extended` (§2 Item). */
  readonly extended?: boolean;
}

/** A property as the wire writes it. */
export const property = (
  name: string,
  values: ReadonlyArray<readonly [string, number]> = [],
  more: Partial<ItemProperty> = {},
): ItemProperty => ({ name, values, displayMode: 0, ...more });

/** What every item carries. */
export const skeleton = (
  key: string,
  draw: Prng,
  size: { readonly w: number; readonly h: number },
  names: { readonly name?: string; readonly typeLine: string; readonly folder: string },
  where: Placement,
) => ({
  verified: false,
  w: size.w,
  h: size.h,
  icon: icon(`items/${names.folder}`, names.typeLine),
  ...(where.league === undefined ? {} : { league: where.league }),
  id: prng(`${key}/id`).hex(64),
  name: names.name ?? "",
  typeLine: names.typeLine,
  baseType: names.typeLine,
  identified: true,
  ilvl: draw.int(1, 86),
  ...(where.note === undefined ? {} : { note: where.note }),
  ...(where.x === undefined ? {} : { x: where.x }),
  ...(where.y === undefined ? {} : { y: where.y }),
  ...(where.inventoryId === undefined ? {} : { inventoryId: where.inventoryId }),
  ...(where.socket === undefined ? {} : { socket: where.socket }),
  ...(where.colour === undefined ? {} : { colour: where.colour }),
});

const SOCKET_COLOURS = [
  ["S", "R"],
  ["D", "G"],
  ["I", "B"],
  ["G", "W"],
] as const;

const sockets = (draw: Prng, most: number): Array<ItemSocket> => {
  let group = 0;
  return Array.from({ length: draw.int(1, most) }, (_, index) => {
    if (index > 0 && draw.chance(0.4)) group++;
    const [attr, sColour] = draw.chance(0.01) ? (["A", "A"] as const) : draw.pick(SOCKET_COLOURS);
    return { group, attr, sColour };
  });
};

const requirements = (draw: Prng): Array<ItemProperty> => [
  property("Level", [[String(draw.int(2, 78)), 0]], { type: 62 }),
  property(draw.pick(["Might", "Grace", "Wit"]), [[String(draw.int(14, 190)), 0]], {
    displayMode: 1,
  }),
];

const gearProperties = (draw: Prng, itemClass: ItemClass): Array<ItemProperty> => {
  const quality = draw.chance(0.5)
    ? [property("Quality", [[`+${draw.int(1, 20)}%`, 1]], { type: 6 })]
    : [];
  if (itemClass.kind === "armour") {
    return [
      ...quality,
      property(draw.pick(["Ward", "Guard", "Evasion"]), [[String(draw.int(20, 900)), 1]], {
        type: 16,
      }),
    ];
  }
  if (itemClass.kind === "weapon") {
    const low = draw.int(5, 80);
    return [
      property(itemClass.piece),
      ...quality,
      property("Weapon Damage", [[`${low}-${low + draw.int(8, 90)}`, 1]], { type: 9 }),
      property("Keen Strike Chance", [[`${draw.int(50, 90) / 10}%`, 0]], { type: 12 }),
      property("Strikes per Second", [[(draw.int(110, 170) / 100).toFixed(2), 0]], { type: 13 }),
    ];
  }
  return quality;
};

/** A helm, a blade, a ring …: normal, magic, rare or unique. */
export const gearItem = (key: string, itemClass: ItemClass, where: Placement = {}): Item => {
  const draw = prng(key);
  const base = baseType(draw, itemClass);
  const frame = draw.pick([0, 1, 1, 2, 2, 2, 2, 3] as const);
  const prefixes = frame === 0 ? 0 : frame === 1 ? 1 : draw.int(1, 3);
  const suffixes = frame === 0 ? 0 : frame === 1 ? draw.int(0, 1) : draw.int(1, 3);
  const name = frame >= 2 ? `${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)}` : "";
  const common = skeleton(key, draw, itemClass, { name, typeLine: base, folder: "gear" }, where);
  const typeLine =
    frame === 1 ? `${draw.pick(ADJECTIVES)} ${base} of the ${draw.pick(NOUNS)}` : base;
  const socketList =
    itemClass.sockets > 0 && draw.chance(0.85) ? sockets(draw, itemClass.sockets) : undefined;
  const gems =
    socketList === undefined || where.inventoryId?.startsWith("Stash") === true
      ? undefined
      : socketList.flatMap((_, socket) =>
          draw.chance(0.7)
            ? [
                gemItem(`${key}/gem/${socket}`, {
                  socket,
                  colour: draw.pick(["S", "D", "I"] as const),
                }),
              ]
            : [],
        );
  return {
    ...common,
    typeLine,
    rarity: (["Normal", "Magic", "Rare", "Unique"] as const)[frame],
    ...(socketList === undefined ? {} : { sockets: socketList }),
    ...(gems === undefined || gems.length === 0 ? {} : { socketedItems: gems }),
    properties: gearProperties(draw, itemClass),
    requirements: requirements(draw),
    ...(draw.chance(0.4) ? { implicitMods: statLines(draw, IMPLICIT_LINES, 1) } : {}),
    ...(frame === 0
      ? {}
      : {
          explicitMods: [
            ...statLines(draw, PREFIX_LINES, prefixes),
            ...statLines(draw, SUFFIX_LINES, suffixes),
          ],
        }),
    ...(frame === 3 ? { flavourText: draw.sample(FLAVOUR, 2) } : {}),
    ...oddity(draw, frame),
    ...(where.extended === true ? { extended: { prefixes, suffixes } } : {}),
    frameType: frame,
  };
};

/** A gem of game 1, active or supporting; now and then with a second skill inside (`hybrid`). */
export const gemItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const [name, isSupport] = draw.pick(GEMS);
  const level = draw.int(1, 20);
  const total = draw.int(10_000, 900_000);
  const done = draw.int(0, total);
  const common = skeleton(key, draw, { w: 1, h: 1 }, { typeLine: name, folder: "gems" }, where);
  return {
    ...common,
    ilvl: 0,
    ...(isSupport ? { support: true } : {}),
    properties: [
      property(isSupport ? "Support" : "Spell, Reach"),
      property("Level", [[level === 20 ? "20 (Max)" : String(level), 0]], { type: 5 }),
      property("Quality", [[`+${draw.int(0, 20)}%`, 1]], { type: 6 }),
    ],
    additionalProperties: [
      property("Experience", [[`${done}/${total}`, 0]], {
        displayMode: 2,
        progress: Math.round((done / total) * 100) / 100,
        type: 20,
      }),
    ],
    requirements: requirements(draw),
    secDescrText: "Sends what you ask for where you point.",
    explicitMods: statLines(draw, PREFIX_LINES, 2),
    descrText: "Place into a socket of the right colour.",
    ...(!isSupport && draw.chance(0.15)
      ? {
          corrupted: true,
          hybrid: {
            isVaalGem: true,
            baseTypeName: name,
            properties: [property("Charges per Use", [[String(draw.int(10, 60)), 0]])],
            explicitMods: statLines(draw, PREFIX_LINES, 1),
            secDescrText: "Sends rather more than you asked for.",
          },
        }
      : {}),
    frameType: 4,
  };
};

/** A stack of currency. */
export const currencyItem = (key: string, where: Placement = {}, which?: number): Item => {
  const draw = prng(key);
  const [, name, most] =
    which === undefined ? draw.pick(CURRENCIES) : CURRENCIES[which % CURRENCIES.length]!;
  // Special tabs hold more than a stack (wire facts: stackSize may exceed maxStackSize).
  const stackSize = draw.int(1, which === undefined ? most : most * 4);
  return {
    ...skeleton(key, draw, { w: 1, h: 1 }, { typeLine: name, folder: "currency" }, where),
    ilvl: 0,
    stackSize,
    maxStackSize: most,
    ...(stackSize > 9999 ? { stackSizeText: `${Math.floor(stackSize / 100) / 10}K` } : {}),
    properties: [property("Stack Size", [[`${stackSize}/${most}`, 0]], { type: 32 })],
    explicitMods: ["Changes one thing about an item"],
    descrText: "Right click this, then left click an item.",
    frameType: 5,
  };
};

/** A card that is traded in when the stack is full. */
export const cardItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const most = draw.int(2, 13);
  const stackSize = draw.int(1, most);
  const typeLine = `The ${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)}`;
  return {
    ...skeleton(key, draw, { w: 1, h: 1 }, { typeLine, folder: "cards" }, where),
    ilvl: 0,
    stackSize,
    maxStackSize: most,
    artFilename: typeLine.replaceAll(" ", ""),
    properties: [property("Stack Size", [[`${stackSize}/${most}`, 0]], { type: 32 })],
    explicitMods: [`<uniqueitem>{${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)}}`],
    flavourText: draw.sample(FLAVOUR, 1),
    frameType: 6,
  };
};

/** A map: an area to open, with its tier. */
export const mapItem = (key: string, where: Placement = {}, tier?: number): Item => {
  const draw = prng(key);
  const level = tier ?? draw.int(1, 16);
  const typeLine = `${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)} Map`;
  const isRare = draw.chance(0.5);
  return {
    ...skeleton(
      key,
      draw,
      { w: 1, h: 1 },
      { name: isRare ? `${draw.pick(ADJECTIVES)} Crossing` : "", typeLine, folder: "maps" },
      where,
    ),
    rarity: isRare ? "Rare" : "Normal",
    itemLevel: 67 + level,
    properties: [
      property("Map Tier", [[String(level), 0]], { type: 1 }),
      property("Item Quantity", [[`+${draw.int(0, 90)}%`, 1]], { type: 2 }),
    ],
    ...(isRare ? { explicitMods: statLines(draw, SUFFIX_LINES, 3) } : {}),
    ...(where.extended === true && isRare ? { extended: { prefixes: 1, suffixes: 2 } } : {}),
    descrText: "Travel to this Map by using it in a personal Map Device.",
    frameType: isRare ? 2 : 0,
  };
};

/** A flask. */
export const flaskItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const typeLine = `${draw.pick(ADJECTIVES)} ${draw.pick(["Vigour", "Focus", "Quicksand"])} Flask`;
  return {
    ...skeleton(key, draw, { w: 1, h: 2 }, { typeLine, folder: "flasks" }, where),
    rarity: "Magic",
    properties: [
      property(
        "Recovers %0 Vigour over %1 Seconds",
        [
          [String(draw.int(100, 2000)), 0],
          ["4.00", 0],
        ],
        { displayMode: 3 },
      ),
      property(
        "Consumes %0 of %1 Charges on use",
        [
          ["20", 0],
          ["60", 0],
        ],
        { displayMode: 3 },
      ),
    ],
    requirements: [property("Level", [[String(draw.int(2, 70)), 0]], { type: 62 })],
    utilityMods: ["+40% to Frost Resistance"],
    explicitMods: statLines(draw, SUFFIX_LINES, 1),
    descrText: "Right click to drink.",
    frameType: 1,
  };
};

/** An item of a mixed stash: mostly gear, currency and gems. */
export const anyItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(`${key}/kind`);
  const kind = draw.int(1, 100);
  if (kind <= 50) return gearItem(key, draw.pick(GEAR), where);
  if (kind <= 70) return currencyItem(key, where);
  if (kind <= 82) return gemItem(key, where);
  if (kind <= 90) return mapItem(key, where);
  if (kind <= 95) return cardItem(key, where);
  return flaskItem(key, where);
};

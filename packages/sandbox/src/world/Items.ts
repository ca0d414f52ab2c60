/**
 * Gear of game 1, and `anyItem`, which mixes all families of things as a used stash does.
 *
 * Every item is built from its own key and holds exactly the members that the specification lists
 * (§2 Item), never a `false` or a `null` where the member can be left out. Members that belong to
 * game 2 alone live in `ItemsGame2`.
 */
import type { Item, ItemProperty, ItemSocket } from "@game-data/schemas";
import { baseType, GEAR, type ItemClass } from "./itemBases.ts";
import { curiosity } from "./rareItems.ts";
import { type Placement, property, requirements, skeleton } from "./ItemParts.ts";
import {
  ADJECTIVES,
  FLAVOUR,
  IMPLICIT_LINES,
  NOUNS,
  PREFIX_LINES,
  statLines,
  SUFFIX_LINES,
} from "./Lexicon.ts";
import { oddity } from "./rareMembers.ts";
import { prng, type Prng } from "./Prng.ts";
import { cardItem, currencyItem, flaskItem, gemItem, mapItem } from "./consumables.ts";

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

/** An item of a mixed stash: mostly gear, currency and gems. */
export const anyItem = (key: string, where: Placement = {}): Item => {
  const draw = prng(`${key}/kind`);
  const kind = draw.int(1, 100);
  if (kind <= 50) return gearItem(key, draw.pick(GEAR), where);
  if (kind <= 70) return currencyItem(key, where);
  if (kind <= 82) return gemItem(key, where);
  if (kind <= 90) return mapItem(key, where);
  if (kind <= 94) return cardItem(key, where);
  if (kind <= 97) return curiosity(key, where);
  return flaskItem(key, where);
};

/**
 * Gear of game 1, and `anyItem`, which mixes all families of things as a used stash does.
 *
 * Every item is built from its own key and holds exactly the members that the specification lists
 * (§2 Item), never a `false` or a `null` where the member can be left out. Members that belong to
 * game 2 alone live in `ItemsGame2`.
 */
import type { Item, ItemProperty, ItemSocket } from "@game-data/schemas";
import { cardItem, currencyItem, flaskItem, gemItem, mapItem } from "./consumables.ts";
import { IMPLICIT_LINES, SUFFIX_LINES } from "./data/modifiers.ts";
import { baseOf, GEAR, type ItemClass, rollLines, uniqueItem } from "./itemBases.ts";
import {
  itemLevel,
  type Placement,
  property,
  quality,
  RARITIES,
  requirements,
  skeleton,
} from "./ItemParts.ts";
import { ADJECTIVES, FLAVOUR, NOUNS, statLines, twoWords } from "./Lexicon.ts";
import { prng, type Prng } from "./Prng.ts";
import { curiosity, oddity } from "./rareMembers.ts";

const RARE_SOCKETS = [
  ["A", "A"],
  ["DV", "DV"],
] as const;

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
    const [attr, sColour] = draw.chance(0.02) ? draw.pick(RARE_SOCKETS) : draw.pick(SOCKET_COLOURS);
    return { group, attr, sColour };
  });
};

const gearProperties = (draw: Prng, itemClass: ItemClass): Array<ItemProperty> => {
  const better = draw.chance(0.5) ? [quality(draw.int(1, 20))] : [];
  if (itemClass.kind === "armour") {
    return [
      ...better,
      property(draw.pick(["Ward", "Guard", "Evasion"]), [[String(draw.int(20, 900)), 1]], {
        type: 16,
      }),
    ];
  }
  if (itemClass.kind === "weapon") {
    const low = draw.int(5, 80);
    return [
      property(itemClass.piece),
      ...better,
      property("Weapon Damage", [[`${low}-${low + draw.int(8, 90)}`, 1]], { type: 9 }),
      property("Keen Strike Chance", [[`${draw.int(50, 90) / 10}%`, 0]], { type: 12 }),
      property("Strikes per Second", [[(draw.int(110, 170) / 100).toFixed(2), 0]], { type: 13 }),
    ];
  }
  return better;
};

/**
 * A helm, a blade, a ring …: normal, magic, rare or unique; of the frame `only`, if one is named.
 */
export const gearItem = (
  key: string,
  itemClass: ItemClass,
  where: Placement = {},
  only?: 0 | 1 | 2 | 3,
): Item => {
  const draw = prng(key);
  const ilvl = itemLevel(draw);
  const frame = only ?? draw.pick([0, 1, 1, 2, 2, 2, 2, 3] as const);
  const made = frame === 3 ? ofUnique(draw, itemClass, ilvl) : ofBase(draw, itemClass, ilvl, frame);
  const { base: typeLine, name, worth } = made;
  const common = skeleton(draw, where, {
    size: itemClass,
    name,
    typeLine,
    folder: "gear",
    ilvl,
    worth,
  });
  const socketList =
    itemClass.sockets > 0 && draw.chance(0.85) ? sockets(draw, itemClass.sockets) : undefined;
  const gems =
    socketList === undefined || where.inventoryId?.startsWith("Stash") === true
      ? undefined
      : socketList.flatMap((_, socket) => {
          if (!draw.chance(0.7)) return [];
          const colour = draw.pick(["S", "D", "I", "G"] as const);
          return [gemItem(`${key}/gem/${socket}`, { socket, colour })];
        });
  return {
    ...common,
    typeLine: made.typeLine,
    rarity: RARITIES[frame],
    ...(socketList !== undefined && { sockets: socketList }),
    ...(gems === undefined || gems.length === 0 ? {} : { socketedItems: gems }),
    properties: gearProperties(draw, itemClass),
    requirements: requirements(draw, made.level),
    ...(draw.chance(0.4) && { implicitMods: statLines(draw, IMPLICIT_LINES, 1) }),
    ...(frame !== 0 && { explicitMods: made.lines }),
    ...(frame === 3 && { flavourText: draw.sample(FLAVOUR, 2) }),
    ...oddity(draw, frame),
    ...usual(draw, frame),
    // The lines of a unique item are neither prefixes nor suffixes.
    ...(where.extended === true &&
      frame !== 3 && { extended: { prefixes: made.prefixes, suffixes: made.suffixes } }),
    frameType: frame,
  };
};

/** Members that many items of people have. */
const usual = (draw: Prng, frame: number): Partial<Item> => ({
  ...(frame > 0 && draw.chance(0.19) && { corrupted: true }),
  ...(frame === 2 && draw.chance(0.36) && { craftedMods: statLines(draw, SUFFIX_LINES, 1) }),
});

/** The parts of an item that follow from its base and lines. */
interface Made {
  readonly name: string;
  readonly base: string;
  readonly typeLine: string;
  readonly level: number;
  readonly lines: ReadonlyArray<string>;
  readonly prefixes: number;
  readonly suffixes: number;
  readonly worth: number;
}

const ofUnique = (draw: Prng, itemClass: ItemClass, ilvl: number): Made => {
  const { base, lines, name, worth } = uniqueItem(draw, itemClass, ilvl);
  const names = { name, base: base.name, typeLine: base.name };
  return { ...names, level: base.level, lines, worth, prefixes: 0, suffixes: 0 };
};

/**
 * An item of frame 0, 1 or 2: at most one prefix and one suffix if magic, three of each if rare.
 */
const ofBase = (draw: Prng, itemClass: ItemClass, ilvl: number, frame: 0 | 1 | 2): Made => {
  const base = baseOf(draw, itemClass, ilvl);
  const most = frame === 2 ? 3 : 1;
  const of = { kind: itemClass.kind, ilvl };
  const before = rollLines(draw, "prefixes", of, frame === 0 ? 0 : draw.int(1, most));
  const after = rollLines(draw, "suffixes", of, frame === 0 ? 0 : draw.int(frame - 1, most));
  // One rare item in 32 fits together well, and is worth a fortune.
  const fortune = frame === 2 && draw.int(0, 31) === 0 ? 25 : 1;
  return {
    name: frame === 2 ? twoWords(draw) : "",
    base: base.name,
    typeLine:
      frame === 1
        ? [
            draw.pick(ADJECTIVES),
            base.name,
            ...(after.lines.length > 0 ? [`of the ${draw.pick(NOUNS)}`] : []),
          ].join(" ")
        : base.name,
    level: Math.max(base.level, before.level, after.level),
    lines: [...before.lines, ...after.lines],
    prefixes: before.lines.length,
    suffixes: after.lines.length,
    worth: 30 + base.level + (before.worth + after.worth) * fortune,
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

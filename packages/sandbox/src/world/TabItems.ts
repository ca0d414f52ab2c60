/**
 * The items of a stash tab: special tabs hold their one kind of thing in a row, the others a mix on
 * a grid.
 *
 * A grid is filled in cells of 2 × 4, the largest size of an item, so that nothing overlaps.
 */
import type { Item } from "@game-data/schemas";
import { GEAR } from "./itemBases.ts";
import type { Placement } from "./ItemParts.ts";
import {
  cardItem,
  currencyItem,
  flaskItem,
  gemItem,
  mapItem,
  stackablesOf,
} from "./consumables.ts";
import { anyItem, gearItem } from "./Items.ts";
import { wordsOf } from "../internal/wordsOf.ts";
import { hash32 } from "./Prng.ts";
import type { Tab } from "./Tabs.ts";

const CELLS = { NormalStash: 18, PremiumStash: 18, QuadStash: 72 } as const;

/** The note of a thing of some worth, by the key of the thing; undefined for none. */
export type PriceOf = (key: string, worth: number) => string | undefined;

/** Makes a thing by its key; `which` is its place in the tab of an account. */
type Maker = (key: string, where: Placement, which?: number, tab?: Tab) => Item;

const stackables = (tab: string): readonly [number, Maker] => [
  stackablesOf(tab).length,
  (key, where, which) => currencyItem(key, where, { tab, which }),
];

/** Types of tabs that hold their one kind of thing: how many an account has of it, and its maker. */
const SPECIAL: Readonly<Record<string, readonly [count: number, make: Maker]>> = {
  CurrencyStash: stackables("CurrencyStash"),
  FragmentStash: stackables("FragmentStash"),
  EssenceStash: stackables("EssenceStash"),
  DelveStash: stackables("DelveStash"),
  DivinationCardStash: [24, cardItem],
  GemStash: [20, gemItem],
  FlaskStash: [10, flaskItem],
  MapStash: [6, (key, where, _, tab) => mapItem(key, where, tab && Number(tab.map?.["tier"] ?? 1))],
  UniqueStash: [
    4,
    (key, where, which = 0, tab) => {
      const at = tab === undefined ? hash32(key) : tab.index * 4 + which;
      return gearItem(key, GEAR[at % GEAR.length]!, where, 3);
    },
  ],
};

interface TabMaking {
  readonly league: string;
  readonly priceOf: PriceOf;
  /** Counts prefixes and suffixes, as the public stash stream does. */
  readonly extended?: boolean;
}

const mixed = (tab: Tab, { extended, league, priceOf }: TabMaking): Array<Item> => {
  if (tab.name === "empty") return [];
  const cells = CELLS[tab.type as keyof typeof CELLS] ?? CELLS.NormalStash;
  const columns = cells === CELLS.QuadStash ? 12 : 6;
  return Array.from({ length: cells }).flatMap((_, at) => {
    const key = `${tab.key}/item/${at}`;
    if (hash32(key) % 5 === 0) return [];
    return [
      anyItem(key, {
        league,
        x: (at % columns) * 2,
        y: Math.floor(at / columns) * 4,
        inventoryId: `Stash${tab.index + 1}`,
        ...(tab.isPublic && { price: (worth: number) => priceOf(key, worth) }),
        ...(extended === true && { extended }),
      }),
    ];
  });
};

/** The items of a tab. Those of folders, maps and uniques are in the tabs below. */
export const tabItems = (tab: Tab, making: TabMaking): ReadonlyArray<Item> => {
  if (tab.isFolder || tab.children.length > 0) return [];
  const special = SPECIAL[tab.type];
  if (special === undefined) return mixed(tab, making);
  const [count, make] = special;
  const { league } = making;
  const inventoryId = `Stash${tab.index + 1}`;
  const width = tab.type === "UniqueStash" ? 2 : 1;
  return Array.from({ length: count }, (_, which) =>
    make(`${tab.key}/item/${which}`, { league, x: which * width, y: 0, inventoryId }, which, tab),
  );
};

/** Types of tabs that somebody can make public; the common ones stand several times. */
export const PUBLIC_TYPES = wordsOf(`
  PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash
  PremiumStash QuadStash QuadStash QuadStash QuadStash CurrencyStash FragmentStash EssenceStash
  DelveStash DivinationCardStash MapStash UniqueStash GemStash FlaskStash
`);

/** The grids of public tabs: cells of 2 × 4 in the first rows, of 1 × 1 below them. */
const GRIDS: Readonly<Record<string, { readonly width: number; readonly large: number }>> = {
  PremiumStash: { width: 12, large: 6 },
  QuadStash: { width: 24, large: 24 },
};

export const cellsOf = (type: string): number => {
  const grid = GRIDS[type];
  if (grid === undefined) return type === "UniqueStash" ? 72 : 144;
  return grid.large + grid.width * grid.width - grid.large * 8;
};

export const cellAt = (type: string, place: number): { readonly x: number; readonly y: number } => {
  const grid = GRIDS[type];
  if (grid === undefined) {
    const height = type === "FlaskStash" ? 2 : 1;
    const [width, rows] = type === "UniqueStash" ? [2, 4] : [1, height];
    return { x: (place % 12) * width, y: Math.floor(place / 12) * rows };
  }
  const perRow = grid.width / 2;
  if (place < grid.large) return { x: (place % perRow) * 2, y: Math.floor(place / perRow) * 4 };
  const small = place - grid.large;
  const top = (grid.large / perRow) * 4;
  return { x: small % grid.width, y: top + Math.floor(small / grid.width) };
};

/** A thing that lies in a place of a public tab of a type. */
export const itemOfType = (type: string, place: number, key: string, where: Placement): Item => {
  const special = SPECIAL[type];
  if (special !== undefined) return special[1](key, where);
  return place < GRIDS[type]!.large ? anyItem(key, where) : smallItem(key, where);
};

const SMALL = GEAR.filter(({ h, w }) => w === 1 && h === 1);

const smallItem = (key: string, where: Placement): Item => {
  const kind = hash32(`${key}/small`) % 100;
  if (kind < 40) return gearItem(key, SMALL[hash32(key) % SMALL.length]!, where);
  if (kind < 65) return currencyItem(key, where);
  if (kind < 80) return gemItem(key, where);
  return kind < 92 ? mapItem(key, where) : cardItem(key, where);
};

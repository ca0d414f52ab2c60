/**
 * Stash tabs: their layout (names, types, folders and sub-tabs), and the items in them.
 *
 * A layout is drawn per owner (an account or a guild), realm and league. Sub-tabs of map and unique
 * tabs point to their `parent`, tabs in a folder to their `folder`; both nest in `children` of the
 * list (`docs/choices.md`).
 */
import type { Item, StashTab } from "@game-data/schemas";
import { REMOVE_ONLY } from "./Leagues.ts";
import { NOUNS, twoWords } from "./Lexicon.ts";
import { hash32, hexId, prng } from "./Prng.ts";
import { wordsOf } from "../internal/words.ts";
import { GEAR, gear } from "./gear.ts";
import {
  card,
  flask,
  gem,
  makeItem,
  type Maker,
  map,
  type Placement,
  rareKind,
  stack,
  stackablesOf,
} from "./things.ts";

export interface Tab {
  /** Key from which the items of the tab are generated. */
  readonly key: string;
  /** Record of the tab in the list, without `children` and `public`. */
  readonly record: StashTab;
  /** Whether the owner made the tab public, so that it appears in the public stash stream. */
  readonly isPublic: boolean;
  readonly children: ReadonlyArray<Tab>;
  /** For a tab of a guild: the lowest rank of members that can access it. */
  readonly rank: number;
}

interface Sketch {
  readonly type: string;
  readonly name: string;
  readonly isPublic?: boolean;
  readonly rank?: number;
  readonly inside?: ReadonlyArray<Sketch>;
}

/** Tabs of a very active player. Other players have the first few of them. */
const FULL: ReadonlyArray<Sketch> = [
  { type: "CurrencyStash", name: "$" },
  { type: "PremiumStash", name: "~price 5 gilt-orb", isPublic: true },
  { type: "NormalStash", name: "" },
  { type: "QuadStash", name: "dump" },
  { type: "MapStash", name: "Maps" },
  { type: "PremiumStash", name: "shop", isPublic: true },
  {
    type: "Folder",
    name: "Workshop",
    inside: [
      { type: "NormalStash", name: "1" },
      { type: "NormalStash", name: "2" },
      { type: "PremiumStash", name: "to sort" },
      { type: "QuadStash", name: "big box" },
    ],
  },
  { type: "UniqueStash", name: "Uniques" },
  { type: "QuadStash", name: "shop", isPublic: true },
  { type: "FragmentStash", name: "Fragments" },
  { type: "DivinationCardStash", name: "Cards" },
  { type: "EssenceStash", name: "Essences" },
  { type: "GemStash", name: "Gems" },
  { type: "FlaskStash", name: "Flasks" },
  { type: "DelveStash", name: "Below" },
  { type: "NormalStash", name: "empty" },
];

const LEFT_BEHIND: ReadonlyArray<Sketch> = [
  { type: "PremiumStash", name: `shop${REMOVE_ONLY}` },
  { type: "QuadStash", name: `dump${REMOVE_ONLY}` },
];

const GUILD: ReadonlyArray<Sketch> = [
  { type: "PremiumStash", name: "Welcome" },
  { type: "CurrencyStash", name: "Treasury", rank: 2 },
  { type: "MapStash", name: "Guild maps" },
  {
    type: "Folder",
    name: "Lending",
    inside: [
      { type: "NormalStash", name: "Blades" },
      { type: "NormalStash", name: "Officers only", rank: 1 },
    ],
  },
  { type: "QuadStash", name: "Vault", rank: 2 },
];

const build = (owner: string, sketches: ReadonlyArray<Sketch>, folder?: string): Array<Tab> =>
  sketches.map(({ inside, isPublic = false, name, rank = 0, type }, index) => {
    const key = `${owner}/tab/${folder ?? ""}/${index}`;
    const id = hexId(`${key}/id`, 10);
    const record = {
      id,
      ...(folder !== undefined && { folder }),
      name,
      type,
      index,
      metadata: { ...(inside !== undefined && { folder: true }), colour: hexId(key, 6) },
    };
    const children = inside === undefined ? subTabs(key, record, rank) : build(owner, inside, id);
    return { key, record, isPublic, rank, children };
  });

/** Returns the sub-tabs of a tab: one per map in a map tab, one per class in a unique tab. */
const subTabs = (tabKey: string, { id: parent, type }: StashTab, rank: number): Array<Tab> => {
  const isMap = type === "MapStash";
  const draw = prng(`${tabKey}/children`);
  const count = isMap ? 9 : type === "UniqueStash" ? 5 : 0;
  return Array.from({ length: count }, (_, index) => {
    const key = `${tabKey}/child/${index}`;
    const name = isMap ? `${twoWords(draw)} Map` : draw.pick(NOUNS);
    const metadata = {
      colour: draw.hex(6),
      ...(isMap && { map: { section: "tier", name, tier: 1 + index, index } }),
    };
    const record = { id: hexId(`${key}/id`, 10), parent, name, type, index, metadata };
    return { key, record, isPublic: false, rank, children: [] };
  });
};

/** Returns an account's first `size` tabs in a league. `Standard` adds remove-only tabs. */
export const accountTabs = (owner: string, size: number, isStandard: boolean): ReadonlyArray<Tab> =>
  build(owner, [...FULL.slice(0, size), ...(isStandard && size > 4 ? LEFT_BEHIND : [])]);

/** Returns the tabs of a guild in a league that a member of this rank can see. */
export const guildTabs = (owner: string, rank: number): ReadonlyArray<Tab> => {
  const visible = (tabs: ReadonlyArray<Tab>): Array<Tab> =>
    tabs
      .filter((tab) => tab.rank <= rank)
      .map((tab) => ({ ...tab, children: visible(tab.children) }));
  return visible(build(owner, GUILD));
};

/** Returns a tab's record without items. `isListed` decides whether a public tab is `public`. */
export const tabRecord = (tab: Tab, isListed: (tab: Tab) => boolean): StashTab => ({
  ...tab.record,
  metadata: { ...tab.record.metadata, ...(tab.isPublic && isListed(tab) && { public: true }) },
  ...(tab.children.length !== 0 && {
    children: tab.children.map((child) => tabRecord(child, isListed)),
  }),
});

/** Renames the tabs of an ended league, and moves them behind other tabs. */
export const leftBehind = (tabs: ReadonlyArray<Tab>, first: number): ReadonlyArray<Tab> =>
  tabs.map((tab, at) => {
    const { record } = tab;
    return { ...tab, record: { ...record, name: record.name + REMOVE_ONLY, index: first + at } };
  });

/** Returns every tab of a layout, with the tabs in folders and the sub-tabs. */
export const allTabs = (tabs: ReadonlyArray<Tab>): ReadonlyArray<Tab> =>
  tabs.flatMap((tab) => [tab, ...allTabs(tab.children)]);

/*
 * Contents of a tab by place. Special tabs hold one kind of thing. Other tabs hold large things in
 * their first rows and small things below, so that nothing overlaps.
 */

/** The facts about a tab that decide its items. */
interface TabKind {
  readonly type: string;
  /** Tier of a map tab. */
  readonly tier?: number | undefined;
}

/** Grid of a tab. The first `large` places, in full rows, take 2 × 4 squares, the others one. */
interface Grid {
  readonly width: number;
  readonly large: number;
  /** Number of places in an account's tab, of which four fifths hold an item. */
  readonly used: number;
}

const GRIDS: Readonly<Record<string, Grid>> = {
  NormalStash: { width: 12, large: 6, used: 18 },
  PremiumStash: { width: 12, large: 6, used: 18 },
  QuadStash: { width: 24, large: 24, used: 72 },
};

/** Tab of one kind of thing: the number that an account has, their size, and their maker. */
interface SpecialTab {
  readonly count: number;
  readonly w?: number;
  readonly h?: number;
  readonly make: (place: number, kind: TabKind) => Maker;
}

const stacks = (type: string): SpecialTab => ({
  count: stackablesOf(type).length,
  make: (place) => stack(type, place),
});

const SPECIAL: Readonly<Record<string, SpecialTab>> = {
  CurrencyStash: stacks("CurrencyStash"),
  FragmentStash: stacks("FragmentStash"),
  EssenceStash: stacks("EssenceStash"),
  DelveStash: stacks("DelveStash"),
  DivinationCardStash: { count: 24, make: () => card },
  GemStash: { count: 20, make: () => gem },
  FlaskStash: { count: 10, h: 2, make: () => flask },
  MapStash: { count: 6, make: (_, { tier }) => map(tier) },
  UniqueStash: {
    count: 4,
    w: 2,
    h: 4,
    make: () => (draw, where) => gear(draw.pick(GEAR), 3)(draw, where),
  },
};

/** Types of tabs that can be public. Common types occur several times. */
export const PUBLIC_TYPES = wordsOf(`
  PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash
  PremiumStash QuadStash QuadStash QuadStash QuadStash CurrencyStash FragmentStash EssenceStash
  DelveStash DivinationCardStash MapStash UniqueStash GemStash FlaskStash
`);

/** Returns the maximum number of items in a public tab. */
export const capacity = (type: string): number => {
  const grid = GRIDS[type];
  if (grid !== undefined) return grid.large + grid.width * grid.width - grid.large * 8;
  return type === "UniqueStash" ? 72 : 144;
};

const cellAt = (type: string, place: number): { readonly x: number; readonly y: number } => {
  const grid = GRIDS[type];
  if (grid === undefined) {
    const { h = 1, w = 1 } = SPECIAL[type]!;
    return { x: (place % 12) * w, y: Math.floor(place / 12) * h };
  }
  const perRow = grid.width / 2;
  if (place < grid.large) return { x: (place % perRow) * 2, y: Math.floor(place / perRow) * 4 };
  const small = place - grid.large;
  const top = (grid.large / perRow) * 4;
  return { x: small % grid.width, y: top + Math.floor(small / grid.width) };
};

/** Makes the item in a place of a tab. */
export const itemAt = (kind: TabKind, place: number, key: string, where: Placement): Item => {
  const { type } = kind;
  const isLarge = place < (GRIDS[type]?.large ?? 0);
  const make = SPECIAL[type]?.make(place, kind) ?? (isLarge ? anyThing : smallThing);
  return makeItem(key, { ...where, ...cellAt(type, place) }, make);
};

/** Makes the items of an account's tab. `whereOf` returns the placement for the key of an item. */
export const accountItems = (
  kind: TabKind,
  tabKey: string,
  whereOf: (key: string) => Placement,
): ReadonlyArray<Item> =>
  Array.from(
    { length: SPECIAL[kind.type]?.count ?? GRIDS[kind.type]!.used },
    (_, place) => [`${tabKey}/item/${place}`, place] as const,
  )
    .filter(([key]) => SPECIAL[kind.type] !== undefined || hash32(key) % 5 !== 0)
    .map(([key, place]) => itemAt(kind, place, key, whereOf(key)));

/** Makers of items, each with the cumulative percentage up to which it is drawn. */
type Mix = ReadonlyArray<readonly [upTo: number, make: Maker]>;

const mixed =
  (mix: Mix): Maker =>
  (draw, where) => {
    const percent = draw.int(1, 100);
    return mix.find(([upTo]) => percent <= upTo)![1](draw, where);
  };

/** Makes an item of a mixed stash, mostly gear, currency and gems. */
export const anyThing = mixed([
  [50, (draw, where) => gear(draw.pick(GEAR))(draw, where)],
  [70, stack("CurrencyStash")],
  [82, gem],
  [90, map()],
  [94, card],
  [97, rareKind],
  [100, flask],
]);

const SMALL_GEAR = GEAR.filter(({ h, w }) => w === 1 && h === 1);

const smallThing = mixed([
  [40, (draw, where) => gear(draw.pick(SMALL_GEAR))(draw, where)],
  [65, stack("CurrencyStash")],
  [80, gem],
  [92, map()],
  [100, card],
]);

/**
 * What lies in a stash tab, place by place: special tabs hold their one kind of thing, the others
 * large things in their first rows and small ones below, so that nothing overlaps.
 */
import type { Item } from "@game-data/schemas";
import { wordsOf } from "../internal/words.ts";
import { GEAR, gear } from "./gear.ts";
import { hash32 } from "./Prng.ts";
import { card, flask, gem, map, rareKind, stack, stackablesOf } from "./smallThings.ts";
import { makeItem, type Maker, type Placement } from "./Thing.ts";

/** A tab, as far as its contents depend on it. */
export interface TabKind {
  readonly type: string;
  /** Of a map tab. */
  readonly tier?: number | undefined;
}

/** A grid of cells. Its first ones, in full rows, have 2 × 4 squares, the others one. */
interface Grid {
  readonly width: number;
  readonly large: number;
  /** Cells in the tab of an account, of which four fifths hold something. */
  readonly used: number;
}

const GRIDS: Readonly<Record<string, Grid>> = {
  NormalStash: { width: 12, large: 6, used: 18 },
  PremiumStash: { width: 12, large: 6, used: 18 },
  QuadStash: { width: 24, large: 24, used: 72 },
};

/** A tab of one kind of thing: how many an account has, their size, and what they are. */
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

/** Types of tabs that can be public, the common ones several times. */
export const PUBLIC_TYPES = wordsOf(`
  PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash PremiumStash
  PremiumStash QuadStash QuadStash QuadStash QuadStash CurrencyStash FragmentStash EssenceStash
  DelveStash DivinationCardStash MapStash UniqueStash GemStash FlaskStash
`);

/** Number of places in a public tab. */
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

/** The item in a place of a tab. */
export const itemAt = (kind: TabKind, place: number, key: string, where: Placement): Item => {
  const { type } = kind;
  const isLarge = place < (GRIDS[type]?.large ?? 0);
  const make = SPECIAL[type]?.make(place, kind) ?? (isLarge ? anyThing : smallThing);
  return makeItem(key, { ...where, ...cellAt(type, place) }, make);
};

/** The items of a tab of an account; `whereOf` places the item of a key. */
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

/** Makers with the cumulative percentage up to which each is drawn. */
type Mix = ReadonlyArray<readonly [upTo: number, make: Maker]>;

const mixed =
  (mix: Mix): Maker =>
  (draw, where) => {
    const percent = draw.int(1, 100);
    return mix.find(([upTo]) => percent <= upTo)![1](draw, where);
  };

/** A thing of a mixed stash: mostly gear, currency and gems. */
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

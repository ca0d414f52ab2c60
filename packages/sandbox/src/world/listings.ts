/**
 * Listings of the stash stream: which tabs are listed and what they hold, how an item is priced and
 * repriced, and when it is sold.
 */
import { twoWords } from "./Lexicon.ts";
import { hash32, prng } from "./Prng.ts";
import { capacity, PUBLIC_TYPES } from "./Tabs.ts";

/** How the owner of a tab says what things cost: on each, in the tab's name, or not at all. */
type Pricing = "items" | "tab" | undefined;

/** The pricing of 25 tabs. */
const PRICING: ReadonlyArray<Pricing> = Array.from({ length: 25 }, (_, at) =>
  at < 12 ? "items" : at < 14 ? "tab" : undefined,
);

/** The plan of a listing: its mark-up, when it is repriced, and when it is sold. */
interface Listing {
  readonly isPriced: boolean;
  /** Per cent of the worth that is asked at first. */
  readonly markup: number;
  /** Versions from one repricing to the next. */
  readonly interval: number;
  /** Versions after which the item is sold. */
  readonly end: number;
}

/** Highest price that buyers pay, in per cent of the worth. */
const BUYERS_PAY = 105;

/** A listing is sold or taken back after this many repricings. */
const MAX_STEPS = 12;

/** Per cent that are asked after a repricing: seven of ten go down by a tenth, three up. */
const repriced = (asked: number, key: string, step: number): number =>
  Math.floor((asked * (hash32(`${key}/step/${step}`) % 10 < 7 ? 9 : 11)) / 10);

export const listingOf = (key: string): Listing => {
  const bits = hash32(`${key}/listing`);
  const interval = 1 + (bits % 3);
  const markup = 85 + ((bits >>> 4) % 96);
  let steps = 0;
  for (let asked = markup; asked > BUYERS_PAY && steps < MAX_STEPS; steps++)
    asked = repriced(asked, key, steps);
  const end = steps * interval + 2 + ((bits >>> 16) % 4);
  return { isPriced: (bits >>> 12) % 12 === 0, markup, interval, end };
};

/** The price after some repricings. */
export const askedPrice = (worth: number, key: string, markup: number, steps: number): number => {
  let asked = markup;
  for (let step = 0; step < Math.min(steps, MAX_STEPS); step++) asked = repriced(asked, key, step);
  return Math.max(1, Math.floor((worth * asked) / 100));
};

/** Percentage of stashes that are ever listed. */
export const LISTED_PERCENT = 19;

/** Deals `values` out so that neighbours differ: 8 is prime to the lengths of both tables. */
const dealt = <Value>(turn: number, values: ReadonlyArray<Value>): Value =>
  values[(turn * 8) % values.length]!;

/** The place of each value when they are sorted. */
export const ranksOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = [...values.keys()].toSorted((a, b) => values[a]! - values[b]! || a - b);
  const ranks = values.map(() => 0);
  for (const [rank, at] of sorted.entries()) ranks[at] = rank;
  return ranks;
};

/** Places of a listed tab by quantile, in ten thousandths: most tabs hold little, few very much. */
const QUANTILES: ReadonlyArray<readonly [quantile: number, places: number]> = [
  [0, 0],
  [3400, 0],
  [6000, 2],
  [7700, 18],
  [8800, 45],
  [9500, 120],
  [9700, 150],
  [10_000, 480],
];
/** Items of a listed tab that the table makes on average. */
const MEAN_ITEMS = 19;

const placesAt = (quantile: number): number => {
  const next = QUANTILES.findIndex(([end]) => end > quantile);
  const [[from, low], [to, high]] = [QUANTILES[next - 1]!, QUANTILES[next]!];
  return low + Math.floor(((high - low) * (quantile - from)) / (to - from));
};

/** What a generated tab holds, and how its owner prices it. */
export interface TabPlan {
  readonly places: number;
  /** A tab that holds more than its type can is of the largest type. */
  readonly type: string;
  readonly pricing: Pricing;
}

/** The tab of which `part` of all listed ones hold less, with `items` items on average. */
export const planOf = (turn: number, part: number, items: number): TabPlan => {
  const places = Math.round((placesAt(part * 10_000) * items) / MEAN_ITEMS);
  const dealtType = dealt(turn, PUBLIC_TYPES);
  const type = places > capacity(dealtType) ? "QuadStash" : dealtType;
  return { places: Math.min(places, capacity(type)), type, pricing: dealt(turn, PRICING) };
};

/** The name of a generated tab: two words, or the price of everything in it. */
export const tabName = (stashKey: string, pricing: Pricing): string => {
  const draw = prng(stashKey);
  return pricing === "tab" ? `~price ${draw.int(1, 20)} ember-shard` : twoWords(draw);
};

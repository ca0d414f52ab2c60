/**
 * Listings of the stash stream: which tabs are listed and what they hold, how an item is priced and
 * repriced, and when it is sold.
 */
import { twoWords } from "./Lexicon.ts";
import { hash32, prng } from "./Prng.ts";
import { cellsOf, PUBLIC_TYPES } from "./TabItems.ts";

/** How the owner of a tab says what things cost: on each, in the tab's name, or not at all. */
type Pricing = "items" | "tab" | undefined;

/** The ways of 25 tabs. */
const PRICING: ReadonlyArray<Pricing> = Array.from({ length: 25 }, (_, at) => {
  if (at < 12) return "items";
  return at < 14 ? "tab" : undefined;
});

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

/** A listing is sold or taken back after so many repricings. */
const MOST_STEPS = 12;

/** Per cent that are asked after a repricing: seven of ten go down by a tenth, three up. */
const stepped = (asked: number, key: string, step: number): number =>
  Math.floor((asked * (hash32(`${key}/step/${step}`) % 10 < 7 ? 9 : 11)) / 10);

export const listingOf = (key: string): Listing => {
  const bits = hash32(`${key}/listing`);
  const interval = 1 + (bits % 3);
  const markup = 85 + ((bits >>> 4) % 96);
  let steps = 0;
  for (let asked = markup; asked > BUYERS_PAY && steps < MOST_STEPS; steps++)
    asked = stepped(asked, key, steps);
  return {
    isPriced: (bits >>> 12) % 12 === 0,
    markup,
    interval,
    end: steps * interval + 2 + ((bits >>> 16) % 4),
  };
};

/** The price after some repricings. */
export const askedPrice = (worth: number, key: string, markup: number, steps: number): number => {
  let asked = markup;
  for (let step = 0; step < Math.min(steps, MOST_STEPS); step++) asked = stepped(asked, key, step);
  return Math.max(1, Math.floor((worth * asked) / 100));
};

/** Of a hundred stashes, those that are ever listed. */
export const LISTED = 19;
/** A stride near the golden section of 21 types and 25 ways of pricing, prime to both. */
const SPREAD = 8;

/** Deals `values` out to neighbours in turn, so that any few of them have different ones. */
const spread = <Value>(turn: number, values: ReadonlyArray<Value>): Value =>
  values[(turn * SPREAD) % values.length]!;

/** The place of each value when they are sorted. */
export const rankOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
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
  /** What holds more than others can is of the largest type. */
  readonly type: string;
  readonly pricing: Pricing;
}

/** The tab than which `part` of all listed ones hold less, with so many items on average. */
export const planOf = (turn: number, part: number, items: number): TabPlan => {
  const places = Math.round((placesAt(part * 10_000) * items) / MEAN_ITEMS);
  const type = spread(turn, PUBLIC_TYPES);
  return {
    places,
    type: places > cellsOf(type) ? "QuadStash" : type,
    pricing: spread(turn, PRICING),
  };
};

/** The name of a generated tab: two words, or the price of everything in it. */
export const tabName = (stashKey: string, pricing: Pricing): string => {
  const draw = prng(stashKey);
  return pricing === "tab" ? `~price ${draw.int(1, 20)} ember-shard` : twoWords(draw);
};

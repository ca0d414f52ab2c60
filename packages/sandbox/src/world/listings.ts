/** Listings of the stash stream: how an item is priced and repriced, and when it is sold. */
import { hash32 } from "./Prng.ts";

/** How the owner of a tab says what things cost: on each, in the tab's name, or not at all. */
export type Pricing = "items" | "tab" | undefined;

/** The ways of 25 tabs. */
export const PRICING: ReadonlyArray<Pricing> = Array.from({ length: 25 }, (_, at) => {
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

/** The plan of a listing, by its key. */
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

/**
 * Rates of currencies: a drift of weeks, days and hours around the worth that the table has. In a
 * young league the rates grow from about half of that worth.
 *
 * A rate follows from the seed, the league and the hour alone, in whole numbers, so that every
 * engine computes the same one. Prices of public stashes and the markets of the exchange use the
 * same rates.
 */
import { LruCache } from "../internal/LruCache.ts";
import { CURRENCIES, PRICE_CURRENCIES } from "./data/currencies.ts";
import { hash32 } from "./Prng.ts";

/** Length of a wave in hours, and how far it carries a rate in thousandths. */
const WAVES = [
  [168, 250],
  [24, 80],
  [3, 30],
] as const;

/** Hours after which half of a young league's growth is done. */
const HALF_GROWN = 216;

/** Amounts that people ask for. */
const AMOUNTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150];

/** The amount of the list that is nearest; beyond the list, tens. */
const roundAmount = (exact: number): number =>
  exact > 150
    ? Math.round(exact / 10) * 10
    : AMOUNTS.reduce((best, one) => (Math.abs(one - exact) < Math.abs(best - exact) ? one : best));

/** The league and the hour that rates depend on. */
interface RateHour {
  readonly league: string;
  /** Hours since the start of the world; negative before it. */
  readonly hour: number;
  /** Hours since the league began; undefined for a league that never ends. */
  readonly age?: number | undefined;
}

/** The rates of one realm. */
export class Rates {
  readonly #key: string;
  readonly #hours = new LruCache<ReadonlyArray<number>>(64);

  constructor(seed: number, realm: string) {
    this.#key = `${seed}/rates/${realm}`;
  }

  /** The worth of every currency of the table, in thousandths of an ember shard; at least 1. */
  worths({ age, hour, league }: RateHour): ReadonlyArray<number> {
    return this.#hours.get(`${league}/${hour}`, () => {
      const grown = age === undefined ? 1000 : 550 + Math.floor((450 * age) / (age + HALF_GROWN));
      return CURRENCIES.map(([code, , , worth]) =>
        code === "ember-shard"
          ? worth
          : Math.max(1, Math.floor((worth * grown * this.#drift(code, league, hour)) / 1_000_000)),
      );
    });
  }

  /** An amount in the greater of two currencies, if it is at least one of it: `12 gilt-orb`. */
  price(worth: number, at: RateHour): string {
    const worths = this.worths(at);
    let chosen = PRICE_CURRENCIES[0]!;
    for (const currency of PRICE_CURRENCIES)
      if (worths[currency]! <= worth && worths[currency]! >= worths[chosen]!) chosen = currency;
    const exact = Math.max(1, Math.round(worth / worths[chosen]!));
    // Four of five people write a number that is quickly said.
    const amount = Math.floor(worth) % 5 === 0 ? exact : roundAmount(exact);
    return `${amount} ${CURRENCIES[chosen]![0]}`;
  }

  /** Thousandths of the table's worth in an hour. */
  #drift(code: string, league: string, hour: number): number {
    let drift = 1000;
    for (const [length, reach] of WAVES) {
      const wave = Math.floor(hour / length);
      const key = `${this.#key}/${league}/${code}/${length}`;
      const from = (hash32(`${key}/${wave}`) % 2001) - 1000;
      const to = (hash32(`${key}/${wave + 1}`) % 2001) - 1000;
      const past = hour - wave * length;
      drift += Math.floor(((from * (length - past) + to * past) * reach) / (length * 1000));
    }
    return drift;
  }
}

/**
 * The currency exchange: one hour of history per answer, for all four realms.
 *
 * An hour's content depends on its distance from the world's start alone, never on the clock; the
 * clock decides which hours are over (§4.2: the current hour is unavailable) and which are so old
 * that they have been removed. An hour in which the exchange was down has no markets although the
 * stream goes on: emptiness is not the end.
 */
import type { Market } from "@game-data/schemas";
import { CURRENCIES, PRICE_CURRENCIES } from "./data/currencies.ts";
import { LruCache } from "../internal/LruCache.ts";
import { challengeName, leagueAge } from "./Leagues.ts";
import { hash32, prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";
import type { WorldSizes } from "./Sizes.ts";

const HOUR_SECONDS = 3600;
/** Of so many hours one is empty. */
const OUTAGE_EVERY = 96;

interface ExchangeHour {
  readonly nextChangeId: number;
  readonly markets: ReadonlyArray<Market>;
}

export class Exchange {
  readonly #seed: number;
  readonly #worldStart: number;
  readonly #sizes: WorldSizes;
  readonly #hours = new LruCache<ReadonlyArray<Market>>(48);
  readonly #rates = new Map<Realm, Rates>();

  constructor(seed: number, worldStart: number, sizes: WorldSizes) {
    this.#seed = seed;
    this.#worldStart = Math.floor(worldStart / 3_600_000) * HOUR_SECONDS;
    this.#sizes = sizes;
  }

  /** Start of the hour that is running, in seconds. */
  static currentHour(now: number): number {
    return Math.floor(now / 3_600_000) * HOUR_SECONDS;
  }

  /** The first hour that is still kept, in seconds. */
  firstHour(now: number): number {
    const begin = this.#worldStart - this.#sizes.exchangeHistoryHours * HOUR_SECONDS;
    const kept = Exchange.currentHour(now) - this.#sizes.exchangeKeepHours * HOUR_SECONDS;
    return Math.max(0, begin, kept);
  }

  /**
   * The answer to an id, or to none. Undefined off the hour, in the future, and where the hour is
   * no longer kept.
   */
  answer(realm: Realm, id: number | undefined, now: number): ExchangeHour | undefined {
    const current = Exchange.currentHour(now);
    const first = Math.min(this.firstHour(now), current);
    const hour = id ?? first;
    if (hour % HOUR_SECONDS !== 0 || hour < first || hour > current) return undefined;
    // The end of the stream: the id comes back, and the hour's data are not there yet.
    if (hour === current) return { nextChangeId: hour, markets: [] };
    const markets = this.#hours.get(`${realm}/${hour}`, () => this.#markets(realm, hour));
    return { nextChangeId: hour + HOUR_SECONDS, markets };
  }

  /** The rates of a realm: those of the markets, and of the prices of public stashes. */
  rates(realm: Realm): Rates {
    let rates = this.#rates.get(realm);
    if (rates === undefined) this.#rates.set(realm, (rates = new Rates(this.#seed, realm)));
    return rates;
  }

  #markets(realm: Realm, hour: number): ReadonlyArray<Market> {
    const index = (hour - this.#worldStart) / HOUR_SECONDS;
    const key = `${this.#seed}/exchange/${realm}/${index}`;
    if (isOutage(this.#seed, realm, index)) return [];
    const draw = prng(key);
    const challenge = challengeName(realm, this.#worldStart * 1000, hour * 1000);
    const leagues = ["Standard", "Hardcore", challenge, `Hardcore ${challenge}`];
    const seen = new Set<string>();
    const markets: Array<Market> = [];
    const wanted = draw.int(Math.ceil(this.#sizes.exchangePairs * 0.6), this.#sizes.exchangePairs);
    // Pairs repeat once in a while; a bound on the tries keeps a large `exchangePairs` from
    // looping.
    for (let tries = 0; markets.length < wanted && tries < wanted * 8; tries++) {
      const league = draw.pick(leagues);
      const [one, other] = [draw.int(0, CURRENCIES.length - 1), draw.int(0, CURRENCIES.length - 1)];
      const [first, second] = [CURRENCIES[one]![0], CURRENCIES[other]![0]];
      const pair = `${league}/${[first, second].toSorted().join("|")}`;
      if (first === second || seen.has(pair)) continue;
      seen.add(pair);
      const age = leagueAge(realm, this.#worldStart * 1000, league, hour * 1000);
      const worths = this.rates(realm).worths({ league, hour: index, age });
      const marketKey = `${key}/market/${markets.length}`;
      markets.push(market(marketKey, league, [first, worths[one]!], [second, worths[other]!]));
    }
    return markets;
  }
}

/** Whether the exchange was down: at regular distances, so that every history has such an hour. */
const isOutage = (seed: number, realm: Realm, index: number): boolean => {
  const shift = hash32(`${seed}/exchange/${realm}/outage`) % OUTAGE_EVERY;
  return (((index + shift) % OUTAGE_EVERY) + OUTAGE_EVERY) % OUTAGE_EVERY === 0;
};

const market = (
  key: string,
  league: string,
  [first, worth]: readonly [currency: string, worth: number],
  [second, otherWorth]: readonly [currency: string, worth: number],
): Market => {
  const draw = prng(key);
  const both = (one: number, other: number) => ({ [first]: one, [second]: other });
  const [stockFirst, stockSecond] = [draw.int(1, 40_000), draw.int(1, 40_000)];
  const highest = both(stockFirst + draw.int(0, 9000), stockSecond + draw.int(0, 9000));
  const common = {
    league,
    market_id: `${first}|${second}`,
    lowest_stock: both(stockFirst, stockSecond),
    highest_stock: highest,
  };
  // Offers without a trade: the ratios are of executed trades, and zero when there was none.
  if (draw.chance(0.05)) {
    return {
      ...common,
      volume_traded: both(0, 0),
      lowest_ratio: both(0, 0),
      highest_ratio: both(0, 0),
    };
  }
  // The lesser currency is counted per piece of the greater one, up to 4 % off the hour's rate.
  const isFirstGreater = worth >= otherWorth;
  const rate = isFirstGreater ? worth / otherWorth : otherWorth / worth;
  const lowest = Math.max(1, Math.floor((rate * (100 - draw.int(0, 4))) / 100));
  const highestRate = Math.max(lowest, Math.ceil((rate * (100 + draw.int(0, 4))) / 100));
  const greater = draw.int(1, 5000);
  const lesser = Math.max(1, Math.round(greater * rate));
  const ordered = (ofGreater: number, ofLesser: number) =>
    isFirstGreater ? both(ofGreater, ofLesser) : both(ofLesser, ofGreater);
  return {
    ...common,
    volume_traded: ordered(greater, lesser),
    lowest_ratio: ordered(1, lowest),
    highest_ratio: ordered(1, highestRate),
  };
};

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

interface RateHour {
  readonly league: string;
  /** Hours since the start of the world; negative before it. */
  readonly hour: number;
  /** Hours since the league began; undefined for a league that never ends. */
  readonly age?: number | undefined;
}

/**
 * The rates of one realm: a drift of weeks, days and hours around the worth that the table has. In
 * a young league they grow from about half of that worth. A rate follows from the seed, the league
 * and the hour alone, in whole numbers, so that every engine computes the same one. Prices of
 * public stashes and the markets of the exchange use the same rates.
 */
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

/**
 * The currency exchange: one hour of history per response, for all four realms, and the rates of
 * its trades.
 *
 * An hour's content depends on its distance from the world's start alone, never on the clock; the
 * clock decides which hours are over (§4.2: the current hour is unavailable) and which are so old
 * that they have been removed. An hour in which the exchange was down has no markets although the
 * stream goes on, so an empty hour is not the end.
 */
import type { Market } from "@game-data/schemas";
import { LruCache } from "../internal/LruCache.ts";
import { CURRENCIES, PRICE_CURRENCIES } from "./data/currencies.ts";
import { challengeName, leagueAge, type Realm } from "./Leagues.ts";
import { hash32, prng, type Prng } from "./Prng.ts";
import type { WorldSizes } from "./Sizes.ts";

const HOUR = 3600;
/** One in this many hours has no markets, at regular distances, so that each history has some. */
const OUTAGE_INTERVAL = 96;

/** Returns the start of the current hour, in seconds since the epoch. */
const currentHour = (now: number): number => Math.floor(now / 3_600_000) * HOUR;

export class Exchange {
  readonly #seed: number;
  readonly #worldStart: number;
  readonly #sizes: WorldSizes;
  readonly #hours = new LruCache<ReadonlyArray<Market>>(48);
  readonly #rates = new LruCache<Rates>(4);

  constructor(seed: number, worldStart: number, sizes: WorldSizes) {
    this.#seed = seed;
    this.#worldStart = currentHour(worldStart);
    this.#sizes = sizes;
  }

  /** Returns the first hour that can still be requested, in seconds since the epoch. */
  firstHour(now: number): number {
    const begin = this.#worldStart - this.#sizes.exchangeHistoryHours * HOUR;
    return Math.max(0, begin, currentHour(now) - this.#sizes.exchangeKeepHours * HOUR);
  }

  /** Returns the hour `id`, by default the first. Undefined if there is no such hour. */
  answer(
    realm: Realm,
    id: number | undefined,
    now: number,
  ): { readonly nextChangeId: number; readonly markets: ReadonlyArray<Market> } | undefined {
    const current = currentHour(now);
    const first = Math.min(this.firstHour(now), current);
    const hour = id ?? first;
    if (hour % HOUR !== 0 || hour < first || hour > current) return undefined;
    // The end of the stream repeats the requested id, because this hour has no data yet.
    if (hour === current) return { nextChangeId: hour, markets: [] };
    const markets = this.#hours.get(`${realm}/${hour}`, () => this.#markets(realm, hour));
    return { nextChangeId: hour + HOUR, markets };
  }

  /** Returns the rates of a realm, which its markets and the prices of public stashes follow. */
  rates(realm: Realm): Rates {
    return this.#rates.get(realm, () => new Rates(this.#seed, realm));
  }

  #markets(realm: Realm, hour: number): ReadonlyArray<Market> {
    const start = this.#worldStart * 1000;
    const index = (hour - this.#worldStart) / HOUR;
    const key = `${this.#seed}/exchange/${realm}`;
    if ((hour / HOUR + hash32(`${key}/outage`)) % OUTAGE_INTERVAL === 0) return [];
    const draw = prng(`${key}/${index}`);
    const challenge = challengeName(realm, start, hour * 1000);
    const leagues = ["Standard", "Hardcore", challenge, `Hardcore ${challenge}`];
    const markets = new Map<string, Market>();
    const most = this.#sizes.exchangePairs;
    // A pair may be drawn twice, so an hour may have fewer markets.
    for (let left = draw.int(Math.ceil(most * 0.6), most); left > 0; left--) {
      const league = draw.pick(leagues);
      const [one, other] = draw.sample([...CURRENCIES.keys()], 2) as [number, number];
      const age = leagueAge(realm, start, league, hour * 1000);
      const worths = this.rates(realm).worths({ league, hour: index, age });
      const sideOf = (currency: number): Side => [CURRENCIES[currency]![0], worths[currency]!];
      const made = market(draw, league, sideOf(one), sideOf(other));
      markets.set(`${league} ${made.market_id}`, made);
    }
    return [...markets.values()];
  }
}

type Side = readonly [currency: string, worth: number];

const market = (
  draw: Prng,
  league: string,
  [first, worth]: Side,
  [second, otherWorth]: Side,
): Market => {
  const both = (one: number, other: number) => ({ [first]: one, [second]: other });
  const [stock, otherStock] = [draw.int(1, 40_000), draw.int(1, 40_000)];
  const common = {
    league,
    market_id: `${first}|${second}`,
    lowest_stock: both(stock, otherStock),
    highest_stock: both(stock + draw.int(0, 9000), otherStock + draw.int(0, 9000)),
  };
  // Makes offers without a trade. Ratios are of executed trades, so they are 0 here.
  if (draw.chance(0.05)) {
    const none = both(0, 0);
    return { ...common, volume_traded: none, lowest_ratio: none, highest_ratio: none };
  }
  // Ratios count the lesser currency per piece of the greater, up to 4 % off the hour's rate.
  const isFirstGreater = worth >= otherWorth;
  const ordered = (greater: number, lesser: number) =>
    isFirstGreater ? both(greater, lesser) : both(lesser, greater);
  const rate = isFirstGreater ? worth / otherWorth : otherWorth / worth;
  const lowest = Math.max(1, Math.floor((rate * (100 - draw.int(0, 4))) / 100));
  const highest = Math.max(lowest, Math.ceil((rate * (100 + draw.int(0, 4))) / 100));
  const volume = draw.int(1, 5000);
  return {
    ...common,
    volume_traded: ordered(volume, Math.max(1, Math.round(volume * rate))),
    lowest_ratio: ordered(1, lowest),
    highest_ratio: ordered(1, highest),
  };
};

/** Waves of the rates: length in hours, and amplitude in thousandths. */
const WAVES = [
  [168, 250],
  [24, 80],
  [3, 30],
] as const;

/** Age in hours at which half of a young league's growth of rates is done. */
const HALF_GROWN = 216;

/** Round amounts in which most people state prices. */
const AMOUNTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150];

/** Returns the nearest of `AMOUNTS`, or beyond them the nearest multiple of ten. */
const roundAmount = (exact: number): number =>
  exact > 150
    ? Math.round(exact / 10) * 10
    : AMOUNTS.reduce((best, one) => (Math.abs(one - exact) < Math.abs(best - exact) ? one : best));

interface RateHour {
  readonly league: string;
  /** Hours since the start of the world; negative before it. */
  readonly hour: number;
  /** Hours since the league began; undefined for a permanent or ended league. */
  readonly age?: number | undefined;
}

/**
 * The rates of one realm: waves of weeks, days and hours around the worth in the table. In a young
 * league, rates grow from about half of this worth. A rate follows from the seed, the league and
 * the hour alone, in whole numbers, so that every engine computes the same rate.
 */
export class Rates {
  readonly #key: string;
  readonly #hours = new LruCache<ReadonlyArray<number>>(64);

  constructor(seed: number, realm: string) {
    this.#key = `${seed}/rates/${realm}`;
  }

  /** Returns the worth of each currency in thousandths of an ember shard; at least 1. */
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

  /** Formats a price, in the greater of two currencies if it is at least 1: `12 gilt-orb`. */
  price(worth: number, at: RateHour): string {
    const worths = this.worths(at);
    const [least = 0] = PRICE_CURRENCIES;
    const currency = PRICE_CURRENCIES.findLast((one) => worths[one]! <= worth) ?? least;
    const exact = Math.max(1, Math.round(worth / worths[currency]!));
    // Four of five people state a round amount.
    const amount = Math.floor(worth) % 5 === 0 ? exact : roundAmount(exact);
    return `${amount} ${CURRENCIES[currency]![0]}`;
  }

  /** Returns the rate in an hour, in thousandths of the worth in the table. */
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

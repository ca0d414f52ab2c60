/**
 * Hours of the currency exchange as series: for each market the volume of its first currency, hour
 * by hour. What charts are drawn from.
 *
 * ```ts
 * import { groupByMarket } from "@game-data/stream-follower/MarketSeries";
 *
 * const value = { volume_traded: { chaos: 12 } };
 * const hour = { hour: 3600, league: "Standard", marketId: "chaos|divine", json: "", value };
 * const [series] = groupByMarket([hour]);
 * if (series?.volumes.get(3600) !== 12) throw new Error("the volume of the first currency");
 * ```
 */
import { currenciesOf, type Market } from "@game-data/schemas/Market";
import type { MarketHour } from "./Model.ts";

/** A market over its hours. */
export interface MarketSeries {
  /** The league's name. */
  readonly league: string;
  /** The market's two currencies; the volumes are of the first. */
  readonly currencies: readonly [first: string, second: string];
  /** Volume by the hour's unix time. Hours without trade may be missing. */
  readonly volumes: ReadonlyMap<number, number>;
}

/** The series of all markets in these hours. */
export const groupByMarket = (hours: ReadonlyArray<MarketHour>): ReadonlyArray<MarketSeries> =>
  [
    ...Map.groupBy(hours, ({ league, marketId }) => JSON.stringify([league, marketId])).values(),
  ].flatMap((all) => {
    const { league, marketId } = all[0]!;
    const currencies = currenciesOf({ market_id: marketId });
    if (currencies === undefined) return [];
    const volumes = new Map(all.map(({ hour, value }) => [hour, volumeOf(value, currencies[0])]));
    return [{ league, currencies, volumes }];
  });

const volumeOf = (value: unknown, currency: string): number =>
  (value as Partial<Market>).volume_traded?.[currency] ?? 0;

/**
 * The market that traded most steadily: so many hours as full as its fullest one would make its
 * volume.
 */
export const mostEvenlyTraded = (series: ReadonlyArray<MarketSeries>): MarketSeries | undefined =>
  series.toSorted((a, b) => fullHours(b) - fullHours(a))[0];

const fullHours = ({ volumes }: MarketSeries): number => {
  const all = [...volumes.values()];
  return all.reduce((sum, volume) => sum + volume, 0) / Math.max(1, ...all);
};

/** A currency in short: some deployments name currencies by paths, whose last part tells it. */
export const shortName = (currency: string): string =>
  currency.slice(currency.lastIndexOf("/") + 1);

const HOUR = 3600;

/** The volumes of `count` hours up to and with the hour `last`, zero where nothing was traded. */
export const lastHours = (
  { volumes }: MarketSeries,
  count: number,
  last: number,
): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => volumes.get(last - (count - 1 - index) * HOUR) ?? 0);

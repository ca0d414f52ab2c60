/** The market that traded most steadily, as volumes hour by hour: what the chart is drawn from. */
import { currenciesOf, type Market } from "@game-data/schemas/Market";
import type { MarketHour } from "@game-data/stream-follower";

const HOUR = 3600;

/** A market's two currencies, and the volume of the first by the hour's unix time. */
export interface MarketSeries {
  readonly league: string;
  readonly currencies: readonly [first: string, second: string];
  readonly volumes: ReadonlyMap<number, number>;
}

/** The market with so many hours as full as its fullest one would make its volume. */
export const mostEvenlyTraded = (hours: ReadonlyArray<MarketHour>): MarketSeries | undefined => {
  const byMarket = Map.groupBy(hours, ({ league, marketId }) => `${league} ${marketId}`);
  return [...byMarket.values()]
    .flatMap(seriesOf)
    .toSorted((a, b) => fullHours(b) - fullHours(a))[0];
};

const seriesOf = (hours: ReadonlyArray<MarketHour>): ReadonlyArray<MarketSeries> => {
  const { league, marketId } = hours[0]!;
  const currencies = currenciesOf({ market_id: marketId });
  if (currencies === undefined) return [];
  const volumeOf = (value: unknown) =>
    (value as Partial<Market>).volume_traded?.[currencies[0]] ?? 0;
  const volumes = new Map(hours.map(({ hour, value }) => [hour, volumeOf(value)]));
  return [{ league, currencies, volumes }];
};

const fullHours = ({ volumes }: MarketSeries): number => {
  const all = [...volumes.values()];
  return all.reduce((sum, volume) => sum + volume, 0) / Math.max(1, ...all);
};

/** A currency in short: some deployments name currencies by paths, whose last part tells it. */
export const shortName = (currency: string): string =>
  currency.slice(currency.lastIndexOf("/") + 1);

/** The volumes of `count` hours up to and with the hour `last`, zero where nothing was traded. */
export const lastHours = ({ volumes }: MarketSeries, count: number, last: number) =>
  Array.from({ length: count }, (_, index) => volumes.get(last - (count - 1 - index) * HOUR) ?? 0);

/**
 * Keeps the hours of the currency exchange as numbers: volumes and the lowest, highest and typical
 * ratio of each market.
 */
import * as SqliteIndexer from "./SqliteIndexer.ts";
import { MARKET_TABLES } from "./tables.ts";

/** Opens the indexer over `path`. */
export const make = (path: string) =>
  SqliteIndexer.make({ path, name: "markets", version: 1, tables: MARKET_TABLES, prepare });

type Amounts = Readonly<Record<string, number | null | undefined>> | null | undefined;

interface WireMarket {
  readonly volume_traded?: Amounts;
  readonly lowest_ratio?: Amounts;
  readonly highest_ratio?: Amounts;
}

const prepare = ({ count, db }: SqliteIndexer.IndexTools): SqliteIndexer.IndexWriter => {
  const set = db.prepare(
    `INSERT INTO market_hour (league, first, second, hour, volume_first, volume_second, low, high,
       typical) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET volume_first = excluded.volume_first,
       volume_second = excluded.volume_second, low = excluded.low, high = excluded.high,
       typical = excluded.typical`,
  );
  return {
    apply: (page) => {
      for (const { hour, league, marketId, value } of page.markets) {
        const [first, second, ...others] = marketId.split("|");
        if (!first || !second || others.length > 0) continue;
        const figures = marketFigures(value as WireMarket, first, second);
        if (figures === undefined) continue;
        set.run(league.toWellFormed(), first, second, hour, ...figures);
        count(page.key, 1, 0);
      }
    },
  };
};

/**
 * Volumes of both currencies, and the lowest, highest and typical price of one `first` in `second`;
 * `undefined` for an hour without a trade.
 */
const marketFigures = (
  { highest_ratio: highest, lowest_ratio: lowest, volume_traded: volume }: WireMarket,
  first: string,
  second: string,
): readonly [number, number, number, number, number] | undefined => {
  const ratio = (amounts: Amounts) => number(amounts?.[second]) / number(amounts?.[first]);
  const ratios = [ratio(lowest), ratio(highest)].filter(
    (each) => each > 0 && Number.isFinite(each),
  );
  if (ratios.length === 0) return undefined;
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  const [ofFirst, ofSecond] = [number(volume?.[first]), number(volume?.[second])];
  const average = ofSecond / ofFirst;
  // An average lies between the bounds of its trades; a figure outside is none.
  const typical = average >= low && average <= high ? average : Math.sqrt(low * high);
  return [ofFirst, ofSecond, low, high, typical];
};

const number = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/**
 * Keeps the hours of the currency exchange: volume, and lowest, highest and typical ratio of each
 * market.
 */
import type { Indexer } from "@game-data/stream-follower";
import { Array as Arr, Effect } from "effect";
import { hourOf } from "@game-data/stream-follower";
import { text } from "./facts.ts";

const INSERTED_CHUNK = 1000;

type Amounts = Readonly<Record<string, unknown>> | null | undefined;
type Market = Readonly<Record<"volume_traded" | "lowest_ratio" | "highest_ratio", Amounts>>;

/** Applies an hour of the exchange, within the indexer's transaction. */
export const applyMarkets = Effect.fnUntraced(function* (
  page: Indexer.IndexedPage,
  { sql }: Indexer.IndexTools,
) {
  const hour = hourOf(page);
  const rows = page.rows.flatMap((row) => {
    if (row.market === undefined) return [];
    const { league, marketId } = row.market;
    const [first = "", second = "", ...others] = marketId.split("|");
    if (first === "" || second === "" || others.length > 0) return [];
    const figures = marketFigures(row.value as Market, first, second);
    if (figures === undefined) return [];
    return [{ league: text(league), first: text(first), second: text(second), hour, ...figures }];
  });
  for (const chunk of Arr.chunksOf(rows, INSERTED_CHUNK))
    yield* sql`INSERT INTO market_hour ${sql.insert(chunk)} ON CONFLICT DO UPDATE
      SET (volume, low, high, typical) =
        (excluded.volume, excluded.low, excluded.high, excluded.typical)`;
});

/** Returns the volume of `first` and its prices in `second`, or `undefined` without a trade. */
const marketFigures = (market: Market, first: string, second: string) => {
  const ratio = (amounts: Amounts) => amount(amounts?.[second]) / amount(amounts?.[first]);
  const bounds = [ratio(market.lowest_ratio), ratio(market.highest_ratio)].filter(
    (each) => each > 0 && Number.isFinite(each),
  );
  if (bounds.length === 0) return undefined;
  const [low, high] = [Math.min(...bounds), Math.max(...bounds)];
  const average = ratio(market.volume_traded);
  // An average outside the lowest and highest ratio is wrong, so the geometric mean replaces it.
  const typical = average >= low && average <= high ? average : Math.sqrt(low * high);
  return { volume: amount(market.volume_traded?.[first]), low, high, typical };
};

const amount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

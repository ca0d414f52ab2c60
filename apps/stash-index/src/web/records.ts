/** Schemas of the responses. Times are milliseconds since 1970; hours are seconds since 1970. */
import { Schema } from "effect";
import { Cursor } from "../search/Filters.ts";

const { Boolean, Number, String } = Schema;
const nullable = Schema.NullOr;

export const ListedItem = Schema.Struct({
  no: Number,
  name: String,
  base: String,
  rarity: String,
  ilvl: Number,
  sockets: Number,
  /** Sockets of the largest linked group. */
  links: Number,
  isCorrupted: Boolean,
  price: nullable(Schema.Struct({ amount: Number, currency: String })),
  /** Price in the currency of the response; `null` without a price or an exchange rate. */
  value: nullable(Number),
  seller: String,
  /** The id of the stash tab. */
  tab: String,
  tabName: String,
  /** Name and base as the game shows them. */
  title: String,
  mods: Schema.Array(String),
  firstSeen: Number,
  /** Kind of the end, or `null` if the item is listed. `sold` means that its tab stayed public. */
  ended: nullable(Schema.Literals(["sold", "unlisted", "repriced", "changed"])),
});
export type ListedItem = typeof ListedItem.Type;

export const SearchResult = Schema.Struct({
  league: String,
  /** Currency of `value`, of the price range and of the order. */
  currency: String,
  items: Schema.Array(ListedItem),
  /** Parameter `cursor` for the next page; `null` on the last page. */
  cursor: nullable(Cursor),
});

export const PriceCheck = Schema.Struct({
  league: String,
  currency: String,
  /** Number of listings with a price in the statistics. */
  listings: Number,
  /** Whether the statistics have only the newest listings, because there are too many. */
  isSample: Boolean,
  /**
   * Why the median is not reliable: `few` listings, or a `wide` range, whose upper quartile is more
   * than four times the lower quartile.
   */
  doubt: nullable(Schema.Literals(["few", "wide"])),
  /** The most frequent names and bases among the listings. */
  groups: Schema.Array(
    Schema.Struct({ name: String, base: String, listings: Number, median: Number }),
  ),
  percentiles: nullable(Schema.Record(String, Number)),
  /** Numbers of listings in price ranges whose bounds have equal ratios. */
  histogram: Schema.Array(Schema.Struct({ from: Number, to: Number, count: Number })),
  /** Number of listings that the histogram omits, because their prices are far from most others. */
  outliers: Number,
  /** How ended listings under the same filters ended; `null` without words, a name or a base. */
  outcome: nullable(
    Schema.Struct({
      sold: Number,
      unlisted: Number,
      repriced: Number,
      stayed: Number,
      soldMedian: nullable(Number),
      stayedMedian: nullable(Number),
      soldAfterMillis: nullable(Number),
    }),
  ),
});
export type PriceCheck = typeof PriceCheck.Type;

export const Rates = Schema.Struct({
  base: String,
  /** The newest hour of the exchange. */
  hour: Number,
  /** Amount of `base` for one unit of each currency. */
  values: Schema.Record(String, Number),
});
export type Rates = typeof Rates.Type;

export const Market = Schema.Struct({
  first: String,
  second: String,
  /** Amount of `second` for one unit of `first`, in the newest hour with a trade. */
  rate: Number,
  /** Relative change of `rate` in the last day. */
  change: Number,
  volumeFirst: Number,
  hours: Number,
});
export type Market = typeof Market.Type;

export const MarketHour = Schema.Struct({
  hour: Number,
  low: Number,
  high: Number,
  typical: Number,
});
export type MarketHour = typeof MarketHour.Type;

export const Status = Schema.Struct({
  /** The last page that the index has applied; `behind` is the number of later pages in the log. */
  seq: Number,
  behind: Number,
  /** Whether a process follows the stream without a failure. */
  isFollowing: Schema.Boolean,
  items: Number,
  /** Leagues, the one with the most listings first. */
  leagues: Schema.Array(Schema.Struct({ name: String, listed: Number })),
});
export type Status = typeof Status.Type;

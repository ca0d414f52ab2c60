/** The records of the HTTP API. Times are milliseconds since 1970, hours are seconds since 1970. */
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
  /** The price in the currency of the response. */
  value: nullable(Number),
  seller: String,
  /** The id of the tab. */
  tab: String,
  tabName: String,
  /** Name and base as the game shows them. */
  title: String,
  /** The lines of its mods. */
  mods: Schema.Array(String),
  firstSeen: Number,
  /** How it ended, or `null` while it is listed. A sale left a tab that stayed public. */
  ended: nullable(Schema.Literals(["sold", "unlisted", "repriced", "changed"])),
});
export type ListedItem = typeof ListedItem.Type;

export const SearchResult = Schema.Struct({
  league: String,
  /** The currency of `value`, of the price range and of the order. */
  currency: String,
  items: Schema.Array(ListedItem),
  /** Requests the next page; `null` on the last page. */
  cursor: nullable(Cursor),
});

export const PriceCheck = Schema.Struct({
  league: String,
  currency: String,
  /** Listings with a price that the statistics cover. */
  listings: Number,
  /** Whether the statistics cover the newest listings only, because there are too many. */
  isSample: Boolean,
  /**
   * Why the median is not a reliable price: `few` listings, or a `wide` range, whose upper quartile is
   * more than four times the lower quartile.
   */
  doubt: nullable(Schema.Literals(["few", "wide"])),
  /** The most frequent names and bases. */
  groups: Schema.Array(
    Schema.Struct({ name: String, base: String, listings: Number, median: Number }),
  ),
  percentiles: nullable(Schema.Record(String, Number)),
  /** Listings by price, in steps of equal ratio. */
  histogram: Schema.Array(Schema.Struct({ from: Number, to: Number, count: Number })),
  /** Listings that the histogram omits, because their prices are far from all others. */
  outliers: Number,
  /** How listings under the same filters ended; `null` without words, a name or a base. */
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
  /** The newest hour. */
  hour: Number,
  /** Units of `base` for one of each currency. */
  values: Schema.Record(String, Number),
});
export type Rates = typeof Rates.Type;

export const Market = Schema.Struct({
  first: String,
  second: String,
  /** `second` for one `first` in the newest hour with a trade. */
  rate: Number,
  /** Relative change within the last day. */
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
  /** The last page that the index has, and the number of pages that the log is ahead. */
  seq: Number,
  behind: Number,
  /** Whether the stream is followed without a failure. */
  isFollowing: Schema.Boolean,
  items: Number,
  /** By number of listings. */
  leagues: Schema.Array(Schema.Struct({ name: String, listed: Number })),
});
export type Status = typeof Status.Type;

/**
 * The records of the HTTP API. Everything that the queries return is one of these.
 */
import { Schema, SchemaGetter } from "effect";
import { Cursor } from "./Parameters.ts";

const nullable = Schema.NullOr;
const { Boolean, Number, String } = Schema;

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
  /** The price in the currency of the answer. */
  value: nullable(Number),
  seller: String,
  /** The tab's id. */
  tab: String,
  tabName: String,
  /** Name and base as the game shows them. */
  title: String,
  /** The lines of its mods. */
  mods: Schema.Array(String),
  /** Milliseconds since 1970. */
  firstSeen: Number,
});
export type ListedItem = typeof ListedItem.Type;

export const SearchResult = Schema.Struct({
  league: String,
  /** The currency of `value`, of the price range and of the order. */
  currency: String,
  items: Schema.Array(ListedItem),
  /** Asks for the next page; `null` on the last one. */
  cursor: nullable(Cursor),
});

export const PriceCheck = Schema.Struct({
  league: String,
  currency: String,
  /** Listings with a price that the statistics are of. */
  listings: Number,
  /** Whether there are more: then these are the newest ones. */
  isSample: Boolean,
  /**
   * Why the median is no price: `few` listings, or a `wide` range, where the upper quartile is more
   * than four times the lower one.
   */
  doubt: nullable(Schema.Literals(["few", "wide"])),
  /** Different names and bases among the listings. */
  kinds: Number,
  /** The most frequent of them. */
  groups: Schema.Array(
    Schema.Struct({ name: String, base: String, listings: Number, median: Number }),
  ),
  percentiles: nullable(Schema.Record(String, Number)),
  /** Listings by price, in steps of equal ratio. */
  histogram: Schema.Array(Schema.Struct({ from: Number, to: Number, count: Number })),
  /** Listings that the histogram leaves out, because their prices are far from all others. */
  outliers: Number,
  cheapest: Schema.Array(ListedItem),
  /**
   * What became of the listings under the same filters; `null` for a search by mods alone. A sale
   * left a tab that stayed public.
   */
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

export const ItemFilters = Schema.Struct({
  name: String,
  base: String,
  rarity: String,
  ilvl: Number,
  sockets: Number,
  links: Number,
  isCorrupted: Boolean,
  mods: Schema.Array(
    Schema.Struct({
      template: String,
      value: Number,
      /** A tenth below the item's value. */
      min: Number,
      /** Whether any listing has the mod. */
      isKnown: Boolean,
    }),
  ),
});
export type ItemFilters = typeof ItemFilters.Type;

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
  /** Seconds since 1970. */
  hour: Number,
  low: Number,
  high: Number,
  typical: Number,
  volumeFirst: Number,
  volumeSecond: Number,
});
export type MarketHour = typeof MarketHour.Type;

export const Tab = Schema.Struct({
  id: String,
  isPublic: Boolean,
  seller: nullable(String),
  name: nullable(String),
  type: nullable(String),
  league: nullable(String),
  items: Number,
  /** Time of its last change, in milliseconds since 1970. */
  seenAt: Number,
  /** Number of the page that changed it last. */
  seq: Number,
});
export type Tab = typeof Tab.Type;

export const Status = Schema.Struct({
  /** The last page that the index holds, and how many the log is ahead. */
  seq: Number,
  behind: Number,
  /** Arrival of that page. */
  receivedAt: nullable(Number),
  tabs: Number,
  items: Number,
  /** By number of listings. */
  leagues: Schema.Array(Schema.Struct({ name: String, listed: Number })),
});
export type Status = typeof Status.Type;

/** An event of a watch: a new match, or what became of one. */
export const WatchEvent = Schema.Struct({
  /** `alive` comes first, and every 15 seconds. */
  kind: Schema.Literals(["alive", "listed", "sold", "unlisted", "repriced", "changed"]),
  item: nullable(ListedItem),
  /** The item's number; 0 for `alive`. */
  no: Number,
});
export type WatchEvent = typeof WatchEvent.Type;

/** A place in a watch as the id of an event: the numbers of a listing and of an ending. */
export const PlaceFromId = Schema.String.check(Schema.isPattern(/^\d{1,15}-\d{1,15}$/u)).pipe(
  Schema.decodeTo(Schema.Struct({ item: Number, gone: Number }), {
    decode: SchemaGetter.transform((id) => {
      const [item = 0, gone = 0] = id.split("-").map((part) => globalThis.Number(part));
      return { item, gone };
    }),
    encode: SchemaGetter.transform(({ gone, item }) => `${item}-${gone}`),
  }),
);

/** An event as it is sent. */
export const SentWatchEvent = Schema.Struct({
  id: Schema.optionalKey(PlaceFromId),
  event: String,
  data: Schema.fromJsonString(WatchEvent),
});

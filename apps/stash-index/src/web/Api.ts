/**
 * The HTTP API: what it takes, what it returns, and how it refuses. `/openapi.json` is made of it,
 * and the page uses nothing else.
 */
import { Schema } from "effect";
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiError,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  OpenApi,
} from "effect/http-api";
import * as records from "./records.ts";
import { code, Cursor, Filters, SORTS, text } from "./Parameters.ts";

/** A parameter that cannot be used. `parameter` names it, `detail` says why. */
export class BadParameter extends HttpApiError.Problem<BadParameter>()(
  "BadParameter",
  { type: "about:blank", status: 400, title: "Bad Request" },
  { parameter: Schema.String },
) {}

/** Nothing has this name or number. */
export class NotInIndex extends HttpApiError.Problem<NotInIndex>()("NotInIndex", {
  type: "about:blank",
  status: 404,
  title: "Not Found",
}) {}

/** The query took too long, or too many others are waiting. */
export class Busy extends HttpApiError.Problem<Busy>()("Busy", {
  type: "about:blank",
  status: 503,
  title: "Service Unavailable",
}) {}

/** The address has as many streams open as it may have, or all addresses together have. */
export class TooManyStreams extends HttpApiError.Problem<TooManyStreams>()("TooManyStreams", {
  type: "about:blank",
  status: 429,
  title: "Too Many Requests",
}) {}

/** Turns what a request's schema refuses into `BadParameter`, unknown parameters included. */
export class Parameters extends HttpApiMiddleware.Service<Parameters>()("stash-index/Parameters", {
  error: [BadParameter, Busy],
}) {}

/** Characters of a pasted item. */
const MOST_ITEM_TEXT = 60_000;

const optional = Schema.optionalKey;
const limit = optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })));
const page = { limit, cursor: optional(Cursor) };

const listings = HttpApiGroup.make("listings")
  .add(
    HttpApiEndpoint.get("status", "/status", { success: records.Status }),
    HttpApiEndpoint.get("search", "/search", {
      query: { ...Filters.fields, ...page, sort: optional(Schema.Literals(SORTS)) },
      success: records.SearchResult,
    }),
    HttpApiEndpoint.get("suggest", "/suggest", {
      query: { q: text, what: optional(Schema.Literals(["terms", "mods", "sellers"])) },
      success: Schema.Struct({ suggestions: Schema.Array(Schema.String) }),
    }),
    HttpApiEndpoint.post("filters", "/filters", {
      payload: Schema.Struct({ item: Schema.String.check(Schema.isMaxLength(MOST_ITEM_TEXT)) }),
      success: records.ItemFilters,
    }),
    HttpApiEndpoint.get("priceCheck", "/price-check", {
      query: Filters.fields,
      success: records.PriceCheck,
    }),
    HttpApiEndpoint.get("watch", "/watch", {
      query: Filters.fields,
      // A client that was cut off goes on after the last event that it has.
      headers: { "last-event-id": optional(records.PlaceFromId) },
      success: HttpApiSchema.StreamSse({ events: records.SentWatchEvent }),
      error: TooManyStreams,
    }),
    HttpApiEndpoint.get("live", "/live", {
      success: HttpApiSchema.StreamSse({ data: records.Status }),
      error: TooManyStreams,
    }),
  )
  .middleware(Parameters)
  .prefix("/api");

const exchange = HttpApiGroup.make("exchange")
  .add(
    HttpApiEndpoint.get("markets", "/markets", {
      query: { league: text, limit },
      success: Schema.Struct({ markets: Schema.Array(records.Market) }),
    }),
    HttpApiEndpoint.get("history", "/history", {
      query: { league: text, first: code, second: code },
      success: Schema.Struct({ hours: Schema.Array(records.MarketHour) }),
    }),
    HttpApiEndpoint.get("currencies", "/currencies", {
      query: { league: text },
      success: Schema.Struct({
        base: Schema.String,
        /** The newest hour, in seconds since 1970. */
        hour: Schema.Number,
        values: Schema.Record(Schema.String, Schema.Number),
      }),
    }),
  )
  .middleware(Parameters)
  .prefix("/api/exchange");

const sellers = HttpApiGroup.make("sellers")
  .add(
    HttpApiEndpoint.get("tabs", "/sellers/:name", {
      params: { name: text },
      success: Schema.Struct({ tabs: Schema.Array(records.Tab) }),
      error: NotInIndex,
    }),
    HttpApiEndpoint.get("tab", "/tabs/:id", {
      params: { id: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)) },
      success: Schema.Struct({ tab: records.Tab, items: Schema.Array(records.ListedItem) }),
      error: NotInIndex,
    }),
  )
  .middleware(Parameters)
  .prefix("/api");

/** The whole API. */
export class Api extends HttpApi.make("stash-index")
  .add(listings, exchange, sellers)
  .annotateMerge(
    OpenApi.annotations({
      title: "Stash index",
      version: "1",
      description: "Search, prices, exchange and sellers of the public stash stream.",
    }),
  ) {}

/** The HTTP API. `/openapi.json` follows from it, and the page uses nothing else. */
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
import { Filters, SearchRequest, Text, Words } from "../search/Filters.ts";
import * as records from "./records.ts";

const problem = (status: number, title: string) => ({ type: "about:blank", status, title });

/** Error for an invalid parameter: `parameter` is its name, and `detail` the reason. */
export class BadParameter extends HttpApiError.Problem<BadParameter>()(
  "BadParameter",
  problem(400, "Bad Request"),
  { parameter: Schema.String },
) {}

/** Error if the query took too long, or too many other queries wait. */
export class Busy extends HttpApiError.Problem<Busy>()(
  "Busy",
  problem(503, "Service Unavailable"),
) {}

/** Error if this address, or all addresses together, have too many open streams. */
export class TooManyStreams extends HttpApiError.Problem<TooManyStreams>()(
  "TooManyStreams",
  problem(429, "Too Many Requests"),
) {}

/** Converts errors of the request schemas to `BadParameter`. */
export class Parameters extends HttpApiMiddleware.Service<Parameters>()("stash-index/Parameters", {
  error: [BadParameter, Busy],
}) {}

const MAX_ITEM_LENGTH = 60_000;

const { get, post } = HttpApiEndpoint;
const league = { league: Text };
const PageNumber = Schema.NumberFromString.check(
  Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
);

const group = HttpApiGroup.make("index").add(
  get("status", "/status", { success: records.Status }),
  get("search", "/search", { query: SearchRequest.fields, success: records.SearchResult }),
  get("priceCheck", "/price-check", { query: Filters.fields, success: records.PriceCheck }),
  get("suggest", "/suggest", {
    query: { q: Words, what: Schema.optionalKey(Schema.Literals(["terms", "mods"])) },
    success: Schema.Struct({ suggestions: Schema.Array(Schema.String) }),
  }),
  post("filters", "/filters", {
    payload: Schema.Struct({ item: Schema.String.check(Schema.isMaxLength(MAX_ITEM_LENGTH)) }),
    success: Filters,
  }),
  // The id of an event is the number of a page, so that a client continues after its last event.
  get("watch", "/watch", {
    query: Filters.fields,
    headers: { "last-event-id": Schema.optionalKey(PageNumber) },
    success: HttpApiSchema.StreamSse({
      events: Schema.Struct({
        id: Schema.NumberFromString,
        event: Schema.String,
        data: Schema.fromJsonString(Schema.Array(records.ListedItem)),
      }),
    }),
    error: TooManyStreams,
  }),
  get("currencies", "/exchange/currencies", { query: league, success: records.Rates }),
  get("markets", "/exchange/markets", {
    query: league,
    success: Schema.Struct({ markets: Schema.Array(records.Market) }),
  }),
  get("history", "/exchange/history", {
    query: { ...league, first: Text, second: Text },
    success: Schema.Struct({ hours: Schema.Array(records.MarketHour) }),
  }),
);

export class Api extends HttpApi.make("stash-index")
  .add(group)
  .middleware(Parameters)
  .prefix("/api")
  // Refuses unknown parameters, because a misspelt filter would be ignored and match everything.
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Stash index",
      version: "1",
      description: "Search, price checks and exchange rates of the public stash stream.",
    }),
  ) {}

/**
 * The handlers of the API: each turns its parameters into one query.
 */
import type { GameApiService } from "@game-data/api-client";
import { Effect, Layer, Schedule, SchemaAST, SchemaIssue, Stream } from "effect";
import { HttpServerRequest } from "effect/http";
import { HttpApiBuilder, HttpApiError } from "effect/http-api";
import { Api, BadParameter, NotInIndex, Parameters } from "./Api.ts";
import { marketHistory, movers, routes } from "./exchange.ts";
import { fullText } from "./filters.ts";
import { parseItem, toFilters } from "./itemInput.ts";
import { InvalidParameter } from "./Parameters.ts";
import { checkPrice } from "./priceCheck.ts";
import { readRates } from "./rates.ts";
import type { Reader } from "./Reader.ts";
import { describe, openScope, search } from "./search.ts";
import { changedTabs, itemDetails, sellerNames, tabsOf, tabWithItems } from "./sellers.ts";
import { currentUser, listOwnItems, listSources, requireUser, type SignIn } from "./signIn.ts";
import { StashIndex } from "./StashIndex.ts";
import { Watch } from "./watch.ts";

const PAGE_SIZE = 50;

/** Runs a query; a parameter that it refuses is a 400. */
const query = <A>(run: (reader: Reader) => A): Effect.Effect<A, BadParameter, StashIndex> =>
  Effect.flatMap(StashIndex, ({ reader }) =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(run(reader));
      } catch (error) {
        return error instanceof InvalidParameter
          ? Effect.fail(new BadParameter({ parameter: error.parameter, detail: error.message }))
          : Effect.die(error);
      }
    }),
  );

const orMissing = <A>(found: A | undefined, what: string) =>
  found === undefined ? Effect.fail(new NotInIndex({ detail: what })) : Effect.succeed(found);

const listings = HttpApiBuilder.group(Api, "listings", (handlers) =>
  handlers.handleAll({
    status: () => Effect.flatMap(StashIndex, ({ status }) => status),
    search: ({ query: parameters }) =>
      query((reader) => {
        const { cursor, limit = PAGE_SIZE, sort = "price", ...filters } = parameters;
        const scope = openScope(reader, filters, cursor?.hour);
        const { hits, next } = search(scope, { limit, sort, cursor });
        return {
          league: scope.league.name,
          currency: scope.currency,
          items: describe(reader, hits),
          cursor: next ?? null,
        };
      }),
    items: ({ query: { no } }) => query((reader) => ({ items: itemDetails(reader, no) })),
    suggest: ({ query: { q, what = "terms" } }) =>
      query((reader) => ({ suggestions: suggest(reader, q, what) })),
    filters: ({ payload }) => query((reader) => toFilters(reader, parseItem(reader, payload.item))),
    priceCheck: ({ query: parameters }) =>
      query((reader) => checkPrice(openScope(reader, parameters))),
    watch: ({ headers: { "last-event-id": after }, query: parameters }) =>
      Effect.gen(function* () {
        const { positions } = yield* StashIndex;
        const watch = yield* query((reader) => new Watch(reader, parameters, after));
        const begins = Stream.succeed({ ...ALIVE, id: watch.place });
        const events = Stream.flatMap(positions, () =>
          Stream.fromIterable(
            watch.step().map(({ event, place }) => ({ event: "message", id: place, data: event })),
          ),
        );
        return Stream.concat(begins, Stream.merge(alive, events));
      }),
    live: () =>
      Effect.map(StashIndex, ({ positions, status }) => Stream.mapEffect(positions, () => status)),
  }),
);

const ALIVE = { event: "message", data: { kind: "alive" as const, no: 0, item: null } };

/** Shows a client and a proxy that the connection is in use. */
const alive = Stream.fromSchedule(Schedule.spaced("15 seconds")).pipe(Stream.map(() => ALIVE));

const SUGGESTIONS = {
  terms: `SELECT DISTINCT CASE WHEN term.name = '' THEN term.base ELSE term.name END AS text
    FROM (SELECT rowid AS no FROM term_text WHERE term_text MATCH ? ORDER BY rank LIMIT 40) AS found
    JOIN term ON term.no = found.no LIMIT 10`,
  mods: `SELECT template AS text FROM (SELECT rowid AS no FROM mod_text WHERE mod_text MATCH ? ORDER BY rank LIMIT 10)
    AS found JOIN mod ON mod.no = found.no`,
} as const;

const suggest = (reader: Reader, q: string, what: "terms" | "mods" | "sellers") => {
  if (what === "sellers") return sellerNames(reader, q);
  const words = fullText(q);
  return words === undefined
    ? []
    : reader.all<{ readonly text: string }>(SUGGESTIONS[what], words).map(({ text }) => text);
};

const exchange = HttpApiBuilder.group(Api, "exchange", (handlers) =>
  handlers.handleAll({
    markets: ({ query: { league, limit = 100 } }) =>
      query((reader) => ({ markets: movers(reader, league).slice(0, limit) })),
    history: ({ query: { first, league, second } }) =>
      query((reader) => ({ hours: marketHistory(reader, league, first, second) })),
    routes: ({ query: { from, league, to } }) =>
      query((reader) => ({ routes: routes(reader, league, from, to) })),
    currencies: ({ query: { league } }) =>
      query((reader) => {
        const { base, hour, values } = readRates(reader, league);
        return { base, hour, values: Object.fromEntries(values) };
      }),
  }),
);

const sellers = HttpApiBuilder.group(Api, "sellers", (handlers) =>
  handlers.handleAll({
    tabs: ({ params: { name } }) =>
      Effect.flatMap(
        query((reader) => tabsOf(reader, name)),
        (tabs) =>
          Effect.map(orMissing(tabs, `No listing is by “${name}”.`), (found) => ({ tabs: found })),
      ),
    tab: ({ params: { id } }) =>
      Effect.flatMap(
        query((reader) => tabWithItems(reader, id)),
        (found) => orMissing(found, "The stream has shown no tab with this id."),
      ),
    changes: ({ query: { limit = 100, since = "0" } }) =>
      query((reader) => {
        const [seq = 0, no = Number.MAX_SAFE_INTEGER] = since.split(".").map(Number);
        const { next, tabs } = changedTabs(reader, [seq, no], limit);
        return { tabs, next: next.join(".") };
      }),
  }),
);

const own = (api: GameApiService | undefined, signIn: SignIn | undefined) =>
  HttpApiBuilder.group(Api, "own", (handlers) =>
    handlers.handleAll({
      me: () => Effect.map(currentUser(signIn), (user) => ({ user: user?.username ?? null })),
      sources: ({ query: { league } }) =>
        Effect.flatMap(requireUser(signIn), (user) => listSources(api!, user, league)),
      ownItems: ({ query: from }) =>
        Effect.gen(function* () {
          const user = yield* requireUser(signIn);
          if ((from.tab === undefined) === (from.character === undefined))
            return yield* new BadParameter({
              parameter: "tab",
              detail: "needs either tab or character",
            });
          const { reader } = yield* StashIndex;
          return { items: yield* listOwnItems(api!, user, reader, from) };
        }),
    }),
  );

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1();

/** Names the parameter that the request's schema refused, or does not know. */
const parameters = Layer.succeed(Parameters, (httpEffect, { endpoint }) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest;
    const ast = endpoint.query?.ast;
    const known = new Set(
      ast !== undefined && SchemaAST.isObjects(ast)
        ? ast.propertySignatures.map(({ name }) => name)
        : [],
    );
    for (const parameter of new URL(request.url, "http://localhost").searchParams.keys())
      if (!known.has(parameter))
        return yield* new BadParameter({
          parameter,
          detail: `is not a parameter; known are: ${[...known].join(", ") || "none"}`,
        });
    return yield* Effect.catchIf(httpEffect, isRefusal, (error) => {
      const { cause } = error as unknown as HttpApiError.HttpApiSchemaError;
      const [issue] = issuesOf(cause.issue).issues;
      const [parameter = "request"] = issue?.path ?? [];
      const detail = issue?.message ?? "is not valid";
      return Effect.fail(new BadParameter({ parameter: String(parameter), detail }));
    });
  }),
);

const isRefusal = (error: unknown): boolean =>
  HttpApiError.HttpApiSchemaError.is(error) &&
  error.kind !== "Body" &&
  error.kind !== "ResponseHeaders";

/** The routes of the API. `api` and `signIn` are there where users can sign in. */
export const apiRoutes = (api: GameApiService | undefined, signIn: SignIn | undefined) =>
  HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide([listings, exchange, sellers, own(api, signIn)]),
    Layer.provide(parameters),
  );

/**
 * The handlers of the API: each turns its parameters into one query.
 */
import { Effect, Layer, Schedule, SchemaAST, SchemaIssue, Stream } from "effect";
import { HttpServerRequest } from "effect/http";
import { HttpApiBuilder, HttpApiError } from "effect/http-api";
import { Api, BadParameter, NotInIndex, Parameters } from "./Api.ts";
import { countStream } from "./guards.ts";
import type { Queries } from "./queries.ts";
import { StashIndex } from "./StashIndex.ts";

type Input<Name extends keyof Queries> = globalThis.Parameters<Queries[Name]>[1];

/** Runs a query. */
const query = <Name extends keyof Queries>(name: Name, input: Input<Name>) =>
  Effect.flatMap(StashIndex, ({ run }) => run(name, input));

/** What a query found; `undefined` is a 404. */
const found = <A, E, R>(effect: Effect.Effect<A | undefined, E, R>, detail: string) =>
  Effect.filterOrFail(
    effect,
    (value) => value !== undefined,
    () => new NotInIndex({ detail }),
  );

const listings = HttpApiBuilder.group(Api, "listings", (handlers) =>
  handlers.handleAll({
    status: () => Effect.flatMap(StashIndex, ({ status }) => status),
    search: ({ query: parameters }) => query("search", parameters),
    suggest: ({ query: parameters }) => query("suggest", parameters),
    filters: ({ payload }) => query("filters", payload),
    priceCheck: ({ query: parameters }) => query("priceCheck", parameters),
    watch: ({ headers: { "last-event-id": after }, query: parameters }) =>
      Effect.gen(function* () {
        yield* countStream;
        const { positions, watch } = yield* StashIndex;
        const opened = yield* Effect.acquireRelease(watch(parameters, after), ({ close }) => close);
        const begins = Stream.succeed({ ...ALIVE, id: opened.place });
        // A step that comes too late ends the stream: the client comes again with its last event.
        const events = Stream.flatMap(positions, () =>
          Stream.fromIterableEffect(
            Effect.map(Effect.orDie(opened.step), (all) =>
              all.map(({ event, place }) => ({ event: "message", id: place, data: event })),
            ),
          ),
        );
        return Stream.concat(begins, Stream.merge(alive, events));
      }),
    live: () =>
      Effect.gen(function* () {
        yield* countStream;
        const { positions, status } = yield* StashIndex;
        return Stream.mapEffect(positions, () => status);
      }),
  }),
);

const ALIVE = { event: "message", data: { kind: "alive" as const, no: 0, item: null } };

/** Shows a client and a proxy that the connection is in use. */
const alive = Stream.fromSchedule(Schedule.spaced("15 seconds")).pipe(Stream.map(() => ALIVE));

const exchange = HttpApiBuilder.group(Api, "exchange", (handlers) =>
  handlers.handleAll({
    markets: ({ query: parameters }) => query("markets", parameters),
    history: ({ query: parameters }) => query("history", parameters),
    currencies: ({ query: parameters }) => query("currencies", parameters),
  }),
);

const sellers = HttpApiBuilder.group(Api, "sellers", (handlers) =>
  handlers.handleAll({
    tabs: ({ params: { name } }) =>
      Effect.map(found(query("tabs", name), `No listing is by “${name}”.`), (tabs) => ({ tabs })),
    tab: ({ params: { id } }) =>
      found(query("tab", id), "The stream has shown no tab with this id."),
  }),
);

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1();

/** Names the parameter that the request's schema refused, or does not know. */
const parameters = Layer.succeed(Parameters, (httpEffect, { endpoint }) =>
  Effect.gen(function* () {
    const ast = endpoint.query?.ast;
    const known = new Set(
      ast !== undefined && SchemaAST.isObjects(ast)
        ? ast.propertySignatures.map(({ name }) => name)
        : [],
    );
    for (const parameter of Object.keys(yield* HttpServerRequest.ParsedSearchParams))
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

/** A body that the service itself sends is no fault of the request. */
const isRefusal = (error: unknown): boolean =>
  HttpApiError.HttpApiSchemaError.is(error) &&
  error.kind !== "Body" &&
  error.kind !== "ResponseHeaders";

/** The routes of the API. */
export const apiRoutes = HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide([listings, exchange, sellers]),
  Layer.provide(parameters),
);

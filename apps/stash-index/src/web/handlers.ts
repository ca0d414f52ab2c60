/** Handlers of the API's endpoints. Most of them run one query. */
import { Effect, Layer, SchemaIssue, Stream } from "effect";
import { HttpApiBuilder, HttpApiError } from "effect/http-api";
import type { Filters } from "../search/Filters.ts";
import type { Input, Queries } from "../search/queries.ts";
import { Api, BadParameter, Parameters } from "./Api.ts";
import { IndexStatus } from "./IndexStatus.ts";
import { countStream } from "./limits.ts";
import { QueryThreads } from "./QueryThreads.ts";

const query = <Name extends keyof Queries>(name: Name, input: Input<Name>) =>
  Effect.flatMap(QueryThreads, ({ run }) => run(name, input));

const handlers = HttpApiBuilder.group(Api, "index", (all) =>
  all.handleAll({
    status: () => Effect.flatMap(IndexStatus, ({ status }) => status),
    search: (request) => query("search", request.query),
    priceCheck: (request) => query("priceCheck", request.query),
    suggest: (request) => query("suggest", request.query),
    filters: ({ payload }) => query("filters", payload),
    watch: ({ headers, query: filters }) => watch(filters, headers["last-event-id"]),
    currencies: (request) => query("currencies", request.query),
    markets: (request) => query("markets", request.query),
    history: (request) => query("history", request.query),
  }),
);

/**
 * Sends the listings of a search that are added or end, page by page. Begins with the current page
 * if the client has no last page, or a page that the index does not have yet.
 */
const watch = Effect.fnUntraced(function* (filters: Filters, lastEventId: number | undefined) {
  yield* countStream;
  const { pages } = yield* IndexStatus;
  const { run } = yield* QueryThreads;
  // Refuses invalid filters before the stream begins.
  yield* run("changes", { ...filters, after: 0, until: 0 });
  return Stream.mapAccumEffect(
    pages,
    () => lastEventId ?? Infinity,
    (last, seq) => {
      const after = Math.min(last, seq);
      return run("changes", { ...filters, after, until: seq }).pipe(
        Effect.map((data) => [seq, [{ id: seq, event: "message", data }]] as const),
        // After a late query, the next event contains the changes of both pages.
        Effect.orElseSucceed(() => [after, []] as const),
      );
    },
  );
});

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey" ? "is not a parameter" : SchemaIssue.defaultLeafHook(issue),
});

/** Converts an error of a request schema to a `BadParameter` with the name of the parameter. */
const parameters = Layer.succeed(Parameters, (httpEffect) =>
  Effect.catchIf(httpEffect, isRefusal, (error) => {
    const { cause } = error as unknown as HttpApiError.HttpApiSchemaError;
    const [issue] = formatIssues(cause.issue).issues;
    const [parameter = "request"] = issue?.path ?? [];
    const detail = issue?.message ?? "is not valid";
    return new BadParameter({ parameter: String(parameter), detail });
  }),
);

/** Returns `false` for an invalid response, which is a defect of the server. */
const isRefusal = (error: unknown): boolean =>
  HttpApiError.HttpApiSchemaError.is(error) &&
  error.kind !== "Body" &&
  error.kind !== "ResponseHeaders";

export const apiRoutes = HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide(handlers),
  Layer.provide(parameters),
);

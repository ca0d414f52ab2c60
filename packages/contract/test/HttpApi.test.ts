/** The `HttpApi` of the table: served, and called by Effect's own client. */
import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer } from "effect";
import {
  HttpClient,
  HttpClientRequest,
  HttpClientResponse,
  HttpRouter,
  HttpServer,
} from "effect/http";
import { HttpApi, HttpApiBuilder, HttpApiClient, OpenApi } from "effect/http-api";
import { GameDataApi } from "../src/effect/HttpApi.ts";
import { matchPath, routes } from "../src/index.ts";

type Operations = Readonly<Record<string, { readonly operationId?: string }>>;

const Leagues = HttpApi.make("Leagues").add(GameDataApi.groups.leagues);

const leagues = HttpApiBuilder.group(Leagues, "leagues", (handlers) =>
  handlers.handleAll({
    list: ({ query }) =>
      query.type === "event"
        ? Effect.fail({ error: { code: 3, message: "Wait" } })
        : Effect.succeed({
            leagues: [{ id: "Standard", name: `${query.limit} of ${query.realm}` }],
          }),
    get: ({ params }) => Effect.succeed({ league: { id: params.league } }),
    ladder: () => Effect.succeed({ league: null }),
    eventLadder: () => Effect.succeed({ league: null }),
  }),
);

describe("the HttpApi of the table", () => {
  it("has each operation of the table, under paths that lead to it", () => {
    const names = new Set<string>();
    for (const [path, item] of Object.entries(OpenApi.fromApi(GameDataApi).paths))
      for (const [method, { operationId = "" }] of Object.entries(item as Operations)) {
        const found = matchPath(method.toUpperCase(), path.replaceAll(/\{\w+\}/gu, "1"));
        assert.isTrue(`${operationId}.`.startsWith(`${found?.name}.`), path);
        names.add(found!.name);
      }
    assert.deepStrictEqual([...names].toSorted(), Object.keys(routes).toSorted());
  });

  it.effect("serves an operation, and calls it with its types", () =>
    Effect.gen(function* () {
      const served = HttpApiBuilder.layer(Leagues).pipe(
        Layer.provide(leagues),
        Layer.provide(HttpServer.layerServices),
      );
      const { handler } = HttpRouter.toWebHandler(served, { disableLogger: true });
      const httpClient = HttpClient.make((request, url) =>
        Effect.map(
          Effect.promise(() => handler(new Request(url, { method: request.method }))),
          (response) => HttpClientResponse.fromWeb(request, response),
        ),
      ).pipe(HttpClient.mapRequest(HttpClientRequest.prependUrl("http://localhost")));
      const client = yield* HttpApiClient.makeWith(Leagues, { httpClient });
      const found = yield* client.leagues.list({ query: { realm: "game2", limit: 5 } });
      assert.deepStrictEqual(found, { leagues: [{ id: "Standard", name: "5 of game2" }] });
      const one = yield* client.leagues.get({ params: { league: "A b" }, query: {} });
      assert.deepStrictEqual(one, { league: { id: "A b" } });
      const refused = yield* Effect.flip(client.leagues.list({ query: { type: "event" } }));
      assert.deepInclude(refused, { error: { code: 3, message: "Wait" } });
      const bad = yield* Effect.promise(() => handler(new Request("http://a/league?limit=51")));
      assert.strictEqual(bad.status, 400);
    }),
  );
});

/**
 * A server for the whole contract that answers what a test tells it to and remembers what it
 * understood. It uses Effect's real router and on the contract's own codecs; only the handlers
 * are empty.
 */
import { Effect, Layer } from "effect";
import { FetchHttpClient, type HttpClient, HttpRouter, HttpServer } from "effect/http";
import { HttpApiBuilder, HttpApiClient, HttpApiMiddleware } from "effect/http-api";
import {
  BearerAuth,
  AuthenticatedCaller,
  GameDataApi,
  InvalidQueryError,
  NotFoundError,
  RequestDecodingErrors,
  routerConfig,
} from "../../src/server/index.ts";

/** The request that reached a handler. */
interface Understood {
  readonly endpoint: string;
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly payload: unknown;
}

type Reply = (request: Understood) => Effect.Effect<unknown, unknown>;

/** Starts the server in this process. Dispose of it when done. */
export const echoServer = () => {
  const understood: Array<Understood> = [];
  let reply: Reply = () => Effect.die("no reply set");

  const groups = Object.values(GameDataApi.groups).map((group) =>
    // The typed builder wants each group by name; a loop over all of them cannot give that.
    HttpApiBuilder.group(GameDataApi as never, group.identifier as never, (handlers) =>
      Object.keys(group.endpoints).reduce<any>(
        (all, name) =>
          all.handle(name, ({ params = {}, query = {}, payload }: any) => {
            const request = { endpoint: `${group.identifier}.${name}`, params, query, payload };
            understood.push(request);
            return reply(request);
          }),
        handlers,
      ),
    ),
  );

  const auth = Layer.succeed(BearerAuth)({
    bearer: (effect) =>
      Effect.provideService(effect, AuthenticatedCaller, {
        clientId: "client",
        sub: "00000000-0000-4000-8000-000000000000",
        username: "Someone",
        scopes: [],
        grant: "authorization_code",
      }),
  });
  const requestErrors = HttpApiMiddleware.layerSchemaErrorTransform(RequestDecodingErrors, () =>
    Effect.fail(InvalidQueryError.because()),
  );

  const app = HttpApiBuilder.layer(GameDataApi).pipe(
    Layer.provide(Layer.mergeAll(...(groups as [Layer.Layer<any>]))),
    Layer.provide([auth, requestErrors]),
    Layer.provide(HttpServer.layerServices),
  ) as Layer.Layer<never, never, HttpRouter.HttpRouter>;

  const { handler, dispose } = HttpRouter.toWebHandler(app, { routerConfig, disableLogger: true });
  const fetch = (path: string, init?: RequestInit) =>
    handler(new Request(new URL(path, "http://localhost"), init));

  return {
    understood,
    dispose,
    fetch,
    /** From now on every handler answers so. */
    replyWith: (next: Reply) => {
      reply = next;
    },
    /**
     * Routes a path: the endpoint, or the status that the router or the schemas
     * gave.
     */
    read: async (path: string, init?: RequestInit) => {
      const before = understood.length;
      reply = () => Effect.fail(NotFoundError.because("Only read"));
      const response = await fetch(path, init);
      return { request: understood[before], status: response.status, response };
    },
    /** The client that derives from the contract, connected to this server. */
    client: HttpApiClient.make(GameDataApi, {
      baseUrl: "http://localhost",
      transformClient: (client: HttpClient.HttpClient) => client,
    }).pipe(
      Effect.provide(
        Layer.provide(
          FetchHttpClient.layer,
          Layer.succeed(FetchHttpClient.Fetch)(((
            input: string | URL | Request,
            init?: RequestInit,
          ) => handler(new Request(input, init))) as typeof globalThis.fetch),
        ),
      ),
    ),
  };
};

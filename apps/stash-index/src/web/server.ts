/**
 * The web server: API, page and sign-in on one port, with a rate limit per address.
 */
import type { GameApiService } from "@game-data/api-client";
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import { Context, Effect, Layer, Option } from "effect";
import {
  HttpEffect,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http";
import { RateLimiter } from "effect/persistence";
import { createServer, type ServerResponse } from "node:http";
import { apiRoutes } from "./handlers.ts";
import { buildPage } from "./page.ts";
import { openSignIn, type SignInClient } from "./signIn.ts";
import { StashIndex, type StashIndexOptions } from "./StashIndex.ts";
import { runWebhook, type Webhook } from "./webhook.ts";

/** Options of the server. */
export interface ServerOptions extends Omit<StashIndexOptions, "canSignIn"> {
  readonly port: number;
  readonly host: string;
  /** Requests to the API per address and second. */
  readonly ratePerSecond: number;
  readonly webhook?: Webhook | undefined;
  /** For sign-in: the client of the data API, and the registered client at this server's origin. */
  readonly own?: {
    readonly api: GameApiService;
    readonly client: (origin: string) => Promise<SignInClient>;
  };
}

const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};

/**
 * The server's own address is known once it listens, and routes depend on it. A request that
 * arrives before them is told to come back, instead of waiting for ever.
 */
const comeBack = (_: unknown, response: ServerResponse): void =>
  void response.writeHead(503, { "retry-after": "1" }).end();

/** Serves until the scope closes; gives the server's origin. */
export const serve = Effect.fnUntraced(function* (options: ServerOptions) {
  const { host, port } = options;
  const page = yield* Effect.promise(buildPage);
  const server = createServer();
  server.on("request", comeBack);
  const listening = yield* Layer.build(NodeHttpServer.layer(() => server, { host, port }));
  const { address } = Context.get(listening, HttpServer.HttpServer);
  const origin = HttpServer.formatAddress(address);
  const { own } = options;
  const signIn =
    own === undefined
      ? undefined
      : yield* openSignIn(yield* Effect.promise(() => own.client(origin)));
  const files = [...page].map(([path, { body, type }]) =>
    HttpRouter.add(
      "GET",
      path as `/${string}`,
      HttpServerResponse.uint8Array(body, {
        contentType: type,
        headers: {
          ...HEADERS,
          "cache-control": path === "/" ? "no-cache" : "public, max-age=31536000, immutable",
        },
      }),
    ),
  );
  const auth =
    signIn === undefined
      ? []
      : (["/auth/*", "/callback"] as const).map((path) =>
          HttpRouter.add(
            "*",
            path,
            HttpEffect.fromWebHandler(
              async (request) =>
                (await signIn.handle(request)) ?? new Response(null, { status: 404 }),
            ),
          ),
        );
  const routes = Layer.mergeAll(apiRoutes(own?.api, signIn), ...files, ...auth, rateLimit(options));
  const index = yield* Layer.build(
    StashIndex.layer({ ...options, canSignIn: signIn !== undefined }),
  );
  server.off("request", comeBack);
  yield* Layer.build(
    HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provide(Layer.succeedContext(Context.merge(listening, index))),
    ),
  );
  if (options.webhook !== undefined)
    yield* Effect.forkScoped(Effect.provideContext(runWebhook(options.webhook), index));
  return origin;
});

/** A bucket per address, which a second fills by a quarter. */
const rateLimit = ({ ratePerSecond }: ServerOptions) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter;
      return (httpEffect) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          if (!request.url.startsWith("/api/")) return yield* httpEffect;
          const consumed = yield* limiter
            .consume({
              algorithm: "token-bucket",
              key: Option.getOrElse(request.remoteAddress, () => "unknown"),
              limit: ratePerSecond * 4,
              window: "4 seconds",
            })
            .pipe(Effect.option);
          if (Option.isSome(consumed)) return yield* httpEffect;
          const body = { type: "about:blank", title: "Too Many Requests", status: 429 };
          return HttpServerResponse.jsonUnsafe(body, {
            status: 429,
            contentType: "application/problem+json",
            headers: { "retry-after": "1" },
          });
        });
    }),
    { global: true },
  ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory));

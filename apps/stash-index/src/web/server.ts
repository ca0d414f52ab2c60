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
import { createServer } from "node:http";
import { apiRoutes } from "./handlers.ts";
import { buildPage } from "./page.ts";
import { openSignIn, type SignInClient } from "./signIn.ts";
import { StashIndex, type StashIndexOptions } from "./StashIndex.ts";

/** Options of the server. */
export interface ServerOptions extends Omit<StashIndexOptions, "canSignIn"> {
  readonly port: number;
  readonly host: string;
  /** Requests to the API per address and second. */
  readonly ratePerSecond: number;
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

/** Serves until the scope closes; gives the server's origin. */
export const serve = Effect.fnUntraced(function* (options: ServerOptions) {
  const { host, port } = options;
  const listening = yield* Layer.build(NodeHttpServer.layer(createServer, { host, port }));
  const { address } = Context.get(listening, HttpServer.HttpServer);
  const origin = HttpServer.formatAddress(address);
  const { own } = options;
  const signIn =
    own === undefined
      ? undefined
      : yield* openSignIn(yield* Effect.promise(() => own.client(origin)));
  const page = yield* Effect.promise(buildPage);
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
  yield* Layer.build(
    HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provide(StashIndex.layer({ ...options, canSignIn: signIn !== undefined })),
      Layer.provide(Layer.succeedContext(listening)),
    ),
  );
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

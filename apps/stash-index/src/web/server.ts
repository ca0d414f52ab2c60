/**
 * The web server: API, page and sign-in on one port, with limits per address.
 */
import type { GameApiService } from "@game-data/api-client";
import { buildPage, type PageFile } from "@game-data/pages/build";
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import { HealthServer } from "@game-data/stream-follower/health";
import { Context, Effect, Layer } from "effect";
import { HttpEffect, HttpRouter, HttpServer, HttpServerResponse } from "effect/http";
import { createServer } from "node:http";
import { join } from "node:path";
import { admission, guard, HEALTH } from "./guards.ts";
import { apiRoutes } from "./handlers.ts";
import { refuseEarly, refuseUnread } from "./refusals.ts";
import { openSignIn, type SignInClient } from "./signIn.ts";
import { StashIndex, type StashIndexOptions } from "./StashIndex.ts";

/** Options of the server. */
export interface ServerOptions extends Omit<StashIndexOptions, "canSignIn"> {
  readonly port: number;
  readonly host: string;
  /** Requests per address and second. */
  readonly ratePerSecond: number;
  /** For sign-in: the client of the data API, and the registered client at this server's origin. */
  readonly own?: {
    readonly api: GameApiService;
    readonly client: (origin: string) => Promise<SignInClient>;
  };
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** A request that comes byte by byte holds a connection no longer than this, in milliseconds. */
const TIMES = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 };

/**
 * Whether the follower and the indexers are well, for load balancers: the verdict alone. The report,
 * with what services and stores said, is on the port of `--ops-port`.
 */
const health = (path: (typeof HEALTH)[number]) =>
  HttpRouter.add(
    "GET",
    path,
    Effect.map(HealthServer.handleRequest(path), ({ status }) =>
      HttpServerResponse.jsonUnsafe(
        { ok: status === 200 },
        { status, headers: { "cache-control": "no-store" } },
      ),
    ),
  );

const ROOT = join(import.meta.dirname, "../..");
let built: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** The page's files by their paths in URLs; built once in a process. */
const pageFiles = () =>
  (built ??= buildPage({ configFile: join(ROOT, "vite.config.ts"), root: join(ROOT, "src/page") }));

/** Serves until the scope closes; gives the server's origin. */
export const serve = Effect.fnUntraced(function* (options: ServerOptions) {
  const { host, port } = options;
  const page = yield* Effect.promise(pageFiles);
  // The guard counts hosts itself: Node refuses none as it likes, and takes several.
  const server = createServer({ ...TIMES, requireHostHeader: false });
  const admit = yield* admission(options.ratePerSecond);
  refuseUnread(server, admit);
  // Its own address is known once it listens, and routes depend on it: a request that arrives before
  // them is told to come back, instead of waiting for ever.
  server.on("request", refuseEarly);
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
          "content-security-policy": POLICY,
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
  const routes = Layer.mergeAll(
    guard(admit, page.keys()),
    apiRoutes(own?.api, signIn),
    ...HEALTH.map(health),
    ...files,
    ...auth,
  );
  const index = yield* Layer.build(
    StashIndex.layer({ ...options, canSignIn: signIn !== undefined }),
  );
  server.off("request", refuseEarly);
  yield* Layer.build(
    HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provide(Layer.succeedContext(Context.merge(listening, index))),
    ),
  );
  // Nothing is upgraded here: without a listener such a request is read as any other.
  server.removeAllListeners("upgrade");
  return origin;
});

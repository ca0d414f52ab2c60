/**
 * The web server: API and page on one port, with limits per address.
 */
import { buildPage, type PageFile } from "@game-data/pages/build";
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import { Status } from "@game-data/stream-follower";
import { Context, Effect, Layer } from "effect";
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http";
import { createServer } from "node:http";
import { join } from "node:path";
import { admission, guard, HEALTH } from "./guards.ts";
import { apiRoutes } from "./handlers.ts";
import { StashIndex, type StashIndexOptions } from "./StashIndex.ts";

/** Options of the server. */
export interface ServerOptions extends StashIndexOptions {
  readonly port: number;
  readonly host: string;
  /** Requests per address and second. */
  readonly ratePerSecond: number;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A request that comes byte by byte holds a connection no longer than this, in milliseconds. */
const TIMES = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 };

/**
 * Whether the follower and the indexers are well, for load balancers: the verdict alone. The report,
 * with the messages of services and stores, is on the port of `--ops-port`.
 */
const health = (path: (typeof HEALTH)[number]) =>
  HttpRouter.add(
    "GET",
    path,
    Effect.map(Status.report, ({ caughtUp, live, ready }) => {
      const ok = path === "/health/ready" ? ready : path === "/health/caught-up" ? caughtUp : live;
      const headers = { "cache-control": "no-store" };
      return HttpServerResponse.jsonUnsafe({ ok }, { status: ok ? 200 : 503, headers });
    }),
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
  const server = createServer(TIMES);
  const admit = yield* admission(options.ratePerSecond);
  const listening = yield* Layer.build(NodeHttpServer.layer(() => server, { host, port }));
  const { address } = Context.get(listening, HttpServer.HttpServer);
  const origin = HttpServer.formatAddress(address);
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
  const routes = Layer.mergeAll(
    guard(admit, page.keys()),
    apiRoutes,
    ...HEALTH.map(health),
    ...files,
  );
  const index = yield* Layer.build(StashIndex.layer(options));
  yield* Layer.build(
    HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provide(Layer.succeedContext(Context.merge(listening, index))),
    ),
  );
  // Nothing is upgraded here: without a listener such a request is read as any other.
  server.removeAllListeners("upgrade");
  return origin;
});

/** The web server: serves the API, the page and a short health check on one port. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import { buildPage } from "@game-data/pages/build";
import { Status } from "@game-data/stream-follower";
import { Context, Effect, Layer, Record } from "effect";
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Realm } from "../openLog.ts";
import { apiRoutes } from "./handlers.ts";
import { IndexStatus } from "./IndexStatus.ts";
import { limits } from "./limits.ts";
import { type QueryOptions, QueryThreads } from "./QueryThreads.ts";

export interface ServerOptions extends QueryOptions {
  readonly realm: Realm;
  readonly host: string;
  readonly port: number;
  /** Requests that one address may send per second. */
  readonly ratePerSecond: number;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Time limits in milliseconds, because a client that sends slowly would keep a connection. */
const TIMEOUTS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
};

/**
 * Health checks for load balancers, with a status but no details. The full report, with messages of
 * services and stores, is on the port of `--ops-port`.
 */
const VERDICTS = {
  "/health": "live",
  "/health/live": "live",
  "/health/ready": "ready",
  "/health/caught-up": "caughtUp",
} as const;

const health = Record.toEntries(VERDICTS).map(([path, verdict]) =>
  HttpRouter.add(
    "GET",
    path,
    Effect.map(Status.report, ({ [verdict]: ok }) => {
      const headers = { "cache-control": "no-store" };
      return HttpServerResponse.jsonUnsafe({ ok }, { status: ok ? 200 : 503, headers });
    }),
  ),
);

const ROOT = join(import.meta.dirname, "../..");

/** Builds the files of the page, once in a process. */
const pageFiles = Effect.promise(() =>
  buildPage({ configFile: join(ROOT, "vite.config.ts"), root: join(ROOT, "src/page") }),
).pipe(Effect.cached, Effect.runSync);

const page = Layer.unwrap(
  Effect.gen(function* () {
    const routes = Array.from(yield* pageFiles, ([path, { body, type }]) => {
      const caching = path === "/" ? "no-cache" : "public, max-age=31536000, immutable";
      const headers = { "content-security-policy": POLICY, "cache-control": caching };
      const response = HttpServerResponse.uint8Array(body, { contentType: type, headers });
      return HttpRouter.add("GET", path as `/${string}`, response);
    });
    return Layer.mergeAll(...(routes as [(typeof routes)[number]]));
  }),
);

/** Serves until the scope closes. Returns the origin of the server. */
export const serve = Effect.fnUntraced(function* (options: ServerOptions) {
  const { file, host, port, ratePerSecond, realm } = options;
  const routes = Layer.mergeAll(limits(ratePerSecond), apiRoutes, page, ...health);
  const served = yield* HttpRouter.serve(routes, {
    disableListenLog: true,
    disableLogger: true,
  }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => createServer(TIMEOUTS), { host, port })),
    Layer.provide([QueryThreads.layer(options), IndexStatus.layer(file, realm)]),
    Layer.build,
  );
  return HttpServer.formatAddress(Context.get(served, HttpServer.HttpServer).address);
});

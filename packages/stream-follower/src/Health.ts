/**
 * `/health`, `/health/live`, `/health/ready`, `/health/caught-up` and `/metrics`, computed from
 * `Status` on each request.
 *
 * Add `routes` to the `HttpRouter` of a program, or let `serve` listen on a port of its own. The
 * responses contain no secret. `serve` needs `@effect/platform-node`.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServer from "effect/http/HttpServer";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import * as Layer from "effect/Layer";
import * as Metric from "effect/Metric";
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics";
import type * as Scope from "effect/Scope";
import { createServer } from "node:http";
import { HealthServerFailed } from "./Errors.ts";
import * as Status from "./Status.ts";

/** The report as 200 or 503. */
const health = (name: string, isGood: (report: Status.Report) => boolean) =>
  HttpRouter.add(
    "GET",
    `/health${name}`,
    Effect.map(Status.report, (report) =>
      HttpServerResponse.text(toJson(report), {
        status: isGood(report) ? 200 : 503,
        contentType: "application/json",
        headers: { "cache-control": "no-store" },
      }),
    ),
  );

/** Positions become numbers; times stay milliseconds since 1970. */
const toJson = (report: Status.Report): string =>
  JSON.stringify(report, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );

const metrics = Effect.gen(function* () {
  for (const status of (yield* Status.report).streams) {
    for (const [name, value, labels] of samples(status)) {
      const [source = "", realm = ""] = status.stream.split("/");
      const gauge = Metric.withAttributes(GAUGES[name], { source, realm, ...labels });
      yield* Metric.update(gauge, value);
    }
  }
  const text = yield* PrometheusMetrics.format();
  return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" });
});

const gauge = (name: string, description: string) =>
  Metric.gauge(`game_data_follower_${name}`, { description });

const GAUGES = {
  lag: gauge(
    "lag_seconds",
    "Seconds since the last committed page arrived; 0 at the end of the stream, NaN on standby",
  ),
  headSeq: gauge("head_seq", "Number of the last committed page"),
  caughtUp: gauge("caught_up", "1 if everything that the service has is committed and applied"),
  live: gauge("live", "0 if starting the process again would help"),
  ready: gauge("ready", "1 if the store accepts work and the holder of the lease is known"),
  held: gauge("held", "1 if this process holds the stream"),
  failures: gauge("part_failures", "Failed attempts of a part since its last success"),
  stuck: gauge("part_stuck", "1 if an attempt of a part hangs"),
  behind: gauge(
    "indexer_behind",
    "Distance of a reader to the last committed page, in pages or hours",
  ),
} as const;

type Sample = readonly [
  gauge: keyof typeof GAUGES,
  value: number,
  labels?: Readonly<Record<string, string>>,
];

const samples = (status: Status.StreamStatus): ReadonlyArray<Sample> => {
  const isHeld = status.holder === "us" && status.state !== "halted" && status.state !== "stopped";
  const unit = status.stream.startsWith("exchange/") ? 3600n : 1n;
  return [
    ["lag", status.lagSeconds ?? NaN],
    ["headSeq", Number(status.headSeq)],
    ["caughtUp", Number(status.isCaughtUp)],
    ["live", Number(status.isLive)],
    ["ready", Number(status.isReady)],
    ["held", Number(isHeld)],
    ...status.parts.flatMap(({ failures, name, seq, state }): ReadonlyArray<Sample> => [
      ["failures", failures, { part: name }],
      ["stuck", Number(state === "stuck"), { part: name }],
      // A reader that has applied no page yet is not behind the hours before its first one.
      ...(seq === undefined || (seq === 0n && unit > 1n)
        ? []
        : [["behind", Number((status.headSeq - seq) / unit), { part: name }] as const]),
    ]),
  ];
};

/** The routes, for a router of your own. */
export const routes: Layer.Layer<never, never, HttpRouter.HttpRouter> = Layer.mergeAll(
  health("", ({ live }) => live),
  health("/live", ({ live }) => live),
  health("/ready", ({ ready }) => ready),
  health("/caught-up", ({ caughtUp }) => caughtUp),
  HttpRouter.add("GET", "/metrics", metrics),
);

/** Options of the server. */
export interface ServeOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
}

/** Serves the routes until the scope closes. Returns the address. */
export const serve = Effect.fn("Health.serve")(function* ({
  host = "127.0.0.1",
  port = 0,
}: ServeOptions = {}): Effect.fn.Return<string, HealthServerFailed, Scope.Scope> {
  const server = NodeHttpServer.layerServer(createServer, { host, port });
  const served = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true });
  const context = yield* Layer.build(Layer.provideMerge(served, server)).pipe(
    // A port out of range is thrown.
    Effect.catchCause((cause) => new HealthServerFailed({ cause: Cause.squash(cause) })),
  );
  return HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address);
});

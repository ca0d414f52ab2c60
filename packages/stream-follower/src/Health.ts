/**
 * Serves `/health`, `/health/live`, `/health/ready`, `/health/caught-up` and `/metrics`, computed
 * from `Status` on each request.
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
import { HOUR_SECONDS } from "./Model.ts";
import * as Status from "./Status.ts";

/** Makes a route that returns the report, with status 200 if `isGood`, else 503. */
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

/** Returns the report as JSON. Positions become numbers; times are milliseconds since 1970. */
const toJson = (report: Status.Report): string =>
  JSON.stringify(report, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );

/** Returns the counters of `Metrics`, and gauges that are set for each response. */
const metrics = Effect.gen(function* () {
  for (const status of (yield* Status.report).streams) {
    const { headSeq, holder, lagSeconds = NaN, parts, state } = status;
    const set = setGauge(status.stream);
    yield* set(
      "lag_seconds",
      "Seconds since the last committed page arrived; 0 at the end of the stream, NaN on standby",
      lagSeconds,
    );
    yield* set("head_seq", "Number of the last committed page", Number(headSeq));
    const caughtUp = "1 if everything that the service has is committed and applied";
    yield* set("caught_up", caughtUp, status.isCaughtUp);
    yield* set("live", "0 if starting the process again would help", status.isLive);
    const ready = "1 if the store accepts work and the holder of the lease is known";
    yield* set("ready", ready, status.isReady);
    const isHeld = holder === "us" && state !== "halted" && state !== "stopped";
    yield* set("held", "1 if this process holds the stream", isHeld);
    for (const part of parts) {
      const labels = { part: part.name };
      const failed = "Failed attempts of a part since its last success";
      yield* set("part_failures", failed, part.failures, labels);
      yield* set("part_stuck", "1 if an attempt of a part hangs", part.state === "stuck", labels);
      const behind = distance(status, part);
      if (behind === undefined) continue;
      const far = "Distance of a reader to the last committed page, in pages or hours";
      yield* set("indexer_behind", far, behind, labels);
    }
  }
  const text = yield* PrometheusMetrics.format();
  return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" });
});

const setGauge = (stream: string) => {
  const [source = "", realm = ""] = stream.split("/");
  return (
    name: string,
    description: string,
    value: number | boolean,
    labels?: { part: string },
  ) => {
    const gauge = Metric.gauge(`game_data_follower_${name}`, { description });
    return Metric.update(Metric.withAttributes(gauge, { source, realm, ...labels }), Number(value));
  };
};

const distance = ({ headSeq, stream }: Status.StreamStatus, { seq }: Status.PartStatus) => {
  const unit = stream.startsWith("exchange/") ? HOUR_SECONDS : 1;
  // A reader that has applied no page yet is not behind the hours before its first page.
  if (seq === undefined || (seq === 0n && unit > 1)) return undefined;
  return Math.trunc(Number(headSeq - seq) / unit);
};

/** Routes of health and metrics, for a router of your own. */
export const routes: Layer.Layer<never, never, HttpRouter.HttpRouter> = Layer.mergeAll(
  health("", ({ live }) => live),
  health("/live", ({ live }) => live),
  health("/ready", ({ ready }) => ready),
  health("/caught-up", ({ caughtUp }) => caughtUp),
  HttpRouter.add("GET", "/metrics", metrics),
);

/**
 * Serves the routes until the scope closes, and returns the address. Default: a free port of
 * 127.0.0.1.
 */
export const serve = Effect.fn("Health.serve")(function* (
  options: { readonly port?: number; readonly host?: string } = {},
): Effect.fn.Return<string, HealthServerFailed, Scope.Scope> {
  const { host = "127.0.0.1", port = 0 } = options;
  const server = NodeHttpServer.layerServer(createServer, { host, port });
  const served = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true });
  const context = yield* Layer.build(Layer.provideMerge(served, server)).pipe(
    // Node throws an exception if the port is out of range.
    Effect.catchCause((cause) => new HealthServerFailed({ cause: Cause.squash(cause) })),
  );
  return HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address);
});
